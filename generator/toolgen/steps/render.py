"""Model → Tree: strict Jinja over the templates of every target; a template's path is its output's path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jinja2

from toolgen.data.bug import TemplateBug
from toolgen.data.model import Model
from toolgen.data.target import Target
from toolgen.data.tree import Tree
from toolgen.python.source import comment, docstring, literal

_ENDING = ".jinja"


def render(model: Model, targets: Sequence[Target]) -> Tree:
    """The text of every template: once for each tool where its path has `{tool}`, else once.

    What begins with `_` is for templates to include and is not printed. Raises `TemplateBug`.
    """
    tree: dict[str, str] = {}
    for target in targets:
        for path, text in _printed(model, target):
            if path in tree:
                raise TemplateBug(f"two templates print {path}; the second is of the target {target.name!r}")
            tree[path] = text
    return tree


def _printed(model: Model, target: Target) -> Iterator[tuple[str, str]]:
    environment = _environment(target.templates)
    for path in sorted(target.templates):
        if not path.endswith(_ENDING) or any(part.startswith("_") for part in _folders(path)):
            continue
        output = path.removesuffix(_ENDING)
        try:
            template = environment.get_template(path)
            if "{tool}" in path:
                for tool in model.tools:
                    yield output.replace("{tool}", tool.py_name), template.render(model=model, tool=tool)
            else:
                yield output, template.render(model=model)
        except jinja2.TemplateError as error:
            raise TemplateBug(f"template {target.name}/{path}: {error}") from error


def _folders(path: str) -> list[str]:
    *folders, name = path.split("/")
    return folders if name.startswith("__init__.") else [*folders, name]


def _environment(templates: Mapping[str, str]) -> jinja2.Environment:
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
