"""The classes of the models template beside those that the model engine prints for the same description."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import tool_classes
from toolgen.compile.printing.render import models_path, render_tools
from toolgen.compile.printing.tool_source import tool_source
from toolgen.data.package import Package, PackageSettings
from toolgen.data.target import Target
from toolgen.models.engine import print_modules
from toolgen.models.module_source import is_plain, module_source
from toolgen.pipeline import analyze
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.targets import load_targets


@dataclass(slots=True)
class ModelComparison:
    """How many tools of a corpus have their models from the template, and which of these differ."""

    corpus: str = ""
    by_template: int = 0
    by_engine: int = 0
    differing: list[str] = field(default_factory=list)  # tools: the first class that differs, or the layout

    @property
    def tools(self) -> int:
        """All tools."""
        return self.by_template + self.by_engine

    def add(self, other: ModelComparison) -> None:
        """Count the tools of another comparison, too."""
        self.by_template += other.by_template
        self.by_engine += other.by_engine
        self.differing += other.differing


def models_table(comparisons: Iterable[ModelComparison]) -> str:
    """Return the table of docs/fidelity.md, one line a corpus, and one for all."""
    rows = [each for each in comparisons if each.tools]
    total = ModelComparison("all")
    for each in rows:
        total.add(each)
    lines = ["| corpus | tools | models by template | equal to the engine's |", "| --- | --- | --- | --- |"]
    for each in (*rows, total):
        share = f"{each.by_template:,} ({100 * each.by_template / max(1, each.tools):.1f} %)"
        equal = each.by_template - len(each.differing)
        lines.append(f"| {each.corpus} | {each.tools:,} | {share} | {equal:,} |")
    return "\n".join(lines)


def compare_project(root: Path) -> ModelComparison:
    """Compare the models of the project in the folder `root`."""
    specs = root / "specs"
    texts = {path.relative_to(specs).as_posix(): path.read_bytes() for path in specs.rglob("*.yaml")}
    targets = load_targets(Project(root, "toolgen.toml", "", targets=()))
    return compare_models(lower(analyze(texts, targets), PackageSettings()), targets)


def compare_models(package: Package, targets: Sequence[Target]) -> ModelComparison:
    """Compare the classes of each tool: fields, types, constraints, aliases, defaults, docstrings, layout."""
    made = {tool.py_name: tool_classes(tool) for tool in package.tools}
    plain = tuple(tool for tool in package.tools if is_plain(made[tool.py_name].classes))
    modules = {tool.py_name: module_source(made[tool.py_name]) for tool in plain}
    sources = {tool.py_name: tool_source(tool, modules[tool.py_name]) for tool in plain}
    rendered = render_tools(replace(package, tools=plain), targets, sources)
    ours = {tool.py_name: rendered[tool.py_name].tree[models_path(tool.py_name)] for tool in plain}
    laid_out = {f"{name}.py": text for name, text in ours.items() if modules[name].laid_out}
    formatted = format_tree(laid_out)
    wanted = print_modules([made[tool.py_name].classes for tool in plain])
    differing: list[str] = []
    for tool, engine in zip(plain, wanted, strict=True):
        path = f"{tool.py_name}.py"
        if name := _first_difference(ours[tool.py_name], engine):
            differing.append(f"{tool.wire_name}: {name} is not what the model engine prints")
        elif path in laid_out and laid_out[path] != formatted[path]:
            differing.append(f"{tool.wire_name}: the formatter changes the models")
    return ModelComparison("", len(plain), len(package.tools) - len(plain), differing)


def _first_difference(ours: str, engine: str) -> str:
    """Return the name of the first class that differs; empty if none does."""
    mine, theirs = _classes(ours), _classes(engine)
    if list(mine) != list(theirs):
        return "the order of classes"
    return next((name for name, dump in mine.items() if theirs[name] != dump), "")


def _classes(code: str) -> Mapping[str, str]:
    nodes: Iterable[ast.stmt] = ast.parse(code).body
    return {node.name: ast.dump(node) for node in nodes if isinstance(node, ast.ClassDef)}
