"""How the output folder drifted from the specs, and why: what `check` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from io import StringIO
from typing import Any

from toolgen.cli.building.project_build import Plan
from toolgen.data.changes import Change, ChangeKind
from toolgen.project.manifest import NAME, manifest_text, parse_manifest


@dataclass(frozen=True, slots=True)
class Drift:
    """What differs, and what moved. Paths are relative to the project."""

    changes: tuple[Change, ...]
    origins: Mapping[str, str]  # changed file → the spec that it comes from, where it is one
    specs: Mapping[str, str]  # spec → "edited", "added" or "removed" since the last `generate`
    uses: Mapping[str, tuple[str, ...]]  # spec → the files of shared schemas that it uses
    toolchain: Mapping[str, tuple[str, str]]  # distribution → its version then and now

    @property
    def clean(self) -> bool:
        """Whether there is nothing to mend. Other versions that generate the same are nothing to mend."""
        return not self.changes


def of(plan: Plan) -> Drift:
    """What of `plan` a reader of `check` is told."""
    then, now, below = plan.ours.manifest, plan.manifest, plan.project.output
    known = parse_manifest(plan.ours.text or "") is not None
    changes = [replace(change, path=f"{below}/{change.path}") for change in plan.changes]
    origins = {f"{below}/{p}": o.spec for m in (then, now) for p, o in m.outputs.items() if o.spec}
    own = _manifest_change(plan, known)
    if own and (not changes or own.kind is not ChangeKind.CHANGED):
        changes.append(own)
    return Drift(
        changes=tuple(changes),
        origins={change.path: origins[change.path] for change in changes if change.path in origins},
        specs=_moved(then.inputs, now.inputs) if known else {},
        uses=plan.uses,
        toolchain={
            name: (then.toolchain.get(name, "none"), now.toolchain.get(name, "none"))
            for name in sorted(then.toolchain.keys() | now.toolchain.keys())
            if known and then.toolchain.get(name) != now.toolchain.get(name)
        },
    )


def _manifest_change(plan: Plan, known: bool) -> Change | None:
    """The manifest's own difference, other versions of the toolchain left aside."""
    text, then, now = plan.ours.text, plan.ours.manifest, plan.manifest
    expected = replace(now, toolchain=then.toolchain)
    if then.toolchain.get("toolgen") != now.toolchain.get("toolgen"):
        expected = replace(expected, templates=then.templates)
    kind = ChangeKind.MISSING if text is None else ChangeKind.CHANGED if known else ChangeKind.EDITED
    path, after = f"{plan.project.output}/{NAME}", manifest_text(expected if known else now)
    return None if text == after else Change(kind, path, text, after)


def _moved(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    return {
        path: "added" if path not in then else "removed" if path not in now else "edited"
        for path in sorted(then.keys() | now.keys())
        if then.get(path) != now.get(path)
    }


def lines(drift: Drift, with_diff: bool) -> Iterator[str]:
    """The drift as text: what moved, which files it touches, how they differ."""
    touched = _touched(drift)
    for spec, word in drift.specs.items():
        yield f"SPEC {spec} was {word}" + (f": {', '.join(touched[spec])}" if spec in touched else "")
    yield from toolchain_lines(drift)
    for change in drift.changes:
        origin = drift.origins.get(change.path)
        yield f"{change.kind} {change.path}" + (f" (from {origin})" if origin else "")
    if with_diff:
        for change in drift.changes:
            yield from _diff(change)


def _touched(drift: Drift) -> dict[str, list[str]]:
    """Spec → the changed files that come from it alone, or from one that uses it."""
    touched: dict[str, list[str]] = {}
    for path, origin in drift.origins.items():
        for spec in {origin, *drift.uses.get(origin, ())}:
            touched.setdefault(spec, []).append(path)
    return touched


def toolchain_lines(drift: Drift) -> Iterator[str]:
    """What toolgen stands on, where it is not what generated the files."""
    for name, (then, now) in drift.toolchain.items():
        yield f"TOOLCHAIN {name} {then} → {now}"


def as_data(drift: Drift) -> dict[str, Any]:
    """The drift as JSON data."""
    touched = _touched(drift)
    return {
        "clean": drift.clean,
        "changes": [
            {
                "kind": change.kind.value,
                "path": change.path,
                "spec": drift.origins.get(change.path),
                "diff": "\n".join(_diff(change)),
            }
            for change in drift.changes
        ],
        "specs": [
            {"path": path, "change": word, "affects": touched.get(path, [])}
            for path, word in drift.specs.items()
        ],
        "toolchain": [{"name": name, "then": t, "now": n} for name, (t, n) in drift.toolchain.items()],
    }


def _diff(change: Change) -> Iterator[str]:
    """Unified, as `git apply` takes it: from what is on disk to what should be."""
    before = "/dev/null" if change.before is None else f"a/{change.path}"
    after = "/dev/null" if change.after is None else f"b/{change.path}"
    old, new = _lines(change.before), _lines(change.after)
    for line in unified_diff(old, new, before, after):
        text = line.encode("utf-8", "backslashreplace").decode().rstrip("\n")
        yield (
            text
            if line.endswith("\n") or line[:3] in ("---", "+++", "@@ ")
            else f"{text}\n\\ No newline at end of file"
        )


def _lines(text: str | None) -> list[str]:
    return list(StringIO(text or "", newline="\n"))  # at "\n" only: `splitlines` knows ten more line ends
