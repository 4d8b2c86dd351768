"""The classes of the models template beside those that the model engine prints for the same description."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from toolgen.compile.models.engine import engine_source, print_classes
from toolgen.compile.models.module_source import ModelModules, ModuleSource, module_source
from toolgen.compile.models.shared_classes import ModuleClasses, shared_classes
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import tool_classes
from toolgen.compile.printing.render import RenderedFiles, render_shared, render_tools
from toolgen.compile.printing.tool_source import package_sources
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import SharedFile
from toolgen.language.target import Target


@dataclass(slots=True)
class ModelComparison:
    """How many tools have their models from the template, and which of these differ."""

    by_template: int = 0
    by_engine: int = 0
    differing: list[str] = field(default_factory=list)  # tools: the first class that differs, or the layout


def compare_specs(texts: Mapping[str, bytes], targets: Sequence[Target]) -> ModelComparison:
    """Compare the models of specs, those of shared files included."""
    program = analyze(texts, targets)
    return compare_models(lower(program, PackageSettings()), targets, program.shared)


def compare_models(
    package: Package, targets: Sequence[Target], shared: Mapping[str, SharedFile] = MappingProxyType({})
) -> ModelComparison:
    """Compare the classes of each tool: fields, types, constraints, aliases, defaults, docstrings, layout.

    The classes of `shared` files are compared, too, and not counted. The engine has no named types: they are
    written out in both.
    """
    known = shared_classes(shared)
    files = {path: module.without_types() for path, module in known.modules.items() if module.classes}
    tools = {tool.py_name: tool_classes(tool, known).without_types() for tool in package.tools}
    modules = ModelModules(_by_template(tools), _by_template(files))
    plain = replace(
        package,
        tools=tuple(tool for tool in package.tools if tool.py_name in modules.tools),
        shared=tuple(file for file in package.shared if file.path in modules.shared),
    )
    printed = _printed_modules(plain, targets, modules, shared)
    by_key = {**modules.tools, **modules.shared}
    by_engine = ModelModules(
        {name: engine_source(tools[name], print_classes(tools[name])) for name in modules.tools},
        {path: engine_source(files[path], print_classes(files[path])) for path in modules.shared},
    )
    wanted = [each.text for each in _printed_modules(plain, targets, by_engine, shared)]
    laid_out = {f"{n}.py": each.text for n, each in enumerate(printed) if by_key[each.key].laid_out}
    formatted = format_tree(laid_out)
    differing: list[str] = []
    for number, (each, engine) in enumerate(zip(printed, wanted, strict=True)):
        path = f"{number}.py"
        if name := _first_difference(each.text, engine):
            differing.append(f"{each.shown}: {name} is not what the model engine prints")
        elif path in laid_out and laid_out[path] != formatted[path]:
            differing.append(f"{each.shown}: the formatter changes the models")
    return ModelComparison(len(plain.tools), len(package.tools) - len(plain.tools), differing)


@dataclass(frozen=True, slots=True)
class _PrintedModels:
    """The models that the template printed for a tool or a shared file."""

    key: str
    shown: str
    text: str


def _printed_modules(
    package: Package,
    targets: Sequence[Target],
    modules: ModelModules,
    shared: Mapping[str, SharedFile],
) -> list[_PrintedModels]:
    sources = package_sources(package, modules, shared)
    tools = {tool.py_name: tool.wire_name for tool in package.tools}
    files = {file.path: file.path for file in package.shared}
    return [
        *_printed(tools, render_tools(package, targets, sources)),
        *_printed(files, render_shared(package, targets, sources)),
    ]


def _by_template(modules: Mapping[str, ModuleClasses]) -> dict[str, ModuleSource]:
    found = {name: module_source(made) for name, made in modules.items()}
    return {name: source for name, source in found.items() if source is not None}


def _printed(shown: Mapping[str, str], rendered: Mapping[str, RenderedFiles]) -> Iterator[_PrintedModels]:
    for key, name in shown.items():
        (text,) = (text for path, text in rendered[key].tree.items() if path.startswith("models/"))
        yield _PrintedModels(key, name, text)


def _first_difference(ours: str, engine: str) -> str:
    """Return the name of the first class that differs; empty if none does."""
    mine, theirs = _classes(ours), _classes(engine)
    if list(mine) != list(theirs):
        return "the order of classes"
    return next((name for name, dump in mine.items() if theirs[name] != dump), "")


def _classes(code: str) -> Mapping[str, str]:
    nodes: Iterable[ast.stmt] = ast.parse(code).body
    return {node.name: ast.dump(node) for node in nodes if isinstance(node, ast.ClassDef)}
