#!/usr/bin/env python
"""Run one of Recollect's commands."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A wrong setting is the caller's to mend: the sentence says how, a traceback would not.
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        # Whoever pressed Ctrl-C knows why. Commands that can resume do so when run again.
        sys.exit("Stopped.")
