"""Pairs of schemas whose verdict follows from several constraints together."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.containment import Contained, NotContained, check_containment
from toolgen.schema.validator import compiled

from tests.samples import load_beside


@pytest.mark.parametrize(("narrow", "wide", "is_contained"), load_beside(__file__, "interplay.yaml"))
def test_constraints_act_together(narrow: Any, wide: Any, is_contained: bool) -> None:
    result = check_containment(narrow, wide)
    if is_contained:
        assert result == Contained()
    else:
        assert isinstance(result, NotContained)
        assert compiled(narrow).is_valid(result.witness)
        assert not compiled(wide).is_valid(result.witness)
