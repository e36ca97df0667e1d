"""The addresses of a person's memory."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from inspector.person import acting, forgetting, pages


class MemoryLayer(StringConverter):
    regex = "facts|sessions|rules"


class OwnerId(StringConverter):
    """An id that fits the column: a longer number would be an error of the database."""

    regex = "[0-9]{1,9}"

    def to_python(self, value: str) -> int:  # type: ignore[override]  # a number, unlike its base
        return int(value)


register_converter(MemoryLayer, "memory_layer")
register_converter(OwnerId, "owner")

urlpatterns = [
    path("", pages.choose, name="memory"),
    path("<owner:owner>/", pages.overview_page, name="memory-overview"),
    path("<owner:owner>/search/", pages.search_page, name="memory-search"),
    path("<owner:owner>/recall", acting.switch_recall, name="memory-recall"),
    path("<owner:owner>/waiting/candidates/<int:one>", acting.decide, name="memory-candidate"),
    path("<owner:owner>/waiting/changes/<int:one>", acting.approve, name="memory-change"),
    path("<owner:owner>/undo/<uuid:changeset>", acting.undo, name="memory-undo"),
    path("<owner:owner>/forgotten/", forgetting.forgotten, name="memory-forgotten"),
    path("<owner:owner>/forgotten/<uuid:act>/back", forgetting.take_back, name="memory-take-back"),
    path("<owner:owner>/forgotten/<uuid:act>/final", forgetting.finish, name="memory-finish"),
    path("<owner:owner>/never", acting.never, name="memory-never"),
    path("<owner:owner>/<memory_layer:layer>/", pages.item_list, name="memory-items"),
    path("<owner:owner>/<memory_layer:layer>/forget", forgetting.forget, name="memory-forget"),
    path("<owner:owner>/<memory_layer:layer>/<uuid:item>/", pages.item_page, name="memory-item"),
    path(
        "<owner:owner>/<memory_layer:layer>/<uuid:item>/correct",
        acting.correct,
        name="memory-correct",
    ),
    path("<owner:owner>/<memory_layer:layer>/<uuid:item>/pin", acting.pin, name="memory-pin"),
    path(
        "<owner:owner>/<memory_layer:layer>/<uuid:item>/release",
        acting.let_in,
        name="memory-release",
    ),
]
