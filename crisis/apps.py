from django.apps import AppConfig


class CrisisConfig(AppConfig):
    name = "crisis"
    verbose_name = "Crisis"
