"""Run untrusted regular expressions in a process that can be stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

WORKER: Final = Path(__file__).with_name("pattern_worker.py")


class InvalidPatternError(Exception):
    """The pattern or the replacement is invalid."""


class PatternTooExpensiveError(Exception):
    """The pattern took too long, or its result would be too large."""


def run_pattern(job: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Run a job in a `pattern_worker` process; return its result.

    Raises InvalidPatternError, and PatternTooExpensiveError when it needs too long or too much memory.
    """
    command = [sys.executable, "-I", "-S", str(WORKER)]  # without `site`, which it does not need
    try:
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, timeout=seconds, check=True
        )
    except subprocess.TimeoutExpired as fault:
        raise PatternTooExpensiveError(f"The pattern was stopped after {seconds:g} seconds.") from fault
    except subprocess.CalledProcessError as fault:
        raise PatternTooExpensiveError("The pattern was stopped: it needed too much memory.") from fault
    result: dict[str, Any] = json.loads(done.stdout)
    if "invalid" in result:
        what = "pattern or its replacement is" if "replacement" in job else "pattern is"
        raise InvalidPatternError(f"The {what} not valid: {result['invalid']}.")
    return result
