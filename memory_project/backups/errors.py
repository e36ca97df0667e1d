"""What can go wrong with backups, in the domain's words."""

from accounts.errors import Fault


class ProgramsMissing(Fault):
    """PostgreSQL's own programs are not there, or are older than the server."""

    code = "backup_programs_missing"
    status = 503
    hint = "Install PostgreSQL's client programs of the server's version, and have them on PATH."


class BackupFailed(Fault):
    """The backup could not be made; no file was left."""

    code = "backup_failed"
    status = 503
    hint = "See what the message names; a backup that was there before is as it was."


class BackupDamaged(Fault):
    """The archive is cut short, changed, or no archive of ours."""

    code = "backup_damaged"
    status = 422
    hint = "Take another copy of the file, or an older backup; nothing was written."


class BackupForeign(Fault):
    """The archive was made with another secret key, or by somebody else."""

    code = "backup_foreign"
    status = 409
    hint = (
        "Put `secrets.json` of the installation that made it into the data folder. Without it use "
        "`--foreign`, only for a file you trust: it runs as SQL in the database."
    )


class BackupNewer(Fault):
    """The archive is of a later version of Recollect than this one."""

    code = "backup_newer"
    status = 409
    hint = "Install that version or a later one, then restore."


class InstallationNotEmpty(Fault):
    """Somebody is remembered here already: a restore would overwrite it."""

    code = "installation_not_empty"
    status = 409
    hint = "Restore into a new data folder (RECOLLECT_DATA) or a new database, before `make up`."


class RestoreFailed(Fault):
    """The restore has not ended: the server is not ready until it has."""

    code = "restore_failed"
    status = 503
    hint = "Mend what the message names, and run the same `manage.py restore` again."
