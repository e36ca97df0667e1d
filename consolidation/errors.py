"""What can happen to a job, in the domain's words."""

from accounts.errors import Fault


class LeaseLost(Exception):
    """Another worker has the job, or it was cancelled: this run may not write any more."""


class Postponed(Exception):
    """The job cannot be done now. `counts` says whether the try was one of its attempts."""

    def __init__(self, code: str, *, seconds: float | None = None, counts: bool = True) -> None:
        super().__init__(code)
        self.code = code
        self.seconds = seconds
        self.counts = counts


class JobNotOpen(Fault):
    """The job is in a state in which it can be neither retried nor cancelled."""

    code = "job_not_in_state"
    status = 409
    hint = (
        "Look at its state: only dead or cancelled jobs are retried, only waiting ones cancelled."
    )


class PlanStale(Exception):
    """What the plan was made on is no more: nothing of it is applied."""


class ProfileOff(Fault):
    """The agent keeps no picture of its users: there is nothing to observe for."""

    code = "profile_off"
    status = 409
    hint = "Set `keeps_profile` on the agent, or send no observations."


class CategoryUnknown(Fault):
    """An observation is of a category that there is not."""

    code = "category_unknown"
    status = 422
    hint = "A category is fact, preference, project_details or correction."


class ObservationUnfit(Fault):
    """What was observed cannot be kept."""

    code = "observation_unfit"
    status = 422
    hint = "Send a text of 1 to 4,000 characters without NUL."


class FetchFailed(Exception):
    """What a tool says of itself could not be had; the code says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class CandidateNotHeld(Fault):
    """The candidate was decided meanwhile, or is another's."""

    code = "candidate_not_held"
    status = 409
    hint = "Load the page again: it shows what still waits."


class ImportUnfit(Fault):
    """The file is no export that can be taken in; nothing of it was."""

    code = "import_unfit"
    status = 422
    hint = "Give memory.json, or memory.zip, as an export of Recollect wrote it: nothing of this file was taken in."


class ImportTooLarge(Fault):
    """The file is larger than a request may bring."""

    code = "import_too_large"
    status = 413
    hint = "Have an operator run `manage.py import_memory FILE`: it takes files of any size."


class ImportOfAnother(Fault):
    """The file is of somebody who has another name here, or of nobody."""

    code = "import_of_another"
    status = 409
    hint = (
        "If it is the same person, say whom the file names: `of` in the API, `--of` in the command."
    )


class ImportNotReady(Fault):
    """The import was confirmed already, or has waited too long."""

    code = "import_not_ready"
    status = 409
    hint = "Look at how far it is, or give the file again."


class ImportCancelled(Fault):
    """Somebody has stopped the import; what was in by then stays."""

    code = "import_cancelled"
    status = 409
    hint = "Give the file again: it goes on where it stopped."


class LedgerUnwritable(Fault):
    """What is to be forgotten cannot be written down outside the database."""

    code = "ledger_unwritable"
    status = 503
    hint = "Nothing was forgotten: an operator makes room in the data folder, or opens it."


class LedgerUnreadable(Fault):
    """The ledger, or a line of it, cannot be read."""

    code = "ledger_unreadable"
    status = 422
    hint = "Name the `erasures.jsonl` of the installation that made the backup, or a copy of it."


class ErasureUnfinished(Fault):
    """After all rounds something is left of a person who is to be erased."""

    code = "erasure_unfinished"
    status = 503
    hint = "Run the same command again: it does all the steps once more."


class MemoryRefused(Fault):
    """A text that is not kept however it is asked for; `detail` holds the guard's code."""

    code = "memory_refused"
    status = 422
    hint = "`detail.guard` names the guard; docs/learning.md says what each refuses. Leave out secrets and quoted text."


class MemoryReadOnly(Fault):
    """What was said in a session stays as it was said."""

    code = "memory_read_only"
    status = 409
    hint = "Change or forget the facts, rules and notes instead; a passage goes with what was learned of it, or with its user."
