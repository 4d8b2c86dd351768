"""What templates see, and the filters that they use. docs/templates.md describes both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jinja2

from toolgen.compile.models.module_source import module_source
from toolgen.compile.printing.models import PackageClasses
from toolgen.compile.printing.shared_schemas import SharedSchemas
from toolgen.compile.publishing.documents import DOCUMENT_FILTERS
from toolgen.compile.publishing.markdown import MARKDOWN_FILTERS
from toolgen.compile.python_source.imports import all_statement, import_from, module_order
from toolgen.compile.python_source.literals import comment, docstring, literal, wrapped
from toolgen.language.package import Package
from toolgen.language.program import SharedFile
from toolgen.schema.document import JsonObject

OPTIONS: Final[Mapping[str, Any]] = {
    "undefined": jinja2.StrictUndefined,
    "autoescape": False,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
FILTERS: Final[Mapping[str, Any]] = {
    **DOCUMENT_FILTERS,
    **MARKDOWN_FILTERS,
    "all_statement": all_statement,
    "comment": comment,
    "docstring": docstring,
    "import_from": lambda names, module: import_from(module, names),
    "in_module_order": lambda tools: sorted(tools, key=lambda tool: module_order(tool.py_name)),
    "literal": literal,
    "wrapped": wrapped,
}


@dataclass(frozen=True, slots=True)
class PackageSources:
    """What templates see beside the package: of each tool by Python name, of each shared file by path."""

    tools: Mapping[str, Mapping[str, object]]
    shared: Mapping[str, Mapping[str, object]]


NO_SOURCES: Final = PackageSources({}, {})


def package_sources(
    package: Package,
    classes: PackageClasses,
    shared: Mapping[str, SharedFile],
    pages: Mapping[str, JsonObject] | None = None,
) -> PackageSources:
    """Return what templates see of a package with these classes.

    `shared` are the shared files of its tools, and `pages` what a page about each says, if one is printed.
    """
    schemas = SharedSchemas(shared)
    tools: dict[str, dict[str, object]] = {}
    for tool in package.tools:
        definition = schemas.definition_of(tool)
        tools[tool.py_name] = {
            "module": module_source(classes.tools[tool.py_name]),
            "definition": definition.data,
            "schema_imports": definition.imports,
            "page": {} if pages is None else pages[tool.py_name],
        }
    files = {
        path: {"module": module_source(made), "schemas": schemas.of_file(path)}
        for path, made in classes.shared.items()
    }
    return PackageSources(tools, files)


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One template to render: for one tool, for one shared file, or for the whole package."""

    template: str
    tool: int | None = None  # its position in the package
    shared: int | None = None  # the same of a shared file


def template_names(job: TemplateJob, package: Package, sources: PackageSources) -> dict[str, object]:
    """Return what the template of a job sees."""
    if job.tool is not None:
        tool = package.tools[job.tool]
        return {"model": package, "tool": tool, **sources.tools[tool.py_name]}
    if job.shared is not None:
        shared = package.shared[job.shared]
        return {"model": package, "shared": shared, **sources.shared[shared.path]}
    return {"model": package}
