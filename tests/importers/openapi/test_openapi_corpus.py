"""Other people's documents, where they are there: every operation becomes a tool; Swagger 2.0 is refused."""

from __future__ import annotations

import pytest

from tools.corpus.__main__ import SHARED
from tools.corpus.openapi import measure_openapi

SMALL = {
    "petstore.v3.0.yaml": 3,
    "petstore-expanded.v3.0.yaml": 4,
    "tictactoe.v3.1.yaml": 3,
    "uspto.v3.0.yaml": 3,
    "webhook-example.v3.1.yaml": 0,
    "slack_web.swagger2.json.gz": 174,
    "kubernetes_apiextensions_v1.v3.json": 13,
    "notion.json": 24,
}


@pytest.mark.parametrize("name", SMALL)
def test_documents_of_others(name: str) -> None:
    path = SHARED / "openapi" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there (set TOOLGEN_SHARED)")
    row = measure_openapi(path, f"corpus_{list(SMALL).index(name)}")
    assert row.misses == []
    assert row.operations == SMALL[name]
    assert row.refused or row.generated == row.operations
