"""Examples recorded from calls of a real server: without secrets, valid, small, few; written into specs."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolgen.language.yaml12.patch import append_item
from toolgen.language.yaml12.reader import DocumentError
from toolgen.project import UnableError, read_text, replace_files
from toolgen.project.inputs.specs import too_large
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.logs.secret_texts import without_secret_texts
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.value_free import value_free_faults
from toolgen.schema.document import value_key
from toolgen.schema.limits import BUDGET

from .contracts import MockContract

MAX_EXAMPLES: Final = 20  # that are recorded for one tool
MAX_BYTES: Final = 20_000  # of one example as JSON
_DESCRIPTION: Final = "Recorded from a server; review it."
_SECRET_VARIABLE: Final = re.compile(r"(?i)pass(word|wd)|secret|token|api_?key|private_?key|credential")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a real server and its result: an output or the code of a declared error."""

    input: Any
    output: Any = None
    error: str | None = None


class NotRecordedError(Exception):
    """The reason why a call does not become an example, in one sentence; empty if it is one already."""


@dataclass(slots=True)
class Recorder:
    """Writes calls into the specs of a project as examples. Examples that exist are never changed."""

    root: Path  # of the project
    secrets: tuple[str, ...] = ()  # values that are masked
    _counts: Counter[str] = field(default_factory=Counter)  # tool → examples written

    def record(self, contract: MockContract, call: RecordedCall) -> str:
        """Append a call to the examples of its spec; return the name of the example.

        Raises NotRecordedError.
        """
        name = contract.definition["name"]
        if self._counts[name] >= MAX_EXAMPLES:
            raise NotRecordedError(f"{MAX_EXAMPLES} examples of {name} have been recorded")
        check_call(contract, call)
        own = (os.environ.get(variable, "") for variable in contract.secrets)
        example = without_secrets(call, (*self.secrets, *own))
        check_call(contract, example)
        size = len(json.dumps([example.input, example.output], ensure_ascii=False).encode())
        if size > MAX_BYTES:
            raise NotRecordedError(f"it has {size:,} bytes; at most {MAX_BYTES:,} are recorded")
        recorded = self._write(contract, example)
        self._counts[name] += 1
        return recorded

    def _write(self, contract: MockContract, example: RecordedCall) -> str:
        try:
            text = read_text(self.root, contract.file)
            if text is None:
                raise NotRecordedError("the spec has been removed")
            name, changed = with_example(text, contract.definition["name"], example)
            if (length := len(changed.encode())) > BUDGET.spec_bytes:
                raise NotRecordedError(f"{contract.file} would be {too_large(length)}")
            replace_files(self.root, {contract.file: changed})
        except (OSError, UnicodeError, UnableError, DocumentError) as error:
            raise NotRecordedError(f"{contract.file} cannot be changed: {error}") from error
        return name


def check_call(contract: MockContract, call: RecordedCall) -> None:
    """Raise NotRecordedError if a call does not satisfy the contract."""
    definition = contract.definition
    schemas = [("input", "input_schema", definition["input_schema"], call.input)]
    if call.error is None and "output_schema" in definition:
        schemas.append(("output", "output_schema", definition["output_schema"], call.output))
    for part, field_name, schema, value in schemas:
        compiled: CompiledSchema = compile_schema(schema)
        if not compiled.accepts(value):
            raise NotRecordedError(
                f"its {part} is not valid by {field_name}:\n{value_free_faults(compiled, value)}"
            )
    if call.error is not None and all(each["code"] != call.error for each in definition.get("errors", ())):
        raise NotRecordedError(f"the spec does not declare the error {call.error}")


def with_example(text: str, tool_name: str, call: RecordedCall) -> tuple[str, str]:
    """Return the name of the new example, and the text of the spec with it.

    Raises NotRecordedError if the spec has an example of this input, or is not that of `tool_name`.
    """
    from toolgen.language.yaml12.reader import YamlReader

    bom, plain = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    unix = plain.replace("\r\n", "\n")
    data = YamlReader("", unix).read()
    if not isinstance(data, Mapping) or data.get("name") != tool_name:
        raise NotRecordedError("the spec has changed")
    examples = [each for each in data.get("examples", ()) if isinstance(each, Mapping)]
    if any(value_key(each.get("input")) == value_key(call.input) for each in examples):
        raise NotRecordedError
    taken = {each.get("name") for each in examples}
    name = next(new for number in range(1, 10**6) if (new := f"recorded {number}") not in taken)
    result = {"output": call.output} if call.error is None else {"error": call.error}
    item = {"name": name, "description": _DESCRIPTION, "input": call.input, **result}
    changed = append_item(unix, "examples", item)
    return name, bom + (changed.replace("\n", "\r\n") if "\r\n" in plain else changed)


def secret_values() -> tuple[str, ...]:
    """Return the values of environment variables whose names say that they hold secrets."""
    values = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
    return tuple(sorted(value for value in values if len(value) >= 6))


def without_secrets(call: RecordedCall, secrets: Iterable[str]) -> RecordedCall:
    """Return a call without secrets: known ones, values that are named like one, texts that look like one."""
    known = tuple(secrets)
    return RecordedCall(
        without_secret_texts(redact(call.input, known)),
        without_secret_texts(redact(call.output, known)),
        call.error,
    )
