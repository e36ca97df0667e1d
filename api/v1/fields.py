"""Input fields that refuse what cannot be kept."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import QueryDict
from rest_framework import serializers

METADATA_BYTES = 8_192
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
AHEAD = timedelta(days=1)
# A hostile body may hold a thousand names, and long ones.
SHOWN, MOST_SHOWN = 100, 10
UNKNOWN = ["there is no such field"]


class Body(serializers.Serializer):
    """What a request says: a field that there is not is refused by its name, never passed over."""

    def to_internal_value(self, data: Any) -> Any:
        # A query may hold what a proxy or another tool has put there.
        if isinstance(data, Mapping) and not isinstance(data, QueryDict):
            unknown = [str(name)[:SHOWN] for name in data if name not in self.fields]
            if unknown:
                raise serializers.ValidationError(dict.fromkeys(unknown[:MOST_SHOWN], UNKNOWN))
        return super().to_internal_value(data)


class Metadata(serializers.DictField):
    """A JSON object of at most 8 KiB."""

    def run_validation(self, data: object = serializers.empty) -> object:
        value = super().run_validation(data)
        if len(json.dumps(value).encode()) > METADATA_BYTES:
            raise serializers.ValidationError(f"metadata is at most {METADATA_BYTES} bytes")
        return value


class Moment(serializers.DateTimeField):
    """A client's time: since 1900, and at most a day ahead of ours."""

    def to_internal_value(self, value: datetime | str) -> datetime:
        try:
            moment: datetime = super().to_internal_value(value)
        except OverflowError as error:
            raise serializers.ValidationError("not a date and time") from error
        if not EARLIEST <= moment <= datetime.now(UTC) + AHEAD:
            raise serializers.ValidationError("must lie between 1900 and tomorrow")
        return moment


class Text(serializers.CharField):
    """A string, and not a number or a boolean that would be made one; kept as it came."""

    def __init__(self, **options: object) -> None:
        super().__init__(trim_whitespace=False, **options)  # type: ignore[arg-type]  # passed on

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        value: str = super().to_internal_value(data)
        return value


class Number(serializers.IntegerField):
    """An integer, and not a string of digits, of whatever script."""

    def to_internal_value(self, data: object) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        value: int = super().to_internal_value(data)
        return value


class Seconds(serializers.FloatField):
    """A number of seconds, and not a text or a boolean that would be made one."""

    def to_internal_value(self, data: object) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        value: float = super().to_internal_value(data)
        return value


class Flag(serializers.BooleanField):
    """true or false, and no word or number that means one."""

    def to_internal_value(self, data: object) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class Page(Body):
    """Query parameters of a list: at most `limit` rows after the cursor."""

    limit = serializers.RegexField(r"^[0-9]{1,3}\Z", default="50")
    after = serializers.CharField(default="", max_length=100, allow_blank=True)

    def validate_limit(self, value: str) -> int:
        limit = int(value)
        if not 1 <= limit <= 200:
            raise serializers.ValidationError("limit is 1 to 200")
        return limit


class IdPage(Page):
    """A list whose cursor is the id of the last row before; None before the first."""

    def validate_after(self, value: str) -> UUID | None:
        try:
            return UUID(value) if value else None
        except ValueError as error:
            raise serializers.ValidationError(
                "the cursor is the `next` of the page before"
            ) from error
