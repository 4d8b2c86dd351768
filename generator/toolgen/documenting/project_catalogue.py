"""The catalogue of a project on disk, with what changed since another version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from toolgen.building.project_build import Inputs, package_of, program_of, read_inputs
from toolgen.comparing.sides import read_sides
from toolgen.compat.comparison import compare
from toolgen.data.program import Program
from toolgen.documenting.catalogue import CatalogueSource, ChangesSince, catalogue
from toolgen.project import load_targets
from toolgen.project.inputs.breaking_policy import read_policy
from toolgen.schema.document import JsonObject


@dataclass(frozen=True, slots=True)
class ProjectCatalogue:
    """The document of a project, and the specs that it was made from."""

    document: JsonObject
    program: Program
    notes: tuple[str, ...] = ()  # sentences for the user


def read_catalogue(start: str, *, against: str | None = None, today: date) -> ProjectCatalogue:
    """Return the catalogue of the project at or above `start`.

    `against` names another version, as for `breaking`; `today` decides about sunsets. Runs no code of the
    project. Raises `SpecErrors` and `UnableError`.
    """
    inputs = as_if_named(read_inputs(start))
    program = program_of(inputs)
    package = package_of(program, inputs)
    changes, notes = _changes(against, start, today) if against is not None else (None, ())
    source = CatalogueSource(program, package.tools, inputs.targets, inputs.settings, changes)
    return ProjectCatalogue(catalogue(source), program, notes)


def as_if_named(inputs: Inputs) -> Inputs:
    """Return the inputs as if the configuration named its targets: every loss of a dialect is reported."""
    names = tuple(each.name for each in inputs.targets if each.tool_name)
    if not names:
        return inputs
    project = replace(inputs.project, targets=names)
    return Inputs(project, inputs.specs, load_targets(project))


def _changes(against: str, start: str, today: date) -> tuple[ChangesSince, tuple[str, ...]]:
    sides = read_sides(against, start)
    findings = compare(sides.old, sides.new, policy=read_policy(start), today=today)
    return ChangesSince(against, findings), sides.notes
