"""The date that decides about sunsets and expired entries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, date, datetime

from toolgen.language.diagnostic import Diagnostic, Sunset


def today() -> date:
    """Return the date in UTC; that of SOURCE_DATE_EPOCH, if it is set, so that a run can be repeated."""
    # https://reproducible-builds.org/specs/source-date-epoch
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return (datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)).date()


def passed_sunsets(sunsets: Sequence[Sunset]) -> tuple[Diagnostic, ...]:
    """Return an error for each tool whose last day is over."""
    day = today().isoformat()
    return tuple(sunset.error for sunset in sunsets if sunset.day < day)
