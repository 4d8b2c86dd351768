"""The keyword arguments of a call, shared by toolkits, provider adapters and bridges.

Functions take them as `**options: Unpack[CallOptions]`, so that editors complete them and type checkers
check them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .confirmation.question import Confirm, ShowApproval
    from .context import Listener, Progress
    from .elicitation import Elicit


class CallerOptions(TypedDict, total=False):
    """The options of `Toolkit.preview`."""

    context: Mapping[Any, Any] | None
    """Added to the toolkit's context for this call."""
    scopes: Collection[str] | None
    """The scopes of the caller. None counts as no scopes: tools with `auth.scopes` then answer
    `insufficient_scope`."""
    principal: str | None
    """The caller's identity, to which a confirmation is bound."""
    headers: Mapping[str, str] | None
    """Headers of the caller's request that the tool may see, by their names in lower case. A confirmation is
    bound to them, too."""
    is_lenient: bool
    """Leave out arguments that the schema does not have, and null for optional ones that it refuses."""


class _CommonOptions(CallerOptions, total=False):
    progress: Progress | None
    """Awaited with the progress that a tool reports: progress, total, message."""
    listen: Listener | None
    """Awaited with each chunk of a streamed result."""
    show_approval: ShowApproval | None
    """Shows the address where people approve a call with `proof: person`, and waits for them. Without it, the
    call fails with `confirmation_required`, and the address is in `response.metadata["approval"]`."""
    elicit: Elicit | None
    """Asks the user for a tool with `asks`. Without it, the tool's question fails with
    `confirmation_required`."""


class CallOptions(_CommonOptions, total=False):
    """The options of `Toolkit.call`, `call_sync`, `stream` and `stream_sync`; streams take no `listen`.

    All are optional, and None counts as not given.

    Example:
        await toolkit.call("order", {"id": 7}, principal="ann", scopes=["orders:write"], confirm=ask)
    """

    confirm: Confirm | None
    """Asks the user. Without it, the tool's `on_unsupported` decides."""
    confirmation_token: str | None
    """Proof that the user approved exactly what was shown with it: the token of an earlier response
    (`response.metadata["confirmation"]`) or of a ConfirmationPending. Never accept it from a model."""
    meta: Mapping[str, Any] | None
    """The protocol's request metadata (`_meta` in MCP)."""
    idempotency_key: str | None
    """A name that the caller gives this call of a tool with `idempotency`: another call with the same
    principal, tool and key gets the answer of the first one, and is not executed."""
    max_page_bytes: int | None
    """The largest page that the caller wants of a tool with `page`, in bytes of compact JSON. The tool's
    `max_result_bytes` holds as well."""


class Filters(TypedDict, total=False):
    """The options of `ToolResponse.render` that omit fields. Both are true by default."""

    filter_empty_fields: bool
    """Omit fields that are None or empty, except `content`, or `error` on errors."""
    filter_metadata_fields: bool
    """Omit `metadata`."""


class RenderedCallOptions(CallOptions, Filters, total=False):
    """The options of `Toolkit.call` and `call_sync` with `as_type`."""


class AdapterOptions(_CommonOptions, total=False):
    """The options of adapters for several calls at once."""

    session: str | None
    """The application's id of the conversation, whose calls see each other's `extras`. This process keeps
    the `TOOLGEN_SESSIONS` sessions that were used last."""


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
    """Convert options of an adapter, without `session`, and its `confirm` to options of a toolkit."""
    converted = cast("CallOptions", options)
    if confirm is not None:
        converted["confirm"] = confirm
    return converted
