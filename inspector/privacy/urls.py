"""The addresses of the privacy pages."""

from django.urls import path

from inspector.privacy import erasures, imports, links, pages

urlpatterns = [
    path("memory/<owner:owner>/privacy/", pages.privacy, name="memory-privacy"),
    path("memory/<owner:owner>/privacy/recall", pages.recall, name="privacy-recall"),
    path("memory/<owner:owner>/privacy/sharing", pages.sharing, name="privacy-sharing"),
    path("memory/<owner:owner>/privacy/consent", pages.consent, name="privacy-consent"),
    path("memory/<owner:owner>/privacy/reads", pages.reads, name="privacy-reads"),
    path("memory/<owner:owner>/privacy/export", pages.export, name="privacy-export"),
    path("memory/<owner:owner>/privacy/erase", erasures.erase, name="privacy-erase"),
    path("memory/<owner:owner>/privacy/import", imports.give, name="privacy-import"),
    path("memory/<owner:owner>/privacy/import/<uuid:one>/", imports.show, name="import"),
    path(
        "memory/<owner:owner>/privacy/import/<uuid:one>/confirm",
        imports.confirm,
        name="import-confirm",
    ),
    path(
        "memory/<owner:owner>/privacy/import/<uuid:one>/revert",
        imports.revert,
        name="import-revert",
    ),
    path("erasures/<str:token>/", erasures.erasure, name="erasure"),
    path("erasures/<str:token>/certificate", erasures.certificate, name="erasure-certificate"),
    path("enter/<str:token>/", links.enter, name="enter"),
]
