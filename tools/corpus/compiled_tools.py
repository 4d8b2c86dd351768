"""Tools from schemas alone: compiled in memory, written to a folder, imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toolgen.compile.pipeline import compile_project
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.package import PackageSettings
from toolgen.language.targets.definition import Target
from toolgen.language.yaml12.writer import write
from toolgen.project.building.worker_pool import worker_pool
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.target_templates import load_targets
from toolgen.runtime import BaseTool

Tool = type[BaseTool[Any, Any]]


@contextmanager
def compile_tools(
    package: str, schemas: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Tool], Mapping[str, Diagnostic]]]:
    """Compile a tool for each schema, as its input and its output schema. Return tools and refusals by name.

    A refusal is the diagnostic of the first fault.
    """
    texts = {
        f"{name}.yaml": write(
            {"name": name, "description": "d", "input_schema": schema, "output_schema": schema}
        )
        for name, schema in schemas.items()
    }
    with TemporaryDirectory(prefix="toolgen-made-") as folder:
        targets = load_targets(Project(Path(folder), "toolgen.toml", "", targets=()))
        tree, refused = _compiled(texts, targets, PackageSettings(package=package, coerce=False))
        for path, text in tree.items():
            file = Path(folder, package, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            catalog = importlib.import_module(f"{package}.catalog")
            yield {name: catalog.tool_class(name) for name in schemas.keys() - refused.keys()}, refused
        finally:
            sys.path.remove(folder)
            for name in [name for name in sys.modules if name.partition(".")[0] == package]:
                del sys.modules[name]


def _compiled(
    texts: dict[str, str], targets: Sequence[Target], settings: PackageSettings
) -> tuple[Mapping[str, str], dict[str, Diagnostic]]:
    """Compile the specs without those that are refused; a step reports all errors that it finds."""
    refused: dict[str, Diagnostic] = {}
    while True:
        try:
            return compile_project(texts, targets, settings, {}, worker_pool).tree, refused
        except SpecErrors as errors:
            for fault in errors.diagnostics:
                path = fault.span.file.removeprefix(f"{settings.specs}/")
                if texts.pop(path, None) is not None:
                    refused[path.removesuffix(".yaml")] = fault
