"""The list of all checks, in the order of reports."""

from __future__ import annotations

from toolgen.testing.checks import answers, state
from toolgen.testing.checks.check import Check

CHECKS: tuple[Check, ...] = (
    answers.EXAMPLE,
    answers.OUTCOMES,
    answers.INDEPENDENT,
    answers.ANSWERS,
    state.READ_ONLY,
    state.IDEMPOTENT,
    state.CONSENT,
    state.SHOWN,
    state.FAILED,
    state.CANCELLED,
    state.CONCURRENT,
    answers.STREAM,
)
