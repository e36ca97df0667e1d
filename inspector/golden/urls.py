"""The addresses of golden questions."""

from django.urls import path

from inspector.golden import pages

urlpatterns = [
    path("golden/", pages.golden_list, name="console-golden"),
    path("golden/try", pages.golden_try, name="console-golden-try"),
    path("golden/<uuid:question>/drop", pages.golden_drop, name="console-golden-drop"),
    path("receipts/<uuid:receipt>/golden", pages.golden_keep, name="console-golden-keep"),
]
