"""One tool for all operations of a tag: its argument `call` says which one, and has what that one takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolgen.importers.imported_tool import ImportedTool, in_spec_order
from toolgen.importers.names import ExistingNames, choose_names
from toolgen.importers.openapi.document import Library
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.tools import CARRIED, TIMEOUT, Reader, Understood, hints
from toolgen.python_source.names import snake
from toolgen.suggestions import quoted

_UNTAGGED = "other"


def per_tag(
    reader: Reader, operations: Sequence[Operation], decided: ExistingNames
) -> Iterator[ImportedTool]:
    """One tool for each tag; an operation belongs to the first of its tags."""
    groups: dict[str, list[Operation]] = {}
    for operation in operations:
        groups.setdefault((operation.tags or [_UNTAGGED])[0], []).append(operation)
    names = choose_names([snake(tag, "tool")[:64] for tag in groups], decided)
    for (tag, members), name in zip(groups.items(), names, strict=True):
        yield _tool(reader, tag, members, name)


def _tool(reader: Reader, tag: str, members: Sequence[Operation], name: str) -> ImportedTool:
    called = choose_names([operation.name for operation in members], ExistingNames())
    found = [reader.understand(operation, reserved=("operation",)) for operation in members]
    fields: dict[str, Any] = {"toolgen": 1, "name": name, "title": tag, "tags": [tag], "timeout": TIMEOUT}
    fields["description"] = _description(reader.library, tag, members, called)
    fields["annotations"] = _hints(members)
    choices = [_choice(each, word) for each, word in zip(found, called, strict=True)]
    fields["input_schema"], notes = reader.whole(
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["call"],
            "properties": {"call": choices[0] if len(choices) == 1 else {"oneOf": choices}},
        },
        "request",
    )
    outputs = [each.answers.schema for each in found]
    known = [schema for schema in outputs if schema is not None]
    if len(known) == len(outputs):
        different = [schema for index, schema in enumerate(known) if schema not in known[:index]]
        output = different[0] if len(different) == 1 else {"type": "object", "anyOf": different}
        fields["output_schema"], told = reader.whole(output, "response")
        notes += told
    errors = {error["code"]: error for each in found for error in each.answers.errors}
    fields["errors"] = list(errors.values())
    if auth := _auth(found):
        fields["auth"] = auth
    if all(operation.node.get("deprecated") is True for operation in members):
        fields["deprecated"] = {"message": "The API marks these operations as deprecated."}
    calls = {word: reader.call(each) for each, word in zip(found, called, strict=True)}
    fields[CARRIED] = {"operations": calls}
    for each, word in zip(found, called, strict=True):
        notes += [f"{word}: {note}" for note in each.arguments.notes]
        if word != each.operation.name:
            notes.append(f"the operation {word!r} stands for {quoted(each.operation.name, 256)}")
    return ImportedTool(in_spec_order(fields), tuple(f"{name}: {note}" for note in notes))


def _choice(found: Understood, word: str) -> dict[str, Any]:
    """The arguments of one operation, its name among them."""
    schema = found.arguments.schema()
    said = str(found.operation.node.get("summary") or found.operation.node.get("description") or "").strip()
    return {
        "title": word,
        **({"description": said} if said else {}),
        **schema,
        "required": ["operation", *schema.get("required", ())],
        "properties": {"operation": {"type": "string", "const": word}, **schema["properties"]},
    }


def _description(library: Library, tag: str, members: Sequence[Operation], called: Sequence[str]) -> str:
    listed = library.root.get("tags")
    known = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    said = next((str(each.get("description") or "") for each in known if each.get("name") == tag), "")
    lines = []
    for operation, word in zip(members, called, strict=True):
        summary = str(operation.node.get("summary") or operation.title).strip().partition("\n")[0]
        lines.append(f"- {word}: {summary}")
    return "\n".join([said.strip() or f"{tag}.", "", "`call.operation` is one of:", *lines])


def _hints(members: Sequence[Operation]) -> dict[str, bool]:
    """What holds for every operation; what one may destroy, the tool may."""
    found = [hints(operation) for operation in members]
    made = {key: all(each.get(key, False) for each in found) for key in ("readOnlyHint", "idempotentHint")}
    if all("destructiveHint" in each for each in found):
        made["destructiveHint"] = any(each["destructiveHint"] for each in found)
    return {**made, "openWorldHint": True}


def _auth(found: Sequence[Understood]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key in ("scopes", "secrets"):
        words = [word for each in found for word in each.security.auth().get(key, ())]
        if words:
            made[key] = list(dict.fromkeys(words))
    return made
