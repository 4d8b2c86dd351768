"""The manifest: what was generated from what, with which tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A generated file as it was written."""

    sha256: str  # hex, of the file's bytes with LF for CRLF
    spec: str | None = None  # the spec it was generated from; None: from all of them
    other_sides: frozenset[str] = frozenset()  # its hashes on the other sides of a merge of manifests

    def is_content(self, sha256: str) -> bool:
        """True if content with this hash is the file's, or may be what a merge of its versions left."""
        # git merges manifests line by line, so that one file can have the hashes of both sides.
        return sha256 == self.sha256 or bool(self.other_sides)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One run of `generate`; empty if there was none."""

    toolchain: Mapping[str, str] = field(default_factory=dict)  # distribution → version
    templates: str = ""  # digest of the targets' template texts
    options: str = ""  # digest of the settings that change what is generated
    inputs: Mapping[str, str] = field(default_factory=dict)  # posix path below the project → sha256
    outputs: Mapping[str, GeneratedFile] = field(default_factory=dict)  # posix path below the output folder
