"""Turn raw arguments into a typed request: validate, coerce, build the model; report every fault."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from pydantic import ValidationError

from toolgen.runtime.coercion import coerce, coerce_whole, leave_out
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.text import show_kind, show_path
from toolgen.runtime.validation.fault_messages import Fault
from toolgen.runtime.validation.faults import LIMIT, TOO_EXPENSIVE, find_faults, list_faults
from toolgen.runtime.validation.json_value import find_non_json, is_json, whole_numbers

from .tool_contract import ToolContract


def read_request(contract: ToolContract, raw: Any) -> Any:
    """Return the typed request of raw arguments; None counts as an empty object.

    Raises InvalidRequestError if the arguments are not valid, with one line per fault.
    """
    return build_request(contract, accept_arguments(contract, raw, {}))


def build_request(contract: ToolContract, arguments: dict[str, Any]) -> Any:
    """Return the typed request of arguments that the schema accepts.

    Raises InvalidRequestError if a hand-written model refuses them. A generated one that does is a fault of
    its own: its ValidationError propagates.
    """
    try:
        return contract.build_request(arguments)
    except ValidationError:
        try:
            # 1e20 is an integer in JSON Schema, and a float to pydantic
            return contract.build_request(whole_numbers(arguments))
        except ValidationError as error:
            if not contract.has_own_validators:
                raise
            found = error.errors(include_input=False, include_url=False, include_context=False)
            faults = [Fault(show_path(each["loc"]), each["msg"]) for each in found]
            raise _invalid(contract, faults) from None


def accept_arguments(
    contract: ToolContract, raw: Any, metadata: MutableMapping[str, Any], *, is_lenient: bool = False
) -> dict[str, Any]:
    """Return arguments that the schema accepts: `raw`, or `raw` coerced.

    Coercions are reported in `metadata["coerced"]`, and what a lenient server has left out in
    `metadata["left_out"]`. Raises InvalidRequestError if they are not valid.
    """
    schema, notes = contract.request_schema, list[dict[str, str]]()
    if isinstance(raw, str) and contract.coerce and (whole := coerce_whole(raw)) is not None:
        raw, notes = whole.value, whole.notes
    arguments = as_object(contract, raw)
    json = is_json(arguments)
    is_valid = json and schema.is_valid(arguments)
    if not is_valid:
        if json and schema.is_too_expensive(arguments):
            raise _invalid(contract, [TOO_EXPENSIVE])
        if json and is_lenient:
            arguments, paths = leave_out(schema, arguments)
            if paths:
                metadata["left_out"] = redact([*map(show_path, paths)], contract.secret_values())
                is_valid = schema.is_valid(arguments)
    if not is_valid:
        if json and contract.coerce:
            coerced = coerce(schema, arguments)
            arguments, notes = coerced.value, notes + coerced.notes
            is_valid = is_json(arguments) and schema.is_valid(arguments)
        if not is_valid:  # what is left: a text that became a number is no fault
            raise _invalid(contract, find_faults(schema, arguments, contract.secret_values()))
    if notes:
        metadata["coerced"] = redact(notes, contract.secret_values())  # property names come from the caller
    return arguments


def as_object(contract: ToolContract, raw: Any) -> dict[str, Any]:
    """Return the arguments as a dict. Raises InvalidRequestError for anything but an object."""
    if type(raw) is dict:
        return raw
    if raw is None:
        return {}
    if isinstance(raw, Mapping):
        return dict(raw)
    fault = next(find_non_json(raw), None)
    received = show_kind(raw) if fault is None else "a value that is not JSON"
    raise _invalid(contract, [Fault("$", f"expected an object with the arguments, got {received}")])


def _invalid(contract: ToolContract, faults: list[Fault]) -> InvalidRequestError:
    details = {"faults": [{"path": fault.path, "message": fault.message} for fault in faults[:LIMIT]]}
    return InvalidRequestError(
        f"Invalid arguments for {contract.name}:\n{list_faults(faults)}", details=details
    )
