"""Turn raw arguments into a typed request, or raise an error that says what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping
from random import Random
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from toolgen.runtime.context import LOGGER
from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import InternalError, InvalidRequestError
from toolgen.runtime.instrumentation.redaction import redact
from toolgen.runtime.text import show_kind, show_path
from toolgen.runtime.validation.faults import LIMIT, Fault, find_faults, list_faults
from toolgen.runtime.validation.json_value import find_non_json, is_json, whole_numbers
from toolgen.runtime.validation.value_free import property_names, value_free_path

if TYPE_CHECKING:
    from toolgen.runtime.coercion.coerce import Coerced

_random = Random(os.urandom(32))  # our own: an application that seeds `random` must not repeat our ids
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _random.seed(os.urandom(32)))


def new_id() -> str:
    """Return a correlation id: 16 hexadecimal digits. It is not a secret."""
    return f"{_random.getrandbits(64):016x}"


def read_request(
    contract: ToolContract,
    raw: Any,
    reference: str | None = None,
    metadata: MutableMapping[str, Any] | None = None,
) -> Any:
    """Return the request model of `raw`. Coercions are reported in `metadata["coerced"]`.

    None is an empty object. Raises InvalidRequestError with one line per fault, ModelMismatchError if schema
    and model disagree.
    """
    if type(raw) is not dict or not (is_json(raw) and contract.request_schema.is_valid(raw)):
        raw = accepted(contract, raw, {} if metadata is None else metadata)
    try:
        return contract.validate(raw)
    except ValidationError:
        pass
    try:
        return contract.validate(whole_numbers(raw))  # 1e20 is an integer, but not one that pydantic takes
    except ValidationError as error:
        mismatch = ModelMismatchError(contract, error, reference or new_id())
    if reference is None:  # without a call, there is no record to say it in
        LOGGER.error("tool %s %s (call %s)", contract.name, mismatch.reason, mismatch.reference)
    raise mismatch


class ModelMismatchError(InternalError):
    """The request model refuses what its schema accepts. `reason` is for the log, and holds no values."""

    def __init__(self, contract: ToolContract, error: ValidationError, reference: str) -> None:
        super().__init__(f"The tool failed. Reference: {reference}.")
        names = property_names(contract.request_schema.schema)
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        found = dict.fromkeys(f"{value_free_path(names, each['loc'])}: {each['type']}" for each in faults)
        self.reference = reference
        self.reason = (
            f"has a request model that refuses what its schema accepts: {'; '.join([*found][:LIMIT])}"
        )


def accepted(contract: ToolContract, raw: Any, metadata: MutableMapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the schema accepts them: unchanged, or coerced.

    Coercions are reported in `metadata["coerced"]`. Raises InvalidRequestError if they are not valid.
    """
    from toolgen.runtime.coercion.coerce import Coerced, coerce, coerce_whole

    schema, notes = contract.request_schema, list[dict[str, str]]()
    if isinstance(raw, str) and contract.coerce and (whole := coerce_whole(raw)) is not None:
        raw, notes = whole.value, whole.notes
    arguments = as_object(contract, raw)
    json = is_json(arguments)
    if not (json and schema.is_valid(arguments)):
        coerced = (
            coerce(schema, arguments) if json and contract.coerce else Coerced(arguments, [], valid=False)
        )
        if not coerced.valid:
            faults = find_faults(schema, arguments, contract.secret_values())
            raise _invalid(contract, faults + _faults_inside_strings(contract, coerced))
        arguments, notes = coerced.value, notes + coerced.notes
    if notes:
        metadata["coerced"] = redact(notes, contract.secret_values())  # property names are the caller's words
    return arguments


def as_object(contract: ToolContract, raw: Any) -> dict[str, Any]:
    """Return the arguments as a dict. Raises InvalidRequestError for what is not an object."""
    if type(raw) is dict:
        return raw
    if raw is None:
        return {}
    if isinstance(raw, Mapping):
        return dict(raw)
    odd = next(find_non_json(raw), None)
    words = show_kind(raw) if odd is None else "a value that is not JSON"
    raise _invalid(contract, [Fault("$", f"expected an object with the arguments, got {words}")])


def _faults_inside_strings(contract: ToolContract, coerced: Coerced) -> list[Fault]:
    """Return the faults of values that were parsed from strings, and are not valid either."""
    if not coerced.notes or not is_json(coerced.value):
        return []
    hidden = contract.secret_values()
    return [
        Fault(fault.path, f"{fault.message} (inside the text at {redact(text, hidden)})")
        for fault in find_faults(contract.request_schema, coerced.value, hidden)
        if (text := coerced.enclosing_string(fault.path)) is not None
    ]


def validate_by_model(name: str, validate: Callable[[Any], Any], raw: dict[str, Any]) -> Any:
    """Return the request that a hand-written model makes of arguments which the schema accepts.

    Its validators may refuse more than the schema says. Raises InvalidRequestError then.
    """
    try:
        return validate(raw)
    except ValidationError:
        pass
    try:
        return validate(whole_numbers(raw))
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        faults = [Fault(show_path(each["loc"]), each["msg"]) for each in found]
        raise _invalid_arguments(name, faults) from None


def _invalid(contract: ToolContract, faults: list[Fault]) -> InvalidRequestError:
    return _invalid_arguments(contract.name, faults)


def _invalid_arguments(name: str, faults: list[Fault]) -> InvalidRequestError:
    details = {"faults": [{"path": fault.path, "message": fault.message} for fault in faults[:LIMIT]]}
    return InvalidRequestError(f"Invalid arguments for {name}:\n{list_faults(faults)}", details=details)
