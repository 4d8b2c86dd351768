"""The files of a tool: of a new one, and those that a tool with a spec does not have yet.

Their texts are made by the templates whose names begin with an underscore.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.base.files import FileKind
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.render import render_file
from toolgen.language.checking.conflicts import find_conflicts, python_names, tool_names
from toolgen.language.checking.resolve import read_tools
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import Tool
from toolgen.language.yaml12.writer import is_plain
from toolgen.project import Project, UnableError, kind_of, load_targets, read_project
from toolgen.project.building.project_build import Inputs, package_of
from toolgen.project.inputs.specs import existing_specs
from toolgen.project.output.beside import SCHEMA, schema_text

_SAMPLES: dict[str, Any] = {"string": "example", "integer": 1, "number": 1.5, "boolean": True, "object": {}}
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_-]*):(?P<type>[a-z]+)(?P<array>\[\])?(?P<optional>\?)?(:(?P<about>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A property of the request."""

    name: str
    item: str  # a JSON Schema type: of the value or, in an array, of its items
    array: bool
    optional: bool
    about: str

    @property
    def key(self) -> str:
        """Return the name as YAML."""
        return scalar(self.name)

    @property
    def type(self) -> str:
        """Return the JSON Schema type of the value."""
        return "array" if self.array else self.item

    @property
    def description(self) -> str:
        """Return the description as YAML; without one, the name in words."""
        words = self.name.replace("_", " ").replace("-", " ").strip() or self.name
        return scalar(self.about or f"{words[:1].upper()}{words[1:]}.")

    @property
    def sample(self) -> Any:
        """Return a valid value."""
        value = _SAMPLES[self.item]
        return [value] if self.array else value


def parse_parameter(text: str) -> Parameter:
    """Parse one parameter; raise `UnableError` if it is not valid."""
    found = _PARAMETER.fullmatch(text.strip())
    if found is None:
        raise UnableError(
            "bad-parameter",
            f"'{text}' is not a parameter: write name:type or name:type:description",
            "for example supplier_id:integer, 'note:string?:Free text' (optional) or 'tags:string[]'",
        )
    if found["type"] not in _SAMPLES:
        types = ", ".join(_SAMPLES)
        raise UnableError(
            "bad-parameter",
            f"'{found['type']}' is not a type",
            f"the types are {types}; string[] is an array",
        )
    about = printable((found["about"] or "").strip())
    return Parameter(found["name"], found["type"], bool(found["array"]), bool(found["optional"]), about)


def printable(text: str) -> str:
    """Return `text` if it is printable and on one line; raise `UnableError` otherwise."""
    if text.isprintable():
        return text
    raise UnableError(
        "bad-parameter", "a description must be one line of printable text", "edit the spec for more"
    )


def scalar(text: str) -> str:
    """Return `text` as a YAML scalar, quoted unless it is certainly read as a string."""
    return text if is_plain(text, flow=True) else json.dumps(text, ensure_ascii=False)


PACKAGE = '"""The tools of this project: one module per tool, each with one class."""\n'
"""The text of a package above that of the implementations."""


def describe_tool(
    name: str, description: str | None, parameters: list[Parameter], *, destructive: bool
) -> dict[str, Any]:
    """Return what the templates of a new tool print. Raises `UnableError` for a bad description or name.

    Without a description, it is the name in words.
    """
    names = [parameter.name for parameter in parameters]
    for twice in {name for name in names if names.count(name) > 1}:
        raise UnableError("bad-parameter", f"the parameter '{twice}' is given twice")
    words = name.replace("_", " ").replace("-", " ").strip() or name
    title = words[:1].upper() + words[1:]
    description = f"{title}." if description is None else description
    if not description.strip():
        raise UnableError(
            "usage", "the description is empty", "say what the tool does: models choose tools by it"
        )
    required = [parameter for parameter in parameters if not parameter.optional]
    return {
        "name": name,
        "title": title,
        "description": printable(description.strip()),
        "parameters": parameters,
        "required": required,
        "destructive": destructive,
        "arguments": {parameter.name: parameter.sample for parameter in required},
    }


