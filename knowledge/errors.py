"""What can go wrong with what is known, in the domain's words."""

from accounts.errors import Fault


class RecordUnfit(Fault, ValueError):
    """A learned record has fields that cannot be kept; nothing of its batch was."""

    code = "record_unfit"
    status = 422
    hint = "Look at the fields that the message names."


class DocumentUnknown(Fault):
    """No such document, or not one the caller may see."""

    code = "not_found"
    status = 404
    hint = "GET /api/v1/knowledge lists what there is."


class DocumentUnnamed(Fault):
    """Neither a key nor an id says which document is meant."""

    code = "document_unnamed"
    status = 422
    hint = "Name the document by its `key`, or by its `id`."


class DocumentUnfit(Fault):
    """The key or the content is not one that can be kept and found again."""

    code = "document_unfit"
    status = 422
    hint = "A key has 1 to 200 visible characters; a content is text of 1 to 65,536 bytes."


class DocumentChanged(Fault):
    """The document is not in the version that the caller has seen."""

    code = "document_changed"
    status = 412
    hint = "Read the document again and decide anew; its version is in `detail`."


class ItemUnknown(Fault):
    """No such fact, session or rule, or not one the caller may see."""

    code = "not_found"
    status = 404


class ForgettingFinal(Fault):
    """What was forgotten cannot be taken back: its time is over, or it was taken back."""

    code = "forgetting_final"
    status = 409
    hint = "What is forgotten for good can only be learned anew."


class ItemChanged(Fault):
    """The item is not as the caller has seen it."""

    code = "item_changed"
    status = 412
    hint = "Read the item again and decide anew."


class ItemUnfit(Fault):
    """A field of an item cannot be changed, or not to this."""

    code = "item_unfit"
    status = 422
    hint = "`detail` names the field."


class ChangeNotWaiting(Fault):
    """The change waits for nobody: it was decided, or is being decided, or needed no decision."""

    code = "change_not_waiting"
    status = 409
    hint = "Read the changeset again; `state` says what became of the change."


class ChangesetFinal(Fault):
    """The changeset holds a deletion, or is itself a reversal: neither is taken back."""

    code = "changeset_final"
    status = 409
    hint = "Revert the changes after it instead, or make a new one."


class ChangesetOvertaken(Fault):
    """What the changeset wrote was changed since."""

    code = "changeset_overtaken"
    status = 409
    hint = "Revert the later change first; `detail` names the item."


class ContextUnfit(Fault):
    """A document of a user's context is not one that can be kept and found again."""

    code = "context_unfit"
    status = 422
    hint = "A content is text of 1 to 65,536 bytes; context types and sources are named in docs/context-documents.md."


class ContextForgotten(Fault):
    """The text was deleted for good once: it is not kept again."""

    code = "context_forgotten"
    status = 409
    hint = "Say it in other words, if it is to be kept after all."


class ConnectionUnknown(Fault):
    """No such connection, or not one of this user's."""

    code = "not_found"
    status = 404
    hint = "GET /api/v1/connections lists what there is."


class ConnectionExists(Fault):
    """The user has a connection to this tool under this name."""

    code = "connection_exists"
    status = 409
    hint = "Choose another name, or change the connection that has it."


class ConnectionChanged(Fault):
    """The connection is not in the version that the caller has seen."""

    code = "connection_changed"
    status = 412
    hint = "Read the connection again and decide anew; its version is in `detail`."


class ConnectionUnfit(Fault):
    """What is to be kept of a connection cannot be."""

    code = "connection_unfit"
    status = 422
    hint = "At most 16 KiB, ten objects within one another; `schema_url` goes with `refresh` http."


class EntryUnknown(Fault):
    """No entry has this name, nor this alias."""

    code = "not_found"
    status = 404
    hint = "List or search what there is; names are told apart by case."


class EntryExists(Fault):
    """The name is taken: canonical names and aliases share one namespace."""

    code = "already_exists"
    status = 409
    hint = "Choose another name, or change the entry that has this one."


class NameUnfit(Fault, ValueError):
    """The name could not be a file's."""

    code = "invalid_name"
    status = 422
    hint = (
        "A name has 1 to 200 characters, no slash, backslash, control character or `..`, and "
        "neither a dot nor a space at its ends."
    )


class ContentUnfit(Fault, ValueError):
    """The content cannot be kept and given back as it is."""

    code = "content_unfit"
    status = 422
    hint = "A content is text without NUL, of a note at most 65,536 bytes; it may be empty."


class OperationUnknown(Fault, TypeError):
    """There is no such operation: the set is closed."""

    code = "unknown_operation"
    status = 422
    hint = "There are add, rename, alias, write and remove."


class EntryReadOnly(Fault):
    """An archive is what compaction left: an agent reads it, and writes notes."""

    code = "archive_read_only"
    status = 409
    hint = "Write a note of another name."


class EntryChanged(Fault):
    """The entry is not in the version that the caller has seen."""

    code = "entry_changed"
    status = 412
    hint = "Read the note again and decide anew; its version is in `detail`."


class FileUnfit(Fault, ValueError):
    """The bytes are not those of a memory file, or not all of them, or not unchanged."""

    code = "bad_format"
    status = 422
    hint = "Restore the file from a copy; it was not changed."


class FileUnwritten(Fault):
    """The memory file could not be read or replaced; what is in memory is what the file holds."""

    code = "file_unwritten"
    status = 500
    hint = "Look at the folder: its rights, its space, whether it is there."


class CommandRefused(Exception):
    """A command of the memory tool was not done; its text is what the model is to read."""


class FileUnknown(Fault):
    """The workspace has no such file, or no such version of it."""

    code = "not_found"
    status = 404
    hint = "GET /api/v1/workspace lists what there is."


class FileNotWritable(Fault):
    """The file is not one that an agent writes; what happens is added to it instead."""

    code = "file_not_writable"
    status = 403
    hint = "Write AGENTS.md, SOUL.md, USER.md, MEMORY.md or HEARTBEAT.md; memory_save adds to the memory."


class FileTooLong(Fault):
    """The text is more than a file of the workspace may hold, or is no text."""

    code = "file_too_long"
    status = 422
    hint = "Shorten it to 32,000 characters, without NUL."


class WorkspaceUnavailable(Fault):
    """The disk does not take or give the files."""

    code = "workspace_unavailable"
    status = 503
    hint = "Make room on the disk, or let the server write in its workspace folder; then try again."


class FactUnknown(Fault):
    """No such saved fact, or not one the caller may see."""

    code = "not_found"
    status = 404
    hint = "GET /api/v1/saved-facts lists what there is."
