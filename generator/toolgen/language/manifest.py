"""The manifest: what was generated from what, with which tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
