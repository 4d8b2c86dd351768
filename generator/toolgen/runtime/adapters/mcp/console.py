"""What a server says to the person who started it."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """One line on stderr: stdout is the protocol's."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
