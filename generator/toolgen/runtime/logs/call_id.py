"""Ids of calls: in log records, in events, and in the references of internal errors."""

from __future__ import annotations

import os
from random import Random

_random = Random()  # an application that seeds `random` must not make ids repeat
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def new_call_id() -> str:
    """Return 16 hexadecimal digits. Not a secret."""
    return _random.randbytes(8).hex()
