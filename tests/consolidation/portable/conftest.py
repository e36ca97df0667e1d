from tests.consolidation.erasure.conftest import data, failpoints

__all__ = ["data", "failpoints"]
