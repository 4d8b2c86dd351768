"""Samples: `make test` tries some of many cases and a part of the generated examples, `make test-slow` all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import settings

ALL, PART = 100, 25  # generated examples of a test that does not set a number


def examples(number: int) -> int:
    """Return how many examples a test generates in this run, which has `number` in `make test-slow`."""
    return max(1, number * settings().max_examples // ALL)


def sample(cases: Iterable[Any], fast: Collection[int]) -> list[Any]:
    """Return `cases`, of which all are slow but those with the numbers `fast`. A tuple has a value for each parameter."""
    return [
        case
        if number in fast
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


def load_beside(module: str, name: str) -> Any:
    """Return the data of the YAML file `name` beside a module."""
    return yaml.load(Path(module).parent.joinpath(name).read_text("utf-8"), yaml.CSafeLoader)