def new_tool_files(project: Project, spec: str, answers: dict[str, Any]) -> dict[str, str]:
    """Return path below the project → text of every new file."""
    text = spec_text(answers)
    tool = _compile_new_spec(project, spec, text)
    files = {spec: text}
    schema = f"{project.specs}/{SCHEMA}"
    if kind_of(project.root, schema) is None:
        files[schema] = schema_text()
    if project.implementations:
        files |= _missing_packages(project, [])
        module = project.path_of(f"{project.implementations}.{tool.py_name}")
        files[f"{module}.py"] = stub_text(project.package, tool, answers["title"])
        files[f"tests/test_{tool.py_name}.py"] = test_text(tool, answers["title"])
    return dict(format_tree(files))


def _compile_new_spec(project: Project, spec: str, text: str) -> Tool:
    """Return the tool of `text`. Raises `SpecErrors`, also if it wants a name that another tool has."""
    new = {spec.removeprefix(f"{project.specs}/"): text.encode()}
    known = read_tools({**existing_specs(project), **new}, load_targets(project), f"{project.specs}/")
    claims = (claim for tool in known.tools for claim in (*tool_names(tool), *python_names(tool)))
    if faults := find_conflicts(claims):
        raise SpecErrors(faults)
    return _compile(project, new)[0]


def _compile(project: Project, specs: Mapping[str, bytes]) -> Sequence[Tool]:
    """Return the tools of some specs, whatever the others are. Raises `SpecErrors`."""
    inputs = Inputs(project, specs, load_targets(project))
    return package_of(analyze(specs, inputs.targets, f"{project.specs}/"), inputs).tools


def missing_parts(start: str, name: str | None) -> dict[str, str]:
    """Return path → text of the files that are missing for the tool `name`, or for all tools.

    Tests are added to tools that get an implementation, or to the one that was named. Raises `SpecErrors` for
    specs that are not valid, UnableError if the project has no implementations or no such tool.
    """
    read = read_project(start)
    project = read.project
    if not project.implementations:
        message = f"{project.file} has no `implementations` setting"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')
    program = read_tools(read.specs, load_targets(project), f"{project.specs}/")
    titles = {tool.spec.name: tool.spec.title or tool.spec.name for tool in program.tools}
    calls_http = {tool.spec.name for tool in program.tools if "x-openapi" in tool.spec.extensions}
    if name is not None and name not in titles:
        raise UnableError("no-such-tool", f"there is no enabled tool called '{name}'")
    used = {
        path: read.specs[path]
        for tool in program.tools
        if name in (None, tool.spec.name)
        for path in (tool.source.path, *tool.shared_files)
    }
    files: dict[str, str] = {}
    for tool in _compile(project, used):
        files |= _parts(project, tool, titles[tool.wire_name], tool.wire_name in calls_http, name)
    injected = [(each.name, each.type) for tool in program.tools for each in tool.spec.inject]
    return dict(format_tree({**_missing_packages(project, injected), **files})) if files else {}


