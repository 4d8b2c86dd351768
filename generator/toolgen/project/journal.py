"""What a run is about to write, noted before it writes: a later one knows the files of a killed one by it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

STAGE = ".toolgen-stage"
JOURNAL = "journal.json"


def read_journal(root: Path) -> dict[str, list[str]]:
    """Path below `root` → hashes of what killed runs may have left there; none: the file was to be removed.

    Only paths that stay below `root`; empty where nothing can be read.
    """
    from toolgen.project.manifest import is_inside

    try:
        content = json.loads((root / STAGE / JOURNAL).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, Mapping):
        return {}
    return {
        path: [digest for digest in digests if isinstance(digest, str)]
        for path, digests in content.items()
        if is_inside(path) and isinstance(digests, list)
    }


def write_journal(stage: Path, left: Mapping[str, list[str]], coming: Mapping[str, str | None]) -> None:
    """Note what is coming beside what was left, in one step: killed at any moment, `left` is not lost."""
    content = {path: list(digests) for path, digests in left.items()}
    for path, digest in coming.items():
        known = content.setdefault(path, [])
        if digest is not None and digest not in known:
            known.append(digest)
    new = stage / f"{JOURNAL}.new"
    new.write_text(json.dumps(content), encoding="utf-8", newline="\n")
    os.replace(new, stage / JOURNAL)
