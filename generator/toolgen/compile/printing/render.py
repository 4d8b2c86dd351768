"""Package to files: strict Jinja over the templates of every target; a template's path is its output's path.

Targets with templates of the project's own run in Jinja's sandbox, which keeps templates away from attributes
and methods that lead out of their data: `toolgen check` also runs on repositories that nobody has reviewed.
The sandbox has limits of neither time nor memory.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolgen.compile.printing.template_data import FILTERS, OPTIONS, PackageSources
from toolgen.compile.python_source.literals import docstring
from toolgen.language.changes import Tree
from toolgen.language.diagnostic import Diagnostic, SpecErrors, TemplateBug
from toolgen.language.identifiers import models_module
from toolgen.language.package import Package, Tool
from toolgen.language.source import Span
from toolgen.language.targets.definition import Target

_ENDING = ".jinja"
TOOL = "{tool}"
"""In the path of a template: it is rendered once for each tool."""
SHARED = "{shared}"
"""In the path of a template: it is rendered once for each file of shared schemas."""
_MODELS = f"models/{TOOL}.py"


@dataclass(frozen=True, slots=True)
class _RenderedFile:
    path: str
    text: str
    target: Target


def render_tools(package: Package, targets: Sequence[Target], sources: PackageSources) -> dict[str, Tree]:
    """Return the files of each tool by its Python name, not laid out.

    Raises `TemplateBug`, or `SpecErrors` for a template of the project's own.
    """
    names = {
        tool.py_name: (tool.py_name, {"tool": tool, **sources.tools[tool.py_name]}) for tool in package.tools
    }
    return _render(TOOL, names, package, targets)


def render_shared(package: Package, targets: Sequence[Target], sources: PackageSources) -> dict[str, Tree]:
    """Return the files of each shared file by its path below the specs folder. Raises as `render_tools`."""
    names = {
        file.path: (file.py_name, {"shared": file, **sources.shared[file.path]}) for file in package.shared
    }
    return _render(SHARED, names, package, targets)


def _render(
    placeholder: str,
    names: Mapping[str, tuple[str, Mapping[str, object]]],
    package: Package,
    targets: Sequence[Target],
) -> dict[str, Tree]:
    """Render the templates with the placeholder once for each key of `names`: its module, what they see."""
    files: dict[str, list[_RenderedFile]] = {key: [] for key in names}
    for target in targets:
        for template, output in _outputs_with(placeholder, target).items():
            jobs = [(template, {"model": package, **seen}) for _, seen in names.values()]
            for (key, (module, _)), text in zip(names.items(), _texts(target, jobs), strict=True):
                stem = models_module(module) if output == _MODELS else module
                files[key].append(_RenderedFile(output.replace(placeholder, stem), text, target))
    return {key: _together(rendered) for key, rendered in files.items()}


def render_index(package: Package, targets: Sequence[Target]) -> Tree:
    """Return the files that belong to no tool and to no shared file. Raises as `render_tools`."""
    files: list[_RenderedFile] = []
    for target in targets:
        outputs = _outputs_with("", target)
        texts = _texts(target, [(path, {"model": package}) for path in outputs])
        files += map(_RenderedFile, outputs.values(), texts, [target] * len(texts))
    return _together(files)


def render_template(templates: Mapping[str, str], name: str, **values: object) -> str:
    """Return the text of one of `templates`, built-in ones, with the filters of targets."""
    try:
        return (
            _environment(tuple(sorted(templates.items())), is_trusted=True).get_template(name).render(values)
        )
    except jinja2.TemplateError as error:
        raise TemplateBug(f"template {name}: {error}") from error


def render_file(path: str, **values: object) -> str:
    """Render `templates/<path>`, whose folder begins with an underscore.

    Nothing is escaped: callers quote text that a user typed.
    """
    environment = jinja2.Environment(**OPTIONS)
    environment.filters |= {"docstring": docstring, "yaml": partial(json.dumps, ensure_ascii=False)}
    text = files("toolgen.templates").joinpath(path).read_text("utf-8")
    return environment.from_string(text).render(**values)


def _together(files: Sequence[_RenderedFile]) -> Tree:
    tree: dict[str, str] = {}
    for file in files:
        if file.path in tree:
            raise TemplateBug(
                f"two templates print {file.path}; the second is of the target {file.target.name!r}"
            )
        tree[file.path] = file.text
    return tree


def outputs_of(target: Target) -> Mapping[str, str]:
    """Return the output path of each template; with `{tool}` or `{shared}` in it, it stands for several."""
    return {
        path: path.removesuffix(_ENDING)
        for path in sorted(target.templates)
        if path.endswith(_ENDING) and not any(part.startswith("_") for part in _folders(path))
    }


def _folders(path: str) -> list[str]:
    *folders, name = path.split("/")
    return folders if name.startswith("__init__.") else [*folders, name]


def _outputs_with(placeholder: str, target: Target) -> dict[str, str]:
    """Return the output path of each template that has the placeholder in it; of those with none, for ""."""
    found = outputs_of(target).items()
    return {path: output for path, output in found if placeholder == _placeholder(output)}


def _placeholder(output: str) -> str:
    return TOOL if TOOL in output else SHARED if SHARED in output else ""


def _texts(target: Target, jobs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Return the text of each job: a template, and the names that it sees.

    Raises `SpecErrors` with the line of a template of the project's own that fails, or `TemplateBug`.
    """
    environment = _environment(tuple(sorted(target.templates.items())), is_trusted=not target.own)
    texts = []
    for template, names in jobs:
        try:
            texts.append(environment.get_template(template).render(names))
        except MemoryError:
            raise
        except Exception as error:
            raise _template_error(target, template, names.get("tool"), error) from error
    return texts


def _template_error(target: Target, rendered: str, tool: Tool | None, error: Exception) -> Exception:
    """Return the exception for `error`, which happened in the template `rendered`, perhaps for a tool."""
    reason = f"{error or type(error).__name__}"[:500]
    # Jinja has each frame of a template's code name the template and its line
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in target.templates]
    template, line = (frames[-1].filename, frames[-1].lineno or 1) if frames else (rendered, 1)
    if isinstance(error, jinja2.TemplateSyntaxError):
        template, line = error.name or rendered, error.lineno
    shown = target.own.get(template)
    if shown is None:
        return TemplateBug(f"template {target.name}/{template}: line {line}: {reason}")
    whom = "" if tool is None else f" for the tool {tool.wire_name!r}"
    return SpecErrors(
        [Diagnostic(Span(shown, line, 1), "bad-template", f"this template fails{whom}: {reason}")]
    )


@lru_cache
def _environment(templates: tuple[tuple[str, str], ...], *, is_trusted: bool) -> jinja2.Environment:
    found = dict(templates)
    # with the name as the file, by which tracebacks name a template
    loader = jinja2.FunctionLoader(lambda name: (found[name], name, None) if name in found else None)
    # the sandbox makes rendering 2.5 times as slow, a tenth of a cold `generate`
    kind = jinja2.Environment if is_trusted else ImmutableSandboxedEnvironment
    environment = kind(loader=loader, **OPTIONS)
    environment.filters.update(FILTERS)
    return environment
