"""Package to files: strict Jinja over the templates of every target; a template's path is its output's path.

Built-in templates are rendered here. A target with templates of the project's own is rendered in a sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import jinja2

from toolgen.compile.printing.template_sandbox import (
    FILTERS,
    OPTIONS,
    TemplateJob,
    render_in_sandbox,
    template_names,
)
from toolgen.compile.printing.tool_source import ToolSource
from toolgen.data.changes import Tree
from toolgen.data.internal_error import TemplateBug
from toolgen.data.package import Package
from toolgen.data.target import Target
from toolgen.python_source.text_width import is_width_known

_ENDING = ".jinja"
TOOL = "{tool}"
"""In the path of a template: it is rendered once for each tool."""
_MODELS = f"models/{TOOL}.py"


@dataclass(frozen=True, slots=True)
class RenderedFiles:
    """Files of the generated package, some of which the formatter has yet to lay out."""

    tree: Tree
    unformatted: frozenset[str] = frozenset()  # paths


@dataclass(frozen=True, slots=True)
class _RenderedFile:
    path: str
    text: str
    target: str
    laid_out: bool


def render_tools(
    package: Package, targets: Sequence[Target], sources: Mapping[str, ToolSource]
) -> dict[str, RenderedFiles]:
    """Return the files of each tool by its Python name; `sources` has what they print, by the same names.

    Raises `TemplateBug`, or `SpecErrors` for a template of the project's own.
    """
    files: dict[str, list[_RenderedFile]] = {tool.py_name: [] for tool in package.tools}
    for target in targets:
        outputs = {path: output for path, output in outputs_of(target).items() if TOOL in output}
        jobs = [TemplateJob(path, number) for number in range(len(package.tools)) for path in outputs]
        texts = iter(_texts(target, package, jobs, sources))
        for tool in package.tools:
            source = sources[tool.py_name]
            for template, output in outputs.items():
                text = next(texts)
                is_laid_out = source.module.laid_out or output != _MODELS
                files[tool.py_name].append(
                    _RenderedFile(
                        output.replace(TOOL, tool.py_name),
                        text,
                        target.name,
                        is_laid_out and _needs_no_formatter(target, template, text),
                    )
                )
    return {name: _together(rendered) for name, rendered in files.items()}


def render_index(package: Package, targets: Sequence[Target]) -> RenderedFiles:
    """Return the files that all tools share. Raises as `render_tools`."""
    files: list[_RenderedFile] = []
    for target in targets:
        outputs = {path: output for path, output in outputs_of(target).items() if TOOL not in output}
        texts = _texts(target, package, [TemplateJob(path) for path in outputs])
        files += (
            _RenderedFile(output, text, target.name, _needs_no_formatter(target, path, text))
            for (path, output), text in zip(outputs.items(), texts, strict=True)
        )
    return _together(files)


def models_path(py_name: str) -> str:
    """Return the path of a tool's models below the output folder."""
    return _MODELS.replace(TOOL, py_name)


def _needs_no_formatter(target: Target, template: str, text: str) -> bool:
    """True if a built-in template printed `text` and knows how wide its characters are."""
    return template not in target.own and is_width_known(text)


def _together(files: Sequence[_RenderedFile]) -> RenderedFiles:
    tree: dict[str, str] = {}
    for file in files:
        if file.path in tree:
            raise TemplateBug(f"two templates print {file.path}; the second is of the target {file.target!r}")
        tree[file.path] = file.text
    return RenderedFiles(tree, frozenset(file.path for file in files if not file.laid_out))


def outputs_of(target: Target) -> Mapping[str, str]:
    """Return the output path of each template, with `{tool}` in it if each tool has a file of its own."""
    return {
        path: path.removesuffix(_ENDING)
        for path in sorted(target.templates)
        if path.endswith(_ENDING) and not any(part.startswith("_") for part in _folders(path))
    }


def _texts(
    target: Target,
    package: Package,
    jobs: Sequence[TemplateJob],
    sources: Mapping[str, ToolSource] = MappingProxyType({}),
) -> list[str]:
    """Return the text of each job."""
    if target.own:
        return render_in_sandbox(target, package, jobs, sources) if jobs else []
    environment = _environment(tuple(sorted(target.templates.items())))

    def text(job: TemplateJob) -> str:
        try:
            return environment.get_template(job.template).render(template_names(job, package, sources))
        except jinja2.TemplateError as error:
            raise TemplateBug(f"template {target.name}/{job.template}: {error}") from error

    return [text(job) for job in jobs]


def _folders(path: str) -> list[str]:
    *folders, name = path.split("/")
    return folders if name.startswith("__init__.") else [*folders, name]


@lru_cache(maxsize=16)
def _environment(templates: tuple[tuple[str, str], ...]) -> jinja2.Environment:
    environment = jinja2.Environment(loader=jinja2.DictLoader(dict(templates)), **OPTIONS)
    environment.filters.update(FILTERS)
    return environment
