"""Organizations, people, agents and their keys, for operators."""

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from accounts.agents import delete_agent
from accounts.credits import count_what_was_spent
from accounts.keys import issue_key, revoke_key
from accounts.models import (
    Agent,
    ApiKey,
    Balance,
    Budget,
    Connection,
    IdempotencyKey,
    Organization,
    Owner,
    RequestBucket,
    User,
)
from accounts.schemas import create_agent_schema
from audit.admin import ReadOnlyAdmin
from audit.tenancy import TenantAdmin, is_superuser

admin.site.site_header = admin.site.site_title = "Recollect"
admin.site.index_title = "Everything that is kept"


@admin.register(Organization)
class OrganizationAdmin(TenantAdmin):
    organization = "pk"
    list_display = ("slug", "name", "created_at")
    search_fields = ("slug", "name")


@admin.register(User)
class PersonAdmin(TenantAdmin, UserAdmin):
    organization = "organization"
    list_display = ("username", "external_id", "organization", "is_staff", "is_active")
    list_filter = ("organization", "is_staff", "is_active")
    list_select_related = ("organization",)
    search_fields = ("username", "external_id")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        ("Recollect", {"fields": ("organization", "external_id")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        # Who may change people must not make themselves more than they are.
        return () if is_superuser(request) else ("is_superuser", "groups", "user_permissions")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return _may_touch(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return _may_touch(request, obj) and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        if not change and not is_superuser(request):
            obj.organization_id = getattr(request.user, "organization_id", None)
        super().save_model(request, obj, form, change)


class GroupsAdmin(TenantAdmin, GroupAdmin):
    """Groups belong to no organization."""


admin.site.unregister(Group)
admin.site.register(Group, GroupsAdmin)


def _may_touch(request: HttpRequest, person: User | None) -> bool:
    """Say whether a person's row may be changed: a superuser's only by another."""
    return person is None or not person.is_superuser or is_superuser(request)


@admin.register(Agent)
class AgentAdmin(TenantAdmin):
    organization = "organization"
    list_display = ("slug", "name", "organization", "language", "window_events", "context_tokens")
    list_filter = ("organization",)
    list_select_related = ("organization",)
    search_fields = ("slug", "name")
    readonly_fields = ("schema_name",)

    def save_model(self, request: HttpRequest, obj: Agent, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            create_agent_schema(agent=obj)

    def delete_model(self, request: HttpRequest, obj: Agent) -> None:
        delete_agent(agent=obj, actor=str(request.user))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        for agent in queryset:
            self.delete_model(request, agent)


class ApiKeyForm(ModelForm):
    def clean_agent(self) -> Agent | None:
        agent: Agent | None = self.cleaned_data["agent"]
        if agent and agent.organization != self.cleaned_data.get("organization"):
            raise ValidationError("This agent belongs to another organization.")
        return agent


@admin.register(ApiKey)
class ApiKeyAdmin(TenantAdmin):
    """A key is issued here and shown once; afterwards it can only be revoked."""

    organization = "organization"
    list_display = (
        "prefix",
        "name",
        "organization",
        "agent",
        "created_at",
        "expires_at",
        "revoked_at",
    )
    list_filter = ("organization", "scopes")
    list_select_related = ("organization", "agent")
    form = ApiKeyForm
    fields = ("organization", "agent", "name")
    actions = ("revoke",)

    def has_change_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ModelForm, change: bool) -> None:
        issued = issue_key(
            organization=obj.organization,
            agent=obj.agent,
            scopes=("agent",) if obj.agent else ("operator",),
            name=obj.name,
            actor=str(request.user),
        )
        obj.pk = issued.row.pk
        text = f"The key, shown this once: {issued.text}"
        self.message_user(request, text, messages.WARNING)

    @admin.action(description="Revoke the selected keys", permissions=["add"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for key in queryset:
            revoke_key(key=key, actor=str(request.user))


@admin.register(Connection)
class ConnectionAdmin(TenantAdmin):
    organization = "owner__agent__organization"
    list_display = ("tool", "name", "owner", "is_active", "updated_at")
    list_select_related = ("owner",)


@admin.register(Owner)
class OwnerAdmin(ReadOnlyAdmin):
    organization = "agent__organization"
    list_display = ("id", "kind", "key", "agent", "is_shared", "created_at")
    list_filter = ("kind", "is_shared")
    list_select_related = ("agent",)
    search_fields = ("key",)


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyAdmin):
    organization = "agent__organization"
    list_display = ("key", "agent", "created_at")
    list_select_related = ("agent",)
    fields = ("agent", "key", "resources", "created_at")


@admin.register(RequestBucket)
class RequestBucketAdmin(ReadOnlyAdmin):
    organization = "key__organization"
    list_display = ("key", "tokens", "at")
    list_select_related = ("key",)


@admin.register(Balance)
class BalanceAdmin(TenantAdmin):
    organization = "user__organization"
    list_display = ("user", "micro_usd", "updated_at")
    list_select_related = ("user",)


class BudgetForm(ModelForm):
    def clean(self) -> dict[str, object]:
        given: dict[str, object] = super().clean() or self.cleaned_data
        for row in (given.get("agent"), given.get("user")):
            if isinstance(row, Agent | User) and row.organization != given.get("organization"):
                raise ValidationError("The agent or user belongs to another organization.")
        return given


@admin.register(Budget)
class BudgetAdmin(TenantAdmin):
    organization = "organization"
    list_display = ("organization", "agent", "user", "micro_usd", "spent_micro_usd", "day")
    list_select_related = ("organization", "agent", "user")
    readonly_fields = ("spent_micro_usd", "day")
    form = BudgetForm

    def save_model(self, request: HttpRequest, obj: Budget, form: ModelForm, change: bool) -> None:
        if not change:
            count_what_was_spent(obj)
        super().save_model(request, obj, form, change)
