"""Compare the output folder with the specs: the differences and their reasons, for `check`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolgen.compile.output_changes import with_lf
from toolgen.language.changes import Change, ChangeKind
from toolgen.project.building.project_build import OutputPlan
from toolgen.project.output.manifest import NAME, manifest_text, parse_manifest


@dataclass(frozen=True, slots=True)
class OutputDiff:
    """Differences between output and specs. Paths are relative to the project."""

    changes: tuple[Change, ...]
    origins: Mapping[str, str]  # changed file → the spec that it comes from, unless from all
    specs: Mapping[str, str]  # spec → "edited", "added" or "removed" since the last `generate`
    uses: Mapping[str, tuple[str, ...]]  # spec → the files of shared schemas that it uses
    toolchain: Mapping[str, tuple[str, str]]  # distribution → its version then and now

    @property
    def clean(self) -> bool:
        """True if no file differs. Other versions of the toolchain that generate the same do not count."""
        return not self.changes

    @property
    def affected(self) -> Mapping[str, list[str]]:
        """Return spec → the changed files that come from it, or from a spec that uses it."""
        affected: dict[str, list[str]] = {}
        for path, origin in self.origins.items():
            for spec in {origin, *self.uses.get(origin, ())}:
                affected.setdefault(spec, []).append(path)
        return affected


def compare_output(plan: OutputPlan) -> OutputDiff:
    """Return the differences that `plan` would remove."""
    then, now, output = plan.existing.manifest, plan.manifest, plan.project.output
    known = parse_manifest(plan.existing.text or "") is not None
    changes = [replace(change, path=f"{output}/{change.path}") for change in plan.changes]
    origins = {f"{output}/{p}": o.spec for m in (then, now) for p, o in m.outputs.items() if o.spec}
    own = _manifest_change(plan, known)
    if own and (not changes or own.kind is not ChangeKind.CHANGED):
        changes.append(own)
    return OutputDiff(
        changes=tuple(changes),
        origins={change.path: origins[change.path] for change in changes if change.path in origins},
        specs=_changed_specs(then.inputs, now.inputs) if known else {},
        uses=plan.shared_files,
        toolchain={
            name: (then.toolchain.get(name, "none"), now.toolchain.get(name, "none"))
            for name in sorted(then.toolchain.keys() | now.toolchain.keys())
            if known and then.toolchain.get(name) != now.toolchain.get(name)
        },
    )


def _manifest_change(plan: OutputPlan, known: bool) -> Change | None:
    """Return the change of the manifest itself, apart from versions of the toolchain."""
    text, then, now = plan.existing.text, plan.existing.manifest, plan.manifest
    expected = replace(now, toolchain=then.toolchain)
    # built-in templates come with toolgen: others are no change of the project
    if then.toolchain.get("toolgen") != now.toolchain.get("toolgen"):
        expected = replace(expected, templates=then.templates)
    is_ours = known or bool(then.outputs)
    kind = ChangeKind.MISSING if text is None else ChangeKind.CHANGED if is_ours else ChangeKind.EDITED
    path, after = f"{plan.project.output}/{NAME}", manifest_text(expected if known else now)
    return None if with_lf(text or "") == after else Change(kind, path, text, after)


def _changed_specs(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    return {
        path: "added" if path not in then else "removed" if path not in now else "edited"
        for path in sorted(then.keys() | now.keys())
        if then.get(path) != now.get(path)
    }
