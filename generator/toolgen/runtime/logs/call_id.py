"""Ids of calls: in log records, in events, and in the references of internal errors."""

from __future__ import annotations

import os
from random import Random

_random = Random(os.urandom(32))  # an application that seeds `random` must not make ids repeat
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _random.seed(os.urandom(32)))


def new_call_id() -> str:
    """Return 16 hexadecimal digits. Not a secret."""
    return _random.randbytes(8).hex()
