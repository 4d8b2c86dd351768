"""Join the examples of an operation's parameters, body and response to calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.sources.examples import SourceExample
from toolgen.sources.openapi.document import NamedValues
from toolgen.sources.openapi.operation_arguments import OperationArguments
from toolgen.sources.openapi.parsed_operation import ParsedOperation


def operation_examples(parsed: ParsedOperation) -> Iterator[SourceExample]:
    """Yield a call for each name that an example of the request has, or one for the whole operation.

    A part without an example of that name has its single or first one. An operation whose required arguments
    have no example has none.
    """
    arguments, responses = parsed.arguments, parsed.responses.examples
    named = [arguments.body_examples, *arguments.examples.values()]
    names = list(dict.fromkeys(name for values in named for name in values if name)) or [""]
    for name in names:
        request = _request(arguments, name)
        if request is None:
            continue
        if not request and not responses:
            continue
        used = _response_name(name, names, responses)
        if used is None:
            yield SourceExample(request, name)
            continue
        output = responses[used]
        yield SourceExample(
            request, name or used, {"result": output} if parsed.responses.wrapped else output, has_output=True
        )


def _request(arguments: OperationArguments, name: str) -> dict[str, Any] | None:
    """Return the arguments of the example `name`; None if a required one is missing."""
    request = {argument: _chosen(values, name) for argument, values in arguments.examples.items() if values}
    if arguments.body_examples:
        body = _body_arguments(arguments, _chosen(arguments.body_examples, name))
        if body is None:
            return None
        request |= body
    for argument in arguments.required:
        if argument not in request:
            schema = arguments.properties[argument]
            shown = schema.get("examples") if isinstance(schema, dict) else None
            if not isinstance(shown, list) or not shown:
                return None
            request[argument] = shown[0]
    return request


def _body_arguments(arguments: OperationArguments, body: Any) -> dict[str, Any] | None:
    """Return an example of the body as arguments; None if it cannot be split."""
    if arguments.body_names is None:
        return {arguments.body_argument: body}
    if not isinstance(body, dict):
        return None
    written: dict[str, Any] = body
    split: dict[str, Any] = {}
    by_property = {name: argument for argument, name in arguments.body_names.items()}
    for key, value in written.items():
        if key not in by_property and key in arguments.properties:
            return None  # the name of a parameter
        if key not in arguments.read_only:
            split[by_property.get(key, key)] = value
    return split


def _chosen(values: NamedValues, name: str) -> Any:
    if name in values:
        return values[name]
    return values[""] if "" in values else next(iter(values.values()))


def _response_name(name: str, names: list[str], responses: NamedValues) -> str | None:
    """Return the name of the response that belongs to a request; None if it is not clear which one."""
    if name in responses:
        return name
    if len(names) == 1 and responses:
        return next(iter(responses))
    return None
