"""The body of a request: one JSON value that can be kept, of bounded size."""

from collections.abc import Mapping
from typing import IO, cast

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

from memory.strict_json import InvalidJson, read_json

MOST_BYTES = 1_048_576


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "body_too_large"
    default_detail = f"a body is at most {MOST_BYTES} bytes; send smaller batches"


class StrictJSONParser(BaseParser):
    """Read a body, or refuse it with what is wrong in one sentence."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Mapping[str, object]:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise BodyTooLarge
        try:
            # Whatever it is: the serializers refuse what is no object.
            return cast("Mapping[str, object]", read_json(body))
        except InvalidJson as error:
            raise ParseError(str(error)) from error
