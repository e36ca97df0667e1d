from tests.consolidation.deletion.erasure.conftest import data, failpoints

__all__ = ["data", "failpoints"]
