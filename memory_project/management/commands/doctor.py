"""Check the installation."""

from django.core.management.base import BaseCommand, CommandError

from memory_project.diagnosis import ALL, examine


class Command(BaseCommand):
    help = "Check what must be true, and print the fix for each thing that is wrong."
    requires_system_checks = ()

    def handle(self, **options: object) -> None:
        findings = examine(ALL)
        for finding in findings:
            mark = "ok   " if finding.is_ok else "WRONG"
            self.stdout.write(f"{mark} {finding.name}: {finding.message}")
            if finding.fix:
                self.stdout.write(f"      → {finding.fix}")
        wrong = sum(not finding.is_ok for finding in findings)
        if wrong:
            raise CommandError(f"{wrong} of {len(findings)} checks failed")
