"""BaseTool: what generated classes extend and implementations complete."""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from .definition import ToolDefinition
from .errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pydantic import BaseModel

Request = TypeVar("Request", bound="BaseModel")
Response = TypeVar("Response")


class _FromDefinition:
    """An attribute read from the class's definition. A subclass or an instance may have its own instead."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __get__(self, instance: object, owner: type[BaseTool[Any, Any]]) -> Any:
        return cast("dict[str, Any]", owner.definition).get(self.key)


class BaseTool(ABC, Generic[Request, Response]):
    """One tool. Generated subclasses set the class attributes, implementations define `execute`.

    Implementations may define `__init__` as they like: nothing here keeps state in the instance.
    A subclass may say by `metadata_model` what its answers tell of themselves in `context.metadata`.
    """

    definition: ClassVar[ToolDefinition]
    request_model: ClassVar[type[BaseModel]]
    response_model: ClassVar[type[BaseModel] | None] = None  # None: any JSON value
    errors: ClassVar[tuple[type[ToolError], ...]] = ()  # the declared ones
    metadata_model: ClassVar[type[BaseModel] | None] = None  # what `context.metadata` must fit, if anything

    name = _FromDefinition("name")
    description = _FromDefinition("description")
    input_schema = _FromDefinition("input_schema")
    output_schema = _FromDefinition("output_schema")

    @abstractmethod
    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Do the work: `(request, context, *, <injected values>)` to a response.

        `async def` runs in the event loop; a plain `def` runs in a worker thread, where it may block,
        but cannot be stopped: after a timeout it runs on, and keeps its thread and its injected values until
        it ends.
        """

    def setup(self, *args: Any, **kwargs: Any) -> Awaitable[None] | None:
        """Prepare for calls: `setup(self)` or `setup(self, context: SetupContext)`.

        Called once by a toolkit, before the first call; a plain `def` in a worker thread. While it
        fails, calls are answered with the ToolError that it raises, or else with `not_ready`, and
        each call tries again.
        """

    def close(self) -> Awaitable[None] | None:
        """Undo what `setup` did. Called by `Toolkit.close`, if the tool was set up."""

    @classmethod
    def check_inputs(cls, raw: Any) -> Request:
        """The typed request of raw arguments, every value as it came.

        Raises ToolError with code `invalid_request` and one line per fault in its message.
        """
        from .contract import contract_of
        from .validation.request import read_request

        return cast("Request", read_request(contract_of(cls), raw))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not hasattr(cls, "definition"):
            return
        injected = [entry["name"] for entry in cls.definition.get("inject", ())]
        for method in ("execute", "preview"):
            if method in cls.__dict__:
                _check_signature(cls, method, injected)


def _check_signature(cls: type[BaseTool[Any, Any]], method: str, injected: list[str]) -> None:
    """A method that cannot be called as the runtime will call it is told when it is defined."""
    try:
        signature(getattr(cls, method)).bind(None, None, None, **dict.fromkeys(injected))
    except TypeError as error:
        keywords = f", *, {', '.join(injected)}" if injected else ""
        raise TypeError(
            f"{cls.__module__}.{cls.__qualname__}.{method} must accept (self, request, context{keywords}), "
            f"as the spec of {cls.definition['name']} says: {error}"
        ) from None
