"""Codes in plain words, as docs/errors.md and docs/learning.md explain them."""

ERRORS = {
    "provider_unavailable": "The model did not answer; it may later. The job tries again.",
    "provider_rate_limited": "The provider asked for a rest, which all workers keep.",
    "provider_refused": "The key, the model's name or the rights are wrong.",
    "provider_misconfigured": "The model's files are missing.",
    "request_rejected": "The endpoint takes the request in no form.",
    "input_too_long": "More text than the model can take at once.",
    "reply_refused": "The model or its filter will not answer these texts.",
    "reply_malformed": "The model's answer does not fit what was asked, twice.",
    "out_of_budget": "A balance or a budget is spent; the job goes on tomorrow, or once it grows.",
    "worker_died": "The job ended its worker at every attempt.",
    "space_busy": "Another space of vectors is being built.",
    "space_in_use": "The space is not in the state that this needs.",
    "wrong_dimension": "The model gives vectors of another length than the space has.",
}
# What a breaker that is open, or a provider that is down, leaves behind in jobs.
PROVIDER = ("provider_unavailable", "provider_rate_limited", "provider_refused")
REASONS = {
    "guard.provenance": "Only said that something was mentioned.",
    "guard.memory_control": "The message was about the memory itself.",
    "guard.secret": "It held a secret; not a word of it is kept.",
    "guard.untrusted_source": "The words were not the person's own; kept apart, never used.",
    "guard.not_quoted": "The quote does not stand word for word in the message.",
    "guard.safety_conflict": "It would keep help from someone in danger.",
    "guard.turn_scoped": "It was about the moment only.",
    "guard.fact_shaped_rule": "It only asked to remember something.",
    "guard.sensitive_category": "A loss or a trigger is never kept at once.",
    "guard.negative_self_belief": "The person thought ill of themselves; it must be said again.",
    "guard.not_at_once": "Not sure enough to be kept at once.",
    "guard.tombstone": "The person had it deleted once.",
    "guard.incognito": "The session was incognito.",
    "guard.session_memory_control": "The person asked not to keep this session.",
    # No verdict keeps which model it was of.
    "llm_policy": "No guard decided: the model of then judged it; the offline one goes by fixed rules.",
    "promotion.repetition": "Two turns bore it out.",
    "promotion.transcript_and_arc": "A turn and the session as a whole bore it out.",
    "promotion.prior_session": "A turn and an earlier session bore it out.",
    "promotion.implicit_preference": "It was asked for in two turns.",
    "skip.unsupported": "Nothing else in the session bore it out.",
    "skip.overlap_procedural": "A rule says it already.",
    "skip.known": "It was known already.",
    "error.policy_llm": "The model could not judge it.",
}
# Of changes, beside those of the gate.
CHANGES = {
    "approval.never": "A policy keeps nothing of this kind.",
    "rule_cap": "There were too many rules; the oldest one goes.",
    "revert": "A run was taken back.",
    "import": "It came in from a file.",
    "person.edit": "A person changed it by hand.",
    "person.outdated": "A person corrected what it was concluded from.",
    "person.delete": "A person had it deleted for good.",
    "person.release": "A person let it count.",
    "person.dropped": "A person did not want it kept.",
    "retention.expired": "It was kept long enough.",
    "synthesis.narrative": "Told anew out of observations.",
    "synthesis.scaffold": "Concluded from observations.",
    "synthesis.learned_info": "Learned from observations.",
    "synthesis.document": "An observation, kept to be found by its meaning.",
}
ACTIONS = {
    "commit_now": "Kept at once",
    "commit_at_session_end": "Held until the session's end",
    "require_repetition": "Held until it is said again",
    "drop": "Not kept",
}


def of_error(code: str) -> str:
    """Return what an error code means; a failure of ours has the name of its type."""
    return ERRORS.get(code, "A failure of ours, named by its type: the server's log has the rest.")


def of_reason(code: str) -> str:
    return REASONS.get(code) or CHANGES.get(code, code)
