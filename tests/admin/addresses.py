"""Where the admin shows a model."""

from django.db.models import Model
from django.urls import reverse


def address(model: type[Model], page: str, *arguments: object) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=arguments)
