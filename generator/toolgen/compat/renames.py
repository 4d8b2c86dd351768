"""Find the tools that have another name in the new version."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.compat.contract import Contract


def find_renames(old: Mapping[str, Contract], new: Mapping[str, Contract]) -> dict[str, str]:
    """Return former name → name, for tools of `old` that `new` has under another name only."""
    aliases = {alias: name for name, each in new.items() for alias in each.spec.aliases}
    return {name: aliases[name] for name in old if name not in new and name in aliases}
