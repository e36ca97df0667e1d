"""What can go wrong with what is known, in the domain's words."""

from accounts.errors import Fault


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
