"""The keyword arguments of a call: defined here once, for toolkits, provider adapters and bridges.

Functions take them as `**options: Unpack[CallOptions]`, so that editors complete them and type checkers
check them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .confirmation.question import Confirm
    from .context import Listener, Progress


class CallerOptions(TypedDict, total=False):
    """Who calls, and with what. The options of `Toolkit.preview`."""

    context: Mapping[Any, Any] | None
    """Is added to the toolkit's context for this call."""
    scopes: Collection[str] | None
    """What the caller may do. None counts as no scopes: tools with `auth.scopes` then answer
    `insufficient_scope`."""
    principal: str | None
    """Who calls; a confirmation is bound to it."""


class _CommonOptions(CallerOptions, total=False):
    progress: Progress | None
    """Is awaited with the progress that a tool reports: done, total, message."""
    listen: Listener | None
    """Is awaited with each chunk of a streamed result."""


class CallOptions(_CommonOptions, total=False):
    """The options of `Toolkit.call`, `call_sync` and `stream`; `stream` takes no `listen`."""

    confirm: Confirm | None
    """Asks the user. Without it, the tool's `on_unsupported` decides."""
    confirmation_token: str | None
    """Says that the user approved exactly what was shown with it: the token of an earlier answer
    (`response.metadata["confirmation"]`) or of a ConfirmationPending. It never comes from a model."""
    meta: Mapping[str, Any] | None
    """The protocol's request metadata (`_meta` in MCP)."""


class AdapterOptions(_CommonOptions, total=False):
    """The options of adapters for several calls at once."""

    session: str | None
    """The application's id of the conversation, whose calls see each other's `extras`. The sessions are kept
    in this process, `TOOLGEN_SESSIONS` of them for `TOOLGEN_SESSION_IDLE` seconds."""


class AdapterCallOptions(AdapterOptions, total=False):
    """The options of adapters for one call."""

    confirmation_token: str | None
    """As in CallOptions."""


def check_options(function: str, options: Mapping[str, Any], known: type[Any]) -> None:
    """Raise TypeError if `options` has a key that the TypedDict `known` does not define."""
    if options and not options.keys() <= known.__annotations__.keys():
        unknown = next(key for key in options if key not in known.__annotations__)
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown!r}")


def toolkit_options(options: AdapterCallOptions, confirm: Confirm | None) -> CallOptions:
    """Turn the options of an adapter, without `session`, and its `confirm` into options of a toolkit."""
    made = cast("CallOptions", options)
    if confirm is not None:
        made["confirm"] = confirm
    return made
