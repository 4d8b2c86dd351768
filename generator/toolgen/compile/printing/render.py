"""Package to files: strict Jinja over the templates of every target; a template's path is its output's path.

Built-in templates are rendered here. A target with templates of the project's own is rendered in a sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from toolgen.data.changes import Tree
from toolgen.data.internal_error import TemplateBug
from toolgen.data.package import Package
from toolgen.data.target import Target
from toolgen.models.module_source import ModuleSource

_ENDING = ".jinja"
TOOL = "{tool}"
"""In the path of a template: it is rendered once for each tool."""
_MODELS = f"models/{TOOL}.py"


@dataclass(frozen=True, slots=True)
class _RenderedFile:
    path: str
    text: str
    target: str


def render_tools(
    package: Package, targets: Sequence[Target], modules: Mapping[str, ModuleSource]
) -> dict[str, Tree]:
    """Return the files of each tool by its Python name; `modules` has the tools' models by the same names.

    Raises `TemplateBug`, or `SpecErrors` for a template of the project's own.
    """
    files: dict[str, list[_RenderedFile]] = {tool.py_name: [] for tool in package.tools}
    for target in targets:
        outputs = {path: output for path, output in outputs_of(target).items() if TOOL in output}
        jobs = [TemplateJob(path, number) for number in range(len(package.tools)) for path in outputs]
        texts = iter(_texts(target, package, jobs, modules))
        for tool in package.tools:
            for output in outputs.values():
                path = output.replace(TOOL, tool.py_name)
                files[tool.py_name].append(_RenderedFile(path, next(texts), target.name))
    return {name: _tree(rendered) for name, rendered in files.items()}


def render_index(package: Package, targets: Sequence[Target]) -> Tree:
    """Return the files that all tools share. Raises as `render_tools`."""
    files: list[_RenderedFile] = []
    for target in targets:
        outputs = {path: output for path, output in outputs_of(target).items() if TOOL not in output}
        texts = _texts(target, package, [TemplateJob(path) for path in outputs])
        files += (
            _RenderedFile(output, text, target.name)
            for output, text in zip(outputs.values(), texts, strict=True)
        )
    return _tree(files)


def models_path(py_name: str) -> str:
    """Return the path of a tool's models below the output folder."""
    return _MODELS.replace(TOOL, py_name)


def laid_out_models(modules: Mapping[str, ModuleSource], targets: Iterable[Target]) -> frozenset[str]:
    """Return the paths of the models that the formatter would not change; a project's own template may."""
    if any(f"{_MODELS}{_ENDING}" in target.own for target in targets):
        return frozenset()
    return frozenset(models_path(name) for name, module in modules.items() if module.laid_out)


def _tree(files: Iterable[_RenderedFile]) -> Tree:
    tree: dict[str, str] = {}
    for file in files:
        if file.path in tree:
            raise TemplateBug(f"two templates print {file.path}; the second is of the target {file.target!r}")
        tree[file.path] = file.text
    return tree


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
    modules: Mapping[str, ModuleSource] = MappingProxyType({}),
) -> list[str]:
    """Return the text of each job."""
    if target.own:
        return render_in_sandbox(target, package, jobs, modules) if jobs else []
    environment = _environment(tuple(sorted(target.templates.items())))

    def text(job: TemplateJob) -> str:
        try:
            return environment.get_template(job.template).render(template_names(job, package, modules))
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
