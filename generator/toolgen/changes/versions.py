"""Check versions against changes, as Semantic Versioning 2.0.0 has it (https://semver.org)."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import Contract
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.policy import UNANALYSED
from toolgen.changes.table import RULES

_VERSION: Final = re.compile(
    r"(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?",
    re.ASCII,
)


_MAX_LENGTH: Final = 255  # characters


class Bump(enum.IntEnum):
    """How far one version is from another."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A semantic version, in the order of section 11. Build metadata is left out: it has no order."""

    core: tuple[int, int, int]
    is_release: bool = True  # after its pre-releases
    pre_release: tuple[tuple[int, int, str], ...] = ()  # numbers, which are below words, and words

    @staticmethod
    def parse(text: str) -> Version | None:
        """Return the version that `text` is; None if it is none."""
        found = _VERSION.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        if found is None:
            return None
        parts = found["pre"].split(".") if found["pre"] else []
        pre = tuple((0, int(each), "") if each.isdigit() else (1, 0, each) for each in parts)
        return Version((int(found["major"]), int(found["minor"]), int(found["patch"])), not pre, pre)

    def bump_to(self, other: Version) -> Bump:
        """Return which number of this version is raised in `other`."""
        for before, after, bump in zip(
            self.core, other.core, (Bump.MAJOR, Bump.MINOR, Bump.PATCH), strict=True
        ):
            if after > before:
                return bump
        if not self.is_release and self < other:
            return Bump.MAJOR  # a pre-release promises nothing
        return Bump.NONE


def version_findings(old: Contract, new: Contract, findings: Collection[Finding]) -> Iterator[Finding]:
    """Yield what is wrong with the version of `new`, of which `findings` are all that is known."""
    before, after = old.spec.version, new.spec.version
    # Without a version before, there is nothing to compare with.
    if before is None or "version" not in new.knows or "version" not in old.knows:
        return
    if after is None:
        yield _finding("version-invalid", old, new, f"version {quoted(before)} removed")
        return
    first, second = Version.parse(before), Version.parse(after)
    if second is None:
        yield _finding("version-invalid", old, new, f"{quoted(after)} is not a semantic version")
    elif first is not None and second < first:
        yield _finding("version-decreased", old, new, f"version lowered from {before} to {after}")
    elif first is not None:
        wanted = wanted_bump(findings, first)
        if first.bump_to(second) < wanted:
            why = _REASONS[max(_bump(finding) for finding in findings)]
            message = f"{why} asks for a {wanted.name.lower()} version after {before}; it is {after}"
            yield _finding("version-not-bumped", old, new, message, detail=wanted.name.lower())


_REASONS: Final = {
    Bump.MAJOR: "a break",
    Bump.MINOR: "a change of the contract",
    Bump.PATCH: "a new text",
}


def wanted_bump(findings: Collection[Finding], version: Version) -> Bump:
    """Return the bump that findings ask for. Below 1.0.0, each is one smaller (section 4)."""
    bump = max((_bump(finding) for finding in findings), default=Bump.NONE)
    return Bump(max(bump - 1, Bump.PATCH)) if version.core[0] == 0 and bump else bump


def _bump(finding: Finding) -> Bump:
    if finding.category is Category.AGENT:
        return Bump.PATCH
    concerns_users = (
        finding.category in (Category.WIRE, Category.SOURCE, Category.SAFETY) and not finding.accepted
    )
    breaks = finding.level is Level.ERROR or finding.code == UNANALYSED
    return Bump.MAJOR if concerns_users and breaks else Bump.MINOR


def _finding(code: str, old: Contract, new: Contract, message: str, detail: str = "") -> Finding:
    places = Places(new.place("version"), old.place("version"))
    return RULES[code].finding(new.name, "/version", message, places, detail=detail)
