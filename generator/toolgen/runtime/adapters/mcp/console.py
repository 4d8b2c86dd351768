"""Messages of a server to the person who started it."""

from __future__ import annotations

import sys


def print_message(line: str) -> None:
    """Print one line to stderr; stdout is for the protocol."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
