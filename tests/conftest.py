"""Options that all tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every run and every machine, however slow: a red test is a change's fault.
settings.register_profile("toolgen", deadline=None, derandomize=True)
settings.load_profile("toolgen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest --record` writes what is expected of the cases anew; read the diff before you commit it."""
    parser.addoption("--record", action="store_true", help="write the expected output of the cases anew")


@pytest.fixture
def record(request: pytest.FixtureRequest) -> bool:
    """Whether expected output is written instead of compared."""
    return bool(request.config.getoption("--record"))
