"""Documents of the corpus: every operation becomes a tool; Swagger 2.0 is refused."""

from __future__ import annotations

import pytest

from tests.corpora import corpus, is_shared
from tools.corpus.openapi import measure_openapi

SHARED = {  # document → its operations
    "petstore.v3.0.yaml": 3,
    "petstore-expanded.v3.0.yaml": 4,
    "tictactoe.v3.1.yaml": 3,
    "uspto.v3.0.yaml": 3,
    "webhook-example.v3.1.yaml": 0,
    "slack_web.swagger2.json.gz": 174,
    "kubernetes_apiextensions_v1.v3.json": 13,
    "notion.json": 24,
}
SAMPLE = {
    "orders.v3.0.yaml": 3,
    "notes.v3.1.json": 2,
    "webhooks.v3.1.yaml": 0,
    "old.swagger2.json.gz": 2,
}
DOCUMENTS = SHARED if is_shared("openapi") else SAMPLE


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name.startswith("kubernetes") else ())
        for name in DOCUMENTS
    ],
)
def test_documents_of_others(name: str) -> None:
    row = measure_openapi(corpus(f"openapi/{name}"), f"corpus_{list(DOCUMENTS).index(name)}")
    assert row.misses == []
    assert row.operations == DOCUMENTS[name]
    assert row.refused or row.generated == row.operations
