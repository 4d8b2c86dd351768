"""Compile a new spec before it is written."""

from __future__ import annotations

from toolgen.cli.building.project_build import Inputs, model_of, program_of
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.package import Tool
from toolgen.project import Project, UnableError, load_targets, read_specs


def compile_new_spec(project: Project, name: str, spec: str, text: str) -> Tool:
    """Compile `text` together with the existing specs; return its tool `name`, or raise its `SpecErrors`."""
    path = spec.removeprefix(f"{project.specs}/")
    alone = Inputs(project, {path: text.encode()}, load_targets(project))
    try:
        others = read_specs(project)
    except UnableError:  # there are no specs yet
        others = {}
    together = Inputs(project, {**others, path: text.encode()}, alone.targets)
    try:
        program = program_of(together)
        inputs = together
    except SpecErrors as errors:
        ours = [fault for fault in errors.diagnostics if spec in _files(fault)]
        if ours:
            raise SpecErrors(ours) from errors
        program = program_of(alone)  # `generate` reports errors in the others
        inputs = alone
    return next(tool for tool in model_of(program, inputs).tools if tool.wire_name == name)


def _files(fault: Diagnostic) -> set[str]:
    return {fault.span.file, *(note.span.file for note in fault.notes)}
