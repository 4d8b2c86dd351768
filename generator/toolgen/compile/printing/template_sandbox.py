"""Render a project's own templates in Jinja's sandbox, with limits of neither time nor memory.

`toolgen check` also runs on repositories that nobody has reviewed, and it renders their templates. The
sandbox keeps templates away from attributes and methods that lead out of their data.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolgen.base.escaping.places import markdown_text
from toolgen.compile.printing.tool_source import PackageSources
from toolgen.compile.publishing.documents import DOCUMENT_FILTERS
from toolgen.compile.python_source.imports import all_statement, import_from, module_order
from toolgen.compile.python_source.layout import annotated_assignment, arguments
from toolgen.compile.python_source.literals import comment, docstring, literal
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.internal_error import TemplateBug
from toolgen.language.package import Package
from toolgen.language.source import Span
from toolgen.language.target import Target

OPTIONS: Mapping[str, Any] = {
    "undefined": jinja2.StrictUndefined,
    "autoescape": False,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
FILTERS: Mapping[str, Any] = {
    **DOCUMENT_FILTERS,
    "all_statement": all_statement,
    "arguments": arguments,
    "comment": comment,
    "declaration": lambda name, annotation: annotated_assignment(name, annotation, None),
    "docstring": docstring,
    "import_from": lambda names, module, indent=0: import_from(module, names, indent),
    "in_module_order": lambda tools: sorted(tools, key=lambda tool: module_order(tool.py_name)),
    "literal": literal,
    "markdown": markdown_text,
}


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One template to render: for one tool, for one shared file, or for the whole package."""

    template: str
    tool: int | None = None  # its position in the model
    shared: int | None = None  # the same of a shared file


def template_names(job: TemplateJob, model: Package, sources: PackageSources) -> dict[str, object]:
    """Return what a template sees: the package, and a tool or a shared file with its source."""
    if job.tool is not None:
        tool = model.tools[job.tool]
        source = sources.tools[tool.py_name]
        return {"model": model, "tool": tool, "source": source, "module": source.module}
    if job.shared is not None:
        shared = model.shared[job.shared]
        module, schemas = sources.shared[shared.path], sources.schemas[shared.path]
        return {"model": model, "shared": shared, "module": module, "schemas": schemas}
    return {"model": model}


def render_in_sandbox(
    target: Target, model: Package, jobs: Sequence[TemplateJob], sources: PackageSources
) -> list[str]:
    """Return the text of each job.

    Raises `SpecErrors` with the line of a template that fails, and `TemplateBug` if a built-in template does.
    """
    own = target.templates
    # with the name as the file, by which tracebacks name a template
    loader = jinja2.FunctionLoader(lambda name: (own[name], name, None) if name in own else None)
    environment = ImmutableSandboxedEnvironment(loader=loader, **OPTIONS)
    environment.filters.update(FILTERS)
    texts = []
    for job in jobs:
        try:
            template = environment.get_template(job.template)
            texts.append(template.render(template_names(job, model, sources)))
        except MemoryError:
            raise
        except Exception as error:
            raise _template_error(target, job, error) from error
    return texts


def _template_error(target: Target, job: TemplateJob, error: Exception) -> Exception:
    """Return the exception for `error`, which happened in `job`."""
    reason = f"{error or type(error).__name__}"[:500]
    # Jinja has each frame of a template's code name the template and its line
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in target.templates]
    template, line = (frames[-1].filename, frames[-1].lineno or 1) if frames else (job.template, 1)
    if isinstance(error, jinja2.TemplateSyntaxError):
        template, line = error.name or job.template, error.lineno
    shown = target.own.get(template)
    if shown is None:
        return TemplateBug(f"template {target.name}/{template}: line {line}: {reason}")
    return SpecErrors([Diagnostic(Span(shown, line, 1), "bad-template", f"this template fails: {reason}")])
