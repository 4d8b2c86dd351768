"""Makes the samples importable, such as the catalog `shop`."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def _without_garbage() -> Iterator[None]:
    """Collect tasks that ended with an exception: asyncio logs each when it is collected, in whatever test."""
    yield
    gc.collect()
