"""The addresses of the playground."""

from django.urls import path

from inspector.playground import pages

HERE = "<uuid:agent>/<uuid:session>"

urlpatterns = [
    path("", pages.playground, name="console-playground"),
    path(f"{HERE}/", pages.talk, name="console-playground-talk"),
    path(f"{HERE}/say", pages.say_it, name="console-playground-say"),
    path(f"{HERE}/end", pages.end, name="console-playground-end"),
]
