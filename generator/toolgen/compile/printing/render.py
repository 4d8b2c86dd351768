"""Package to files: strict Jinja over the templates of every target; a template's path is its output's path.

Built-in templates are rendered here. A target with templates of the project's own is rendered in a sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import jinja2

from toolgen.compile.models.module_source import ModuleSource
from toolgen.compile.printing.template_sandbox import (
    FILTERS,
    OPTIONS,
    TemplateJob,
    render_in_sandbox,
    template_names,
)
from toolgen.compile.printing.tool_source import NO_SOURCES, PackageSources
from toolgen.compile.python_source.text_width import is_width_known
from toolgen.language.changes import Tree
from toolgen.language.internal_error import TemplateBug
from toolgen.language.names import models_module
from toolgen.language.package import Package
from toolgen.language.target import Target

_ENDING = ".jinja"
TOOL = "{tool}"
"""In the path of a template: it is rendered once for each tool."""
SHARED = "{shared}"
"""In the path of a template: it is rendered once for each file of shared schemas."""
_MODELS = f"models/{TOOL}.py"
_SHARED_MODELS = f"models/shared/{SHARED}.py"
_MODULE = "models/_module.jinja"  # what modules of models include


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
    package: Package, targets: Sequence[Target], sources: PackageSources
) -> dict[str, RenderedFiles]:
    """Return the files of each tool by its Python name.

    Raises `TemplateBug`, or `SpecErrors` for a template of the project's own.
    """
    modules = {tool.py_name: sources.tools[tool.py_name].module for tool in package.tools}
    return _render_each(TOOL, modules, [tool.py_name for tool in package.tools], package, targets, sources)


def render_shared(
    package: Package, targets: Sequence[Target], sources: PackageSources
) -> dict[str, RenderedFiles]:
    """Return the files of each shared file by its path below the specs folder. Raises as `render_tools`."""
    modules = {file.path: sources.shared[file.path] for file in package.shared}
    return _render_each(SHARED, modules, [file.py_name for file in package.shared], package, targets, sources)


def _render_each(
    placeholder: str,
    modules: Mapping[str, ModuleSource],
    names: Sequence[str],
    package: Package,
    targets: Sequence[Target],
    sources: PackageSources,
) -> dict[str, RenderedFiles]:
    """Return the files of each of `modules`; `names` are what their paths have for the placeholder."""
    files: dict[str, list[_RenderedFile]] = {key: [] for key in modules}
    kind = "tool" if placeholder == TOOL else "shared"
    for target in targets:
        outputs = _outputs_with(placeholder, target)
        jobs = [TemplateJob(path, **{kind: number}) for number in range(len(names)) for path in outputs]
        # all at once: a project's own templates are rendered by one child process
        texts = iter(_texts(target, package, jobs, sources))
        for (key, module), name in zip(modules.items(), names, strict=True):
            for template, output in outputs.items():
                text = next(texts)
                prints_models = output in (_MODELS, _SHARED_MODELS)
                laid_out = _needs_no_formatter(target, template, text) and (
                    module.laid_out or not prints_models
                )
                path = tool_path(output, name) if placeholder == TOOL else shared_path(output, name)
                files[key].append(_RenderedFile(path, text, target.name, laid_out))
    return {key: _together(rendered) for key, rendered in files.items()}


def render_index(package: Package, targets: Sequence[Target]) -> RenderedFiles:
    """Return the files that belong to no tool and to no shared file. Raises as `render_tools`."""
    files: list[_RenderedFile] = []
    for target in targets:
        outputs = _outputs_with("", target)
        texts = _texts(target, package, [TemplateJob(path) for path in outputs])
        files += (
            _RenderedFile(output, text, target.name, _needs_no_formatter(target, path, text))
            for (path, output), text in zip(outputs.items(), texts, strict=True)
        )
    return _together(files)


def render_template(templates: Mapping[str, str], name: str, **values: object) -> str:
    """Return the text of one of `templates`, built-in ones, with the filters of targets."""
    try:
        return _environment(tuple(sorted(templates.items()))).get_template(name).render(values)
    except jinja2.TemplateError as error:
        raise TemplateBug(f"template {name}: {error}") from error


def tool_path(output: str, py_name: str) -> str:
    """Return the path of a tool's file, from an output path with `{tool}` in it."""
    return output.replace(TOOL, models_module(py_name) if output == _MODELS else py_name)


def shared_path(output: str, py_name: str) -> str:
    """Return the path of a shared file's module, from an output path with `{shared}` in it."""
    return output.replace(SHARED, py_name)


def _needs_no_formatter(target: Target, template: str, text: str) -> bool:
    """True if built-in templates printed `text` and know how wide its characters are."""
    is_own = template in target.own or (template.startswith("models/") and _MODULE in target.own)
    return not is_own and is_width_known(text)


def _together(files: Sequence[_RenderedFile]) -> RenderedFiles:
    tree: dict[str, str] = {}
    for file in files:
        if file.path in tree:
            raise TemplateBug(f"two templates print {file.path}; the second is of the target {file.target!r}")
        tree[file.path] = file.text
    return RenderedFiles(tree, frozenset(file.path for file in files if not file.laid_out))


def outputs_of(target: Target) -> Mapping[str, str]:
    """Return the output path of each template; with `{tool}` or `{shared}` in it, it stands for several."""
    return {
        path: path.removesuffix(_ENDING)
        for path in sorted(target.templates)
        if path.endswith(_ENDING) and not any(part.startswith("_") for part in _folders(path))
    }


def _outputs_with(placeholder: str, target: Target) -> dict[str, str]:
    """Return the output path of each template that has the placeholder in it; of those with none, for ""."""
    found = outputs_of(target).items()
    return {path: output for path, output in found if placeholder == _placeholder(output)}


def _placeholder(output: str) -> str:
    return TOOL if TOOL in output else SHARED if SHARED in output else ""


def _texts(
    target: Target,
    package: Package,
    jobs: Sequence[TemplateJob],
    sources: PackageSources = NO_SOURCES,
) -> list[str]:
    """Return the text of each job."""
    # a stranger's template must not run in this process
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
