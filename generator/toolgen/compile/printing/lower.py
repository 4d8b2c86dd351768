"""Lower a program to the package that templates print. All Python names are decided here."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping

from toolgen.compile.publishing.definition import definition, description
from toolgen.language.checking.conflicts import find_conflicts, module_of_shared_file, python_names
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.identifiers import (
    RUNTIME_NAMES,
    class_stem,
    models_module,
    pascal,
    tool_module,
    unique_name,
)
from toolgen.language.package import ErrorClass, Import, Package, PackageSettings, SharedModule, Tool
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Source
from toolgen.language.spec import Inject, Spec
from toolgen.schema.document import is_deeper

_MODULE_NAMES = frozenset({"CHAT_TOOLS", "IMPLEMENTATIONS", "RESPONSES_TOOLS", "TOOLS", "TYPE_CHECKING"})
_MEMBERS = frozenset(
    {"definition", "request_model", "response_model", "errors", "execute", "preview", "check_inputs"}
)
_MAX_NESTING = 180  # Python parses 200 nested brackets; generated adapters put a few around a schema


def lower(program: Program, settings: PackageSettings) -> Package:
    """Return everything that templates print. Raises `SpecErrors` with every conflict of names."""
    modules = [module_of_shared_file(path, file) for path, file in program.shared.items()]
    faults = find_conflicts([*(claim for tool in program.tools for claim in python_names(tool)), *modules])
    tools = tuple(_tool(tool, settings) for tool in program.tools)
    for tool, lowered in zip(program.tools, tools, strict=True):
        faults += _nesting_faults(tool.source, lowered.definition)
    if faults:
        raise SpecErrors(faults)
    shared = (
        SharedModule(path, file.source.file, file.py_name) for path, file in sorted(program.shared.items())
    )
    return Package.of(settings, tools, tuple(shared))


def _tool(tool: ProgramTool, settings: PackageSettings) -> Tool:
    spec = tool.spec
    py_name = tool_module(spec.name)
    stem = class_stem(py_name)
    response = f"{stem}Response" if tool.output_schema is not None else None
    chunk = f"{stem}Chunk" if tool.chunk_schema is not None else None
    models = tuple(name for name in (chunk, f"{stem}Request", response) if name)
    errors = tuple(_errors(spec, stem))
    return Tool(
        wire_name=spec.name,
        py_name=py_name,
        models_module=models_module(py_name),
        constant=_constant(py_name),
        tool_class=f"{stem}Tool",
        request_class=f"{stem}Request",
        response_class=response,
        chunk_class=chunk,
        file=tool.source.file,
        summary=_summary(spec),
        description=description(spec),
        definition=definition(tool, py_name, f"{stem}Tool", settings),
        carries_extensions=bool(spec.extensions),
        errors=errors,
        imports=tuple(_imports(spec)),
        exports=(*models, f"{stem}Tool"),
        model_classes=models,
        parameters=_parameters(spec),
        result=_result(spec, response, chunk),
        execute_doc=_execute_doc(spec, errors),
        preview=_preview(spec, response),
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        published=tool.published,
        documents=tool.documents,
        origins=tool.origins,
        shared_files=tool.shared_files,
    )


def _constant(py_name: str) -> str:
    constant = py_name.upper()
    return f"{constant}_" if constant in _MODULE_NAMES else constant


def _summary(spec: Spec) -> str:
    text = spec.title or spec.description.strip().split("\n")[0]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _errors(spec: Spec, stem: str) -> Iterator[ErrorClass]:
    taken = {f"{stem}Tool", f"{stem}Request", f"{stem}Response", *RUNTIME_NAMES, *dir(builtins)}
    for error in spec.errors:
        name = pascal(error.code.removesuffix("_error"), "Tool") + "Error"
        name = unique_name(f"{stem}{name}" if name in taken else name, taken)
        taken.add(name)
        yield ErrorClass(name, error.code, error.description, error.retryable, error.hint)


def _parameters(spec: Spec) -> str:
    arguments = ", ".join(f"{item.name}: {_annotation(item)}" for item in spec.inject)
    return f", *, {arguments}" if arguments else ""


def _annotation(item: Inject) -> str:
    """Return the annotation of an injected value: `module.Class` or a built-in, perhaps `| None`."""
    module, _, name = item.type.rpartition(".")
    annotation = name if item.type in ("typing.Any", name) else f"{_alias(module) or module}.{name}"
    return f"{annotation} | None" if item.optional else annotation


def _result(spec: Spec, response: str | None, chunk: str | None) -> str:
    """Return the type of what `execute` returns."""
    blocks = " | ".join(_content_classes(spec))
    if chunk is not None:
        item = " | ".join(part for part in (chunk, blocks, response) if part)
        return f"AsyncIterator[{item}] | Iterator[{item}]"
    if response is None and not _is_typed(spec):
        return "Any"
    if not blocks:
        return f"{response} | Awaitable[{response}]"
    both = f"ToolResult[{response or 'Any'}, {blocks}]"
    if response is None:
        value = f"{blocks} | Sequence[{blocks}] | {both}"
    else:
        value = both if _needs_blocks(spec) else f"{response} | {both}"
    return f"{value} | Awaitable[{value}]"


_CONTENT_CLASSES = {"audio": "Audio", "file": "File", "image": "Image", "link": "Link", "text": "Text"}


def _content_classes(spec: Spec) -> list[str]:
    """Return the classes of the runtime for the blocks that the results of a tool may hold."""
    if spec.content == "any":
        return list(_CONTENT_CLASSES.values())
    return sorted({_CONTENT_CLASSES[each.type] for each in spec.content})


def _is_typed(spec: Spec) -> bool:
    """True if the spec says what a result holds: its response, its blocks, or both."""
    return spec.output_schema is not None or (bool(spec.content) and spec.content != "any")


def _needs_blocks(spec: Spec) -> bool:
    """True if every result holds a block, so that a response alone is not enough."""
    return not isinstance(spec.content, str) and any(each.min for each in spec.content)


def _preview(spec: Spec, response: str | None) -> str:
    """Return the type of what `preview` returns; empty if there is none."""
    if spec.confirm is None or not spec.confirm.preview:
        return ""
    text = () if spec.confirm.only_if else ("str",)
    shown = " | ".join([*text, *([response] if response else [])]) or "Any"
    return f"{shown} | Awaitable[{shown}]"


def _execute_doc(spec: Spec, errors: tuple[ErrorClass, ...]) -> str:
    if spec.stream is not None:
        last = "; the last item is the response" if spec.output_schema is not None else ""
        text = f"Yield the chunks of the result{last}. An `async def` or a plain `def`."
    else:
        text = "Do the work. An `async def` or a plain `def`."
    raises = "".join(f"\n    {error.name}: {' '.join(error.description.split())}" for error in errors)
    return f"{text}\n\nRaises:{raises}" if raises else text


def _imports(spec: Spec) -> Iterator[Import]:
    modules = {item.type.rpartition(".")[0] for item in spec.inject if item.type != "typing.Any"} - {""}
    for module in sorted(modules):
        yield Import(module, _alias(module))


def _alias(module: str) -> str | None:
    """Return an alias for a module that a member of the tool class or another import would shadow."""
    first = module.split(".")[0]
    return f"{module.replace('.', '_')}_module" if first in _MEMBERS | {"toolgen", "abc", "typing"} else None


def _nesting_faults(source: Source, definition: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield a fault for each field of the definition that is nested too deep for a Python literal."""
    for key, value in definition.items():
        if is_deeper(value, _MAX_NESTING):
            message = (
                f"{key} nests more than {_MAX_NESTING} levels deep, more than Python reads in one expression"
            )
            yield Diagnostic(source.key((key,)), "too-deep", message, "move inner parts of it to $defs")
