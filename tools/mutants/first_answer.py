"""What the operator `state_kept` wraps functions in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any


def first_answer(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers every call with what `function` returned to the first."""
    answers: list[Any] = []

    @wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        if not answers:
            answers.append(function(*args, **kwargs))
        return answers[0]

    return answer
