"""Model → Tree: strict Jinja over the templates of every target; a template's path is its output's path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import jinja2

from toolgen.data.bug import TemplateBug
from toolgen.data.model import Model
from toolgen.data.target import Target
from toolgen.data.tree import Tree
from toolgen.python.source import comment, docstring, literal

_ENDING = ".jinja"
TOOL = "{tool}"
"""Stands in the path of a template that is printed once for each tool."""


def render(model: Model, targets: Sequence[Target]) -> Tree:
    """The text of every template: once for each tool where its path has `{tool}`, else once.

    What begins with `_` is for templates to include and is not printed. Raises `TemplateBug`.
    """
    trees = [render_index(model, targets), *render_tools(model, targets).values()]
    return _joined((path, text, "") for tree in trees for path, text in tree.items())


def render_tools(model: Model, targets: Sequence[Target]) -> dict[str, Tree]:
    """Python name of a tool → the files that are printed of it alone. Raises `TemplateBug`."""
    printers = [
        (output, target.name, printer)
        for target in targets
        for output, printer in _printers(target)
        if TOOL in output
    ]
    return {
        tool.py_name: _joined(
            (output.replace(TOOL, tool.py_name), printer(model=model, tool=tool), name)
            for output, name, printer in printers
        )
        for tool in model.tools
    }


def render_index(model: Model, targets: Sequence[Target]) -> Tree:
    """The files that are printed of all tools together. Raises `TemplateBug`."""
    return _joined(
        (output, printer(model=model), target.name)
        for target in targets
        for output, printer in _printers(target)
        if TOOL not in output
    )


def _joined(files: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    tree: dict[str, str] = {}
    for path, text, target in files:
        if path in tree:
            where = f"; the second is of the target {target!r}" if target else ""
            raise TemplateBug(f"two templates print {path}{where}")
        tree[path] = text
    return tree


def outputs_of(target: Target) -> Mapping[str, str]:
    """Template → the path of what it prints, which has `{tool}` in it where each tool has its own."""
    return {
        path: path.removesuffix(_ENDING)
        for path in sorted(target.templates)
        if path.endswith(_ENDING) and not any(part.startswith("_") for part in _folders(path))
    }


def _printers(target: Target) -> Iterator[tuple[str, Callable[..., str]]]:
    """The path that each template of `target` prints, and what prints it."""
    environment = _environment(tuple(sorted(target.templates.items())))

    def printer(path: str) -> Callable[..., str]:
        def text(**names: object) -> str:
            try:
                return environment.get_template(path).render(**names)
            except jinja2.TemplateError as error:
                raise TemplateBug(f"template {target.name}/{path}: {error}") from error

        return text

    for path, output in outputs_of(target).items():
        yield output, printer(path)


def _folders(path: str) -> list[str]:
    *folders, name = path.split("/")
    return folders if name.startswith("__init__.") else [*folders, name]


@lru_cache(maxsize=16)
def _environment(templates: tuple[tuple[str, str], ...]) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(dict(templates)),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = {"literal": literal, "docstring": docstring, "comment": comment}
    environment.filters.update(filters)
    return environment
