"""The addresses of the console."""

from django.urls import path

from inspector.console import agents, dashboard, jobs, learned, money, sealed, spaces

urlpatterns = [
    path("", dashboard.dashboard, name="console"),
    path("events/<uuid:event>/put-back", dashboard.event_put_back, name="console-event-put-back"),
    path("jobs/", jobs.job_list, name="console-jobs"),
    path("jobs/<int:job>/retry", jobs.job_retry, name="console-job-retry"),
    path("jobs/<int:job>/cancel", jobs.job_cancel, name="console-job-cancel"),
    path("spaces/", spaces.space_list, name="console-spaces"),
    path("spaces/<int:space>/compare", spaces.space_compare, name="console-space-compare"),
    path("spaces/<int:space>/fill", spaces.space_fill, name="console-space-fill"),
    path("spaces/<int:space>/switch", spaces.space_switch, name="console-space-switch"),
    path("agents/", agents.agent_list, name="console-agents"),
    path("agents/<uuid:agent>/", agents.agent_detail, name="console-agent"),
    path("agents/<uuid:agent>/keys", agents.key_issue, name="console-key-issue"),
    path(
        "agents/<uuid:agent>/keys/<uuid:key>/revoke", agents.key_revoke, name="console-key-revoke"
    ),
    path("agents/<uuid:agent>/stop", agents.agent_stop, name="console-agent-stop"),
    path("costs/", money.costs, name="console-costs"),
    path("costs/budget", money.budget_set, name="console-budget"),
    path("costs/balance", money.balance_set, name="console-balance"),
    path("candidates/", learned.candidate_list, name="console-candidates"),
    path("rules/", learned.rule_list, name="console-rules"),
    path("policies/", learned.policy_list, name="console-policies"),
    path("policies/<uuid:agent>/", learned.policy_detail, name="console-policy"),
    path("sealed/", sealed.sealed, name="console-sealed"),
]
