"""Paths of the corpus: the large one of public documents, or the small one in this folder."""

from __future__ import annotations

from pathlib import Path

from tools.corpus.__main__ import SHARED

SAMPLE = Path(__file__).parent / "corpus_sample"


def is_shared(name: str) -> bool:
    """True if the large corpus is there and has this file or folder."""
    return (SHARED / name).exists()


def corpus(name: str) -> Path:
    """Return the path of a file or folder of the corpus."""
    return (SHARED if is_shared(name) else SAMPLE) / name


def at_least(name: str, count: int) -> int:
    """Return how much a test of this file must have covered: `count` in the large corpus, 1 in the small one."""
    return count if is_shared(name) else 1
