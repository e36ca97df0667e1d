"""The envelope of a part of a prompt."""

from collections.abc import Sequence

from django.utils.crypto import salted_hmac

from providers.quoting import enclose


def sealed(name: str, lines: Sequence[str]) -> str:
    """Return lines in an envelope whose closing tag nobody can foresee, the same for the same lines.

    A prompt whose texts have not changed stays the same to the byte, and a provider's cache holds it.
    """
    return enclose(name, lines, salted_hmac(name, "\n".join(lines)).hexdigest()[:16])
