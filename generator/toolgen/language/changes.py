"""Generated files, and how the files on disk differ from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A generated file as it was written."""

    sha256: str  # hex, of the file's bytes with LF for CRLF; empty: the sides of a merge differ
    spec: str | None = None  # the spec it was generated from; None: from all of them

    def is_content(self, sha256: str) -> bool:
        """True if content with this hash is the file's, or may be what a merge of its versions left."""
        return self.sha256 in ("", sha256)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One run of `generate`; empty if there was none."""

    toolchain: Mapping[str, str] = field(default_factory=dict)  # distribution → version
    templates: str = ""  # digest of the targets' template texts
    options: str = ""  # digest of the settings that change what is generated
    inputs: Mapping[str, str] = field(default_factory=dict)  # posix path below the project → sha256
    outputs: Mapping[str, GeneratedFile] = field(default_factory=dict)  # posix path below the output folder


Tree = Mapping[str, str]
"""Posix path below the output folder → text."""


@dataclass(frozen=True, slots=True)
class FileSummary:
    """A generated file without its text."""

    digest: str
    source: str  # the spec that its header names, as it is shown there; empty if there is none


class SummarizedFiles(Protocol):
    """Files with their summaries, by the same paths. Reading `files` may be expensive."""

    @property
    def file_summaries(self) -> Mapping[str, FileSummary]: ...

    @property
    def files(self) -> Tree: ...


class PackageTree(Mapping[str, str]):
    """All files of a package: path → text, which is decoded when it is needed."""

    def __init__(self, specs: Iterable[SummarizedFiles], index: Tree) -> None:
        self._index = index
        self._specs = {path: spec for spec in specs for path in spec.file_summaries}

    def __getitem__(self, path: str) -> str:
        return self._index[path] if path in self._index else self._specs[path].files[path]

    def __contains__(self, path: object) -> bool:
        return path in self._index or path in self._specs

    def __iter__(self) -> Iterator[str]:
        yield from self._specs
        yield from self._index

    def __len__(self) -> int:
        return len(self._specs) + len(self._index)

    def summary(self, path: str) -> FileSummary | None:
        """Return the summary of a file of a spec, whose text is not decoded; None for any other file."""
        spec = self._specs.get(path)
        return spec.file_summaries[path] if spec else None


class ChangeKind(StrEnum):
    """How a file on disk differs from what would be generated."""

    CHANGED = "CHANGED"  # as last generated or merged; the specs or the toolchain have changed since
    MISSING = "MISSING"  # not on disk
    EXTRA = "EXTRA"  # as last generated, and no longer generated
    EDITED = "EDITED"  # not as toolgen wrote it


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs. No `before`: it would be created. No `after`: it would be deleted."""

    kind: ChangeKind
    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What `generate` has done. Paths are relative to the project."""

    tools: int
    written: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()  # of the written ones: they had been edited
    kept: tuple[str, ...] = ()  # no longer generated, but edited
