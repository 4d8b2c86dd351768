"""The classes of the models template beside those that the model engine prints for the same description."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolgen.compile.models import model_modules, tool_classes
from toolgen.compile.render import models_path, render_tools
from toolgen.data.package import Package
from toolgen.data.target import Target
from toolgen.models.engine import print_modules


@dataclass(slots=True)
class ModelComparison:
    """How many tools have their models from the template, and which of these differ from the engine's."""

    by_template: int = 0
    by_engine: int = 0
    differing: list[str] = field(default_factory=list)  # tools, each with its first class that differs

    def __str__(self) -> str:
        tools = self.by_template + self.by_engine
        share = 100 * self.by_template / tools if tools else 100
        return (
            f"models of {self.by_template:,} of {tools:,} tools by template ({share:.1f} %), "
            f"{self.by_template - len(self.differing):,} equal to the engine's"
        )

    def add(self, other: ModelComparison) -> None:
        """Count another corpus, too."""
        self.by_template += other.by_template
        self.by_engine += other.by_engine
        self.differing += other.differing


def compare_models(package: Package, targets: Sequence[Target]) -> ModelComparison:
    """Compare the classes of each tool: fields, types, constraints, aliases, defaults and docstrings."""
    modules = model_modules(package, {})
    plain = [tool for tool in package.tools if not modules[tool.py_name].printed]
    trees = render_tools(package, targets, modules)
    wanted = print_modules([tool_classes(tool) for tool in plain])
    differing: list[str] = []
    for tool, engine in zip(plain, wanted, strict=True):
        if name := _first_difference(trees[tool.py_name][models_path(tool.py_name)], engine):
            differing.append(f"{tool.wire_name}: {name} is not what the model engine prints")
    return ModelComparison(len(plain), len(package.tools) - len(plain), differing)


def _first_difference(ours: str, engine: str) -> str:
    """Return the name of the first class that differs; empty if none does."""
    mine, theirs = _classes(ours), _classes(engine)
    if list(mine) != list(theirs):
        return "the order of classes"
    return next((name for name, dump in mine.items() if theirs[name] != dump), "")


def _classes(code: str) -> Mapping[str, str]:
    nodes: Iterable[ast.stmt] = ast.parse(code).body
    return {node.name: ast.dump(node) for node in nodes if isinstance(node, ast.ClassDef)}