def _missing_packages(project: Project, injected: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the missing `__init__.py` files; that of the implementations has a place for injected values."""
    files = dict.fromkeys(missing_packages(project), PACKAGE)
    own = f"{project.path_of(project.implementations or '')}/__init__.py"
    return {path: package_text(injected) if path == own else text for path, text in files.items()}


def _parts(project: Project, tool: Tool, title: str, calls_http: bool, name: str | None) -> dict[str, str]:
    module = project.path_of(f"{project.implementations}.{tool.py_name}")
    implementation = f"{module}.py"
    test = f"tests/test_{tool.py_name}.py"

    def is_free(path: str) -> bool:
        return kind_of(project.root, path) is None

    files = {}
    # A package of that name is an implementation in several modules.
    if kind_of(project.root, module, links=True) is not FileKind.FOLDER and is_free(implementation):
        files[implementation] = (
            http_text(project.package, tool) if calls_http else stub_text(project.package, tool, title)
        )
    if (files or name) and not calls_http and is_free(test):
        files[test] = test_text(tool, title)
    return files


# Texts


def package_text(injected: Iterable[tuple[str, str]]) -> str:
    """Return the module of the implementations' package, with a place for each injected value."""
    return render_file("_init/package.py.jinja", injected=sorted(set(injected)))


def spec_text(answers: Mapping[str, Any]) -> str:
    """Return the spec of a new tool, with the user's text quoted where YAML needs it."""
    # the question names what will be changed: the first required parameter
    question = answers["title"] + "".join(f" {{{each.name}}}" for each in answers["required"][:1]) + "?"
    return render_file(
        "_new/spec.yaml.jinja",
        schema=SCHEMA,
        name=scalar(answers["name"]),
        title=scalar(answers["title"]),
        description=scalar(answers["description"]),
        parameters=answers["parameters"],
        required=[parameter.key for parameter in answers["required"]],
        destructive=answers["destructive"],
        confirm=scalar(question) if answers["destructive"] else "",
        example=json.dumps(answers["arguments"]),
    )


def stub_text(package: str, tool: Tool, title: str) -> str:
    """Return the module of an implementation that is still to be written, for any spec."""
    chunks = [tool.chunk_class] if tool.chunk_class else []
    result = tool.response_class or "Any"
    blocks = sorted({"Audio", "File", "Image", "Link", "Text"}.intersection(re.findall(r"\w+", tool.result)))
    if chunks:
        result = (
            f"AsyncIterator[{' | '.join([*chunks, *([tool.response_class] if tool.response_class else [])])}]"
        )
    elif tool.definition.get("content", "any") != "any":  # blocks that it declares are expected beside
        shown = " | ".join(blocks)
        result = f"ToolResult[{tool.response_class}, {shown}]" if tool.response_class else shown
    preview = tool.response_class or "Any" if "only_if" in tool.definition.get("confirm", {}) else "str"
    types = set(re.findall(r"\w+", f"{result} {preview}"))
    runtime = types.intersection({*blocks, "ToolResult"})
    # Names that only annotations use are imported for type checkers alone.
    checked = bool(tool.imports or chunks)
    return render_file(
        "_new/stub.py.jinja",
        package=package,
        title=title,
        spec=tool.file,
        tool=tool,
        names=sorted(
            {tool.request_class, tool.tool_class, *types} - {"Any", "AsyncIterator", "str", *runtime}
        ),
        runtime=sorted({"ToolContext", *runtime}),
        typing=[*(["TYPE_CHECKING"] if checked else []), *(["Any"] if "Any" in types else [])],
        iterator=bool(chunks),
        parameters=tool.parameters.removeprefix(", ").split(", ") if tool.parameters else [],
        result=result,
        preview=preview,
        message=json.dumps(f"{tool.wire_name} is not implemented yet."),
    )


def http_text(package: str, tool: Tool) -> str:
    """Return a module that calls an imported HTTP operation."""
    return render_file("_new/http.py.jinja", package=package, tool=tool)


def test_text(tool: Tool, title: str) -> str:
    """Return the test of a tool that is not implemented yet."""
    return render_file("_new/test.py.jinja", title=title, tool=tool, wire_name=json.dumps(tool.wire_name))


def missing_packages(project: Project) -> Iterator[str]:
    """Yield the path of each missing `__init__.py` of the implementations' package and its parents."""
    parts = (project.implementations or "").split(".")
    for depth in range(1, len(parts) + 1):
        path = f"{project.path_of('.'.join(parts[:depth]))}/__init__.py"
        if kind_of(project.root, path) is None:
            yield path
