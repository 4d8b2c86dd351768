"""The list of all checks, in the order of reports."""

from __future__ import annotations

from toolgen.testing.checks import (
    answers,
    cancelled_calls,
    concurrent_calls,
    consent,
    example,
    failed_calls,
    idempotent,
    independent_calls,
    outcomes,
    read_only,
    shown,
    stream,
)
from toolgen.testing.checks.check import Check

CHECKS: tuple[Check, ...] = (
    example.CHECK,
    outcomes.CHECK,
    independent_calls.CHECK,
    answers.CHECK,
    read_only.CHECK,
    idempotent.CHECK,
    consent.CHECK,
    shown.CHECK,
    failed_calls.CHECK,
    cancelled_calls.CHECK,
    concurrent_calls.CHECK,
    stream.CHECK,
)
