"""Parts that know nothing of tools: files, escaping, suggestions, child processes."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
"""Bytes, as limits of sizes are written."""
