"""BaseTool: the base of generated tool classes, which implementations extend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, get_args, get_origin
from weakref import WeakKeyDictionary

from .definition.tool_definition import ToolDefinition
from .errors import NotImplementedToolError, ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator

    from pydantic import BaseModel

    from .content.values import ToolResult
    from .context import ToolContext
    from .response import ToolResponse

Request = TypeVar("Request")  # a pydantic model; a dict where a hand-written tool has no model
Response = TypeVar("Response")


class SignatureError(TypeError):
    """A method of an implementation does not accept the arguments that the spec says."""

    def __init__(self, message: str, function: object) -> None:
        super().__init__(message)
        self.function = function


class ImplementationError(NotImplementedToolError):
    """A tool has no usable implementation; `reason` is for the log."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool} is not implemented in this application.")
        self.reason = reason
        self.add_note(reason)


class ProcessExitError(RuntimeError):
    """An implementation tried to exit the process while it was imported or created."""


class _FromDefinition:
    """An attribute read from the class's definition. Subclasses and instances may override it."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __get__(self, instance: object, owner: type[BaseTool[Any, Any]]) -> Any:
        return cast("dict[str, Any]", owner.definition).get(self.key)


class BaseTool(ABC, Generic[Request, Response]):
    """One tool. Generated subclasses set the class attributes, implementations define `execute`.

    Implementations may define `__init__` as they like: this class keeps no state in the instance.

    Attributes:
        spec: a ToolSpec, in the class of a tool without generated code.
        definition: the contract as plain data. It comes from the generated code, or from `spec`.
        request_model: the class of requests. Without one, `execute` gets a dict.
        response_model: the class of responses. The default is None: any JSON value.
        errors: the classes of the declared errors. Empty by default.
        metadata_model: a class that validates `context.metadata`. The default is None: any JSON object.

    Example:
        class Count(CountTool):
            async def execute(self, request: CountRequest, context: ToolContext) -> CountResponse:
                return CountResponse(words=len(request.text.split()))
    """

    spec: ClassVar[Any]
    definition: ClassVar[ToolDefinition]
    request_model: ClassVar[type[BaseModel]]
    response_model: ClassVar[type[BaseModel] | None] = None
    errors: ClassVar[tuple[type[ToolError], ...]] = ()
    metadata_model: ClassVar[type[BaseModel] | None] = None

    name = _FromDefinition("name")
    description = _FromDefinition("description")  # as published, with the next three
    use_when = _FromDefinition("use_when")  # None if the spec has none
    avoid_when = _FromDefinition("avoid_when")
    returns = _FromDefinition("returns")
    input_schema = _FromDefinition("input_schema")
    output_schema = _FromDefinition("output_schema")

    @abstractmethod
    def execute(
        self, request: Request, context: ToolContext, /, *args: Any, **kwargs: Any
    ) -> (
        Response
        | ToolResult[Response, Any]
        | ToolResponse
        | Iterator[Any]
        | AsyncIterator[Any]
        | Awaitable[Response | ToolResult[Response, Any] | ToolResponse | Iterator[Any] | AsyncIterator[Any]]
    ):
        """Do the work: take `(request, context, *, <injected values>)`, return a response.

        An `async def` runs in the event loop. A `def` runs in a worker thread, where it may block but cannot
        be stopped: after a timeout it continues, and keeps its thread and its injected values until it ends.
        """

    def setup(self, *args: Any, **kwargs: Any) -> Awaitable[None] | None:
        """Prepare for calls: `setup(self)` or `setup(self, context: SetupContext)`.

        Called once by a toolkit, before the first call; a `def` in a worker thread. While it fails, each call
        tries again and is answered with the ToolError that it raises, or else with `not_ready`.
        """

    def close(self) -> Awaitable[None] | None:
        """Undo `setup`. Called by `Toolkit.close` if the tool was set up."""

    @classmethod
    def check_inputs(cls, raw: Any) -> Request:
        """Return the typed request of raw arguments, with every value unchanged.

        Raises ToolError with code `invalid_request` and one line per fault in its message.
        """
        # validation is loaded with the first call
        from .contract.request import read_request
        from .contract.tool_contract import contract_of

        return cast("Request", read_request(contract_of(cls), raw))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "spec" in cls.__dict__:
            _apply_spec(cls, cls.__dict__["spec"])
        if not hasattr(cls, "definition"):
            return
        if "definition" in cls.__dict__:
            check_definition(cls)
        check_models(cls)
        injected = [entry["name"] for entry in cls.definition.get("inject", ())]
        for method in ("execute", "preview"):
            if method in cls.__dict__:
                check_signature(cls, method, injected)


def check_definition(tool: type[BaseTool[Any, Any]]) -> None:
    """Check that a tool class has a definition, and a valid one if it was written by hand.

    Generated definitions, and those of a ToolSpec, have been validated before. Raises TypeError if there is
    none, and ToolSpecError, a ValueError, with every fault of a definition.
    """
    definition: object = getattr(tool, "definition", None)
    if definition is None:
        raise TypeError(
            f"{tool.__qualname__} has no definition: set spec = ToolSpec(...) in its class, or subclass a "
            "generated tool"
        )
    # checking a definition compiles its schemas: once for each class
    if _VALIDATED.get(tool) is definition or (
        isinstance(definition, dict) and definition.keys() >= _GENERATED_KEYS
    ):
        return
    from .definition.check import ToolSpecError, definition_faults  # for hand-written definitions only

    if faults := definition_faults(definition):
        raise ToolSpecError(f"{tool.__module__}.{tool.__qualname__}.definition", faults)
    _VALIDATED[tool] = definition


_GENERATED_KEYS = frozenset({"name", "py_name", "class_name", "description", "input_schema"})
"""Keys of every definition that toolgen or a ToolSpec made; hand-written ones have no class_name."""
_VALIDATED: WeakKeyDictionary[type, object] = WeakKeyDictionary()  # tool class → its hand-written definition


def _apply_spec(tool: type[BaseTool[Any, Any]], spec: object) -> None:
    """Set the class attributes of a tool from its ToolSpec."""
    from .tool_spec import ToolSpec  # with pydantic, for tools that have one

    if not isinstance(spec, ToolSpec):
        if hasattr(tool, "definition"):
            return  # an unrelated attribute of a class that has its definition from elsewhere
        raise TypeError(f"{tool.__qualname__}.spec must be a ToolSpec, not {type(spec).__name__}")
    if "definition" in tool.__dict__:
        raise TypeError(f"{tool.__qualname__} has both spec and definition: leave one out")
    tool.definition = spec.definition
    if "errors" not in tool.__dict__:
        tool.errors = tuple(spec.errors)
    if spec.request_model is not None and "request_model" not in tool.__dict__:
        tool.request_model = spec.request_model
    if "response_model" not in tool.__dict__:
        tool.response_model = spec.response_model


def check_models(cls: type[BaseTool[Any, Any]]) -> None:
    """Raise TypeError if `BaseTool[Request, Response]` names other models than the class has."""
    bases = (base for each in cls.__mro__ for base in each.__dict__.get("__orig_bases__", ()))
    found = next((get_args(base) for base in bases if get_origin(base) is BaseTool), (None, None))
    types: list[Any] = [get_origin(each) or each for each in found]
    request, response = types
    given, returned = getattr(cls, "request_model", None), cls.response_model
    if (_is_model(request) or request is dict) and not issubclass(given or dict, request):
        name, other, model = "request_model", request, given
    # any JSON value may be a response, and the response model is built of a dict
    elif _is_model(response) and returned is not None and not issubclass(response, returned):
        name, other, model = "response_model", response, returned
    else:
        return
    raise TypeError(
        f"{cls.__module__}.{cls.__qualname__} is a BaseTool of {other.__qualname__}, and its {name} is "
        f"{None if model is None else model.__qualname__}: let both be the same class"
    )


def _is_model(kind: object) -> bool:
    # pydantic is imported with the first model
    return isinstance(kind, type) and hasattr(kind, "model_fields")


def check_signature(cls: type[BaseTool[Any, Any]], method: str, injected: list[str]) -> None:
    """Raise SignatureError if a method does not accept the arguments of the runtime."""
    function = getattr(cls, method)
    parameters = signature(function)
    try:
        parameters.bind(None, None, None, **dict.fromkeys(injected))
    except TypeError as error:
        keywords = f", *, {', '.join(injected)}" if injected else ""
        raise SignatureError(
            f"{cls.__module__}.{cls.__qualname__}.{method} must accept (self, request, context{keywords}), "
            f"as the spec of {cls.definition['name']} says: {error}",
            function,
        ) from None
    # pyright does not compare it with that of BaseTool, since any arguments may follow
    annotation: Any = next((each.annotation for each in [*parameters.parameters.values()][1:2]), None)
    if isinstance(annotation, str):
        annotation = getattr(function, "__globals__", {}).get(annotation)
    model = getattr(cls, "request_model", None)
    if model is not None and _is_model(annotation) and not issubclass(model, annotation):
        raise SignatureError(
            f"{cls.__module__}.{cls.__qualname__}.{method} takes a request of {annotation.__qualname__}, and "
            f"the tool's requests are {model.__qualname__}",
            function,
        )
