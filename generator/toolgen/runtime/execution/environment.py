"""The environment of a toolkit's calls: context, configuration, settings, worker threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolgen.runtime.background.tasks import Tasks
from toolgen.runtime.confirmation.tokens import ConfirmationTokens
from toolgen.runtime.context import ToolConfig
from toolgen.runtime.settings import Settings

from .idempotency import Admission
from .threads.worker_pool import WorkerPool

if TYPE_CHECKING:
    from toolgen.runtime.approval.approvals import Approvals


@dataclass(frozen=True, slots=True)
class Environment:
    """State and configuration that all calls of a toolkit, or of one of its sessions, share."""

    context: Mapping[Any, Any]
    config: ToolConfig
    settings: Settings
    confirmations: ConfirmationTokens
    pool: WorkerPool  # of threads for synchronous tools
    admission: Admission
    approvals: Callable[[], Approvals]  # raises SettingError
    tasks: Tasks | None = None  # None: no queue is configured
    extras: MutableMapping[str, Any] | None = None  # of the session; None outside of a session
    session_id: str | None = None

    def plus(self, context: Mapping[Any, Any]) -> Environment:
        """Return a copy with more context."""
        return replace(self, context={**self.context, **context})
