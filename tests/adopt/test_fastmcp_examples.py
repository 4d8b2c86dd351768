"""Example servers of other people are adopted with one command, and list and answer as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from .examples import EXAMPLES, SERVERS, Example, adopt

pytestmark = pytest.mark.bridges


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_an_example_lists_and_answers_as_before(example: Example, tmp_path: Path) -> None:
    result = adopt(example, tmp_path)
    assert result.listing == []
    assert result.answers == []
    assert result.features == []
    assert set(result.tools) >= {name for name, _ in example.calls}


def test_the_examples_have_their_licences() -> None:
    assert all((SERVERS / example.framework / "LICENSE").is_file() for example in EXAMPLES)
