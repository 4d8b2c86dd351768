"""The catalogue of a project on disk. When specs change, only these and their users are compiled again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

from toolgen.changes.comparing.judgement import Judgement, judge
from toolgen.changes.finding import Category
from toolgen.documents.catalogue import ChangesSince, catalogue, tool_entries
from toolgen.language.program import Program
from toolgen.project import load_targets
from toolgen.project.building.project_build import Inputs, program_of, read_inputs
from toolgen.schema.document import JsonObject


@dataclass(slots=True)
class ProjectCatalogue:
    """The catalogue of the project at or above `start`. Runs no code of the project."""

    start: str
    judgement: Judgement | None = None  # what changed since another version
    against: str = ""  # that version
    program: Program = field(default_factory=lambda: Program(()))  # of the specs that were read last
    _inputs: Inputs | None = None
    _entries: dict[str, JsonObject] = field(default_factory=dict)

    def read(self) -> JsonObject:
        """Read the project if it has changed since the last call; return the document.

        Raises `SpecErrors` or `UnableError`; then the next call reads the project again.
        """
        inputs = _as_if_named(read_inputs(self.start))
        if inputs != self._inputs:
            self.program = program_of(inputs)
            self._entries = tool_entries(self.program, inputs.targets, inputs.settings)
            self._inputs = inputs
        return self.document()

    def document(self) -> JsonObject:
        """Return the document of what was read last."""
        assert self._inputs is not None
        changes = None if self.judgement is None else ChangesSince(self.against, self.judgement.findings)
        return catalogue(self.program, self._entries, self._inputs.targets, self._inputs.settings, changes)

    def compare(self, against: str, today: date) -> Judgement:
        """Compare the project with another version, which `document` shows from now on.

        `against` is as for `breaking`; `today` decides about sunsets. Raises `SpecErrors` and `UnableError`.
        """
        found = judge(against, self.start, today=today, categories=frozenset(Category))
        self.judgement, self.against = found, against
        return found


def _as_if_named(inputs: Inputs) -> Inputs:
    """Return the inputs as if the configuration named its targets: every loss of a dialect is reported."""
    names = tuple(each.name for each in inputs.targets if each.tool_name)
    if not names:
        return inputs
    project = replace(inputs.project, targets=names)
    return Inputs(project, inputs.specs, load_targets(project))
