"""Answers as JSON, by the quick encoder."""

from collections.abc import Mapping

import orjson
from rest_framework.renderers import BaseRenderer


class OrjsonRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: object,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, object] | None = None,
    ) -> bytes:
        return (
            b"" if data is None else orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
        )


class ProblemRenderer(OrjsonRenderer):
    media_type = "application/problem+json"
    format = "problem"
