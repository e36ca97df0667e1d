"""Whose rows the admin shows to whom."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.admin import FieldListFilter, RelatedFieldListFilter
from django.db.models import Field, Model, QuerySet
from django.db.models.fields.related import RelatedField
from django.http import HttpRequest

if TYPE_CHECKING:  # a name of the stubs
    from django.utils.functional import _StrPromise


class TenantAdmin(admin.ModelAdmin):
    """Whoever is no superuser sees the rows of their own organization, and no others.

    `organization` is the way from a row to it; rows without one are a superuser's affair. What may
    be chosen in a form or a filter is limited in the same way.
    """

    organization = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        rows = super().get_queryset(request)
        if is_superuser(request):
            return rows
        mine = getattr(request.user, "organization_id", None)
        if not self.organization or mine is None:
            return rows.none()
        return rows.filter(**{self.organization: mine})

    def get_field_queryset(
        self, db: str | None, db_field: RelatedField, request: HttpRequest
    ) -> QuerySet | None:
        rows = visible(self, db_field, request)
        return super().get_field_queryset(db, db_field, request) if rows is None else rows


class TenantFilter(RelatedFieldListFilter):
    """Offers the rows that the person may see, and no names of others."""

    def field_choices(
        self, field: Field, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> "list[tuple[str, str | _StrPromise]]":
        rows = visible(model_admin, field, request)
        return [] if rows is None else [(str(row.pk), str(row)) for row in rows]


FieldListFilter.register(lambda field: bool(field.remote_field), TenantFilter, take_priority=True)


def is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def visible(shown: admin.ModelAdmin, field: Field, request: HttpRequest) -> QuerySet | None:
    """Return the rows that a relation may lead to, as the admin of the other side shows them.

    None for a model that has no admin.
    """
    model = field.related_model
    if not (isinstance(model, type) and issubclass(model, Model)):
        return None
    if not shown.admin_site.is_registered(model):
        return None
    return shown.admin_site.get_model_admin(model).get_queryset(request)
