"""State that a toolkit shares with its sessions and selections: settings, stores, threads, queued calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from .context import Caller, ToolConfig
from .settings import SettingError, Settings

if TYPE_CHECKING:
    from .approval.approvals import Approvals
    from .contract.tool_contract import ToolContract
    from .execution.environment import Environment
    from .execution.threads.event_loop import LoopThread
    from .implementations.registry import Registry
    from .response import ToolResponse

Call: TypeAlias = "Callable[[str, Any, Caller], Coroutine[Any, Any, ToolResponse]]"
"""Starts a call by name, with its arguments and the caller."""


class SharedState:
    """State that a toolkit shares with its sessions and selections; created for the first call.

    Attributes:
        registry: of all tools, also for sessions and selections; the toolkit sets it.
        context: returns the toolkit's context.
    """

    registry: Registry

    def __init__(self, config: ToolConfig, call: Call, context: Callable[[], Mapping[Any, Any]]) -> None:
        self.config = config
        self.context = context
        self._call = call
        self._lock = threading.RLock()
        self._environment: Environment | None = None
        self._services: Environment | None = None  # without a context
        self._settings = config.settings
        self._approvals: Approvals | None = None
        self._loop: LoopThread | None = None
        # an invalid setting is raised where the toolkit is made
        settings = config.settings or Settings.from_environment()
        if settings != Settings():
            self._services = self._open(settings)

    @property
    def settings(self) -> Settings:
        """The settings, read on first use, so that a server's flags apply to toolkits created before."""
        with self._lock:
            if self._settings is None:
                self._settings = Settings.from_environment()
            return self._settings

    def loop(self) -> LoopThread:
        """Return the event loop of synchronous calls; its thread starts with the first call."""
        from .execution.threads.event_loop import LoopThread  # only synchronous callers need one

        with self._lock:
            if self._loop is None:
                self._loop = LoopThread()
            return self._loop

    def running_loop(self) -> LoopThread | None:
        """Return the event loop of synchronous calls if it is running."""
        return self._loop if self._loop is not None and self._loop.running else None

    def environment(self) -> Environment:
        """Return the environment of calls outside of sessions."""
        with self._lock:
            if self._environment is None:
                self._environment = replace(self.services(), context=self.context())
            return self._environment

    async def close(self) -> None:
        """Close the tools that were set up."""
        if self._environment is not None:
            await self.registry.close(self._environment)

    def services(self) -> Environment:
        """Return the environment without a context. Raises SettingError if a setting is not valid."""
        with self._lock:
            # a server's flags may have changed the settings since the toolkit was made
            if self._services is None or self._services.settings != self.settings:
                self._services = self._open(self.settings)
            return self._services

    def approvals(self) -> Approvals:
        """Return the approvals of people. Raises SettingError for settings, files and packages."""
        try:
            from .approval.approvals import Approvals  # for tools with `proof: person`
        except ModuleNotFoundError as error:
            needed = f"the package {error.name}: pip install 'toolgen[approval]'"
            raise SettingError(f"a tool with `proof: person` needs {needed}") from error

        with self._lock:
            if self._approvals is None:
                self._approvals = Approvals(self.settings)
            return self._approvals

    def use_approvals(self, approvals: Approvals | None) -> Approvals | None:
        """Replace the approvals of people; None: by those of the settings. Return those before."""
        with self._lock:
            before, self._approvals = self._approvals, approvals
        return before

    def _open(self, settings: Settings) -> Environment:
        # the first call loads what calls need
        from .background.tasks import Tasks
        from .confirmation.tokens import ConfirmationTokens
        from .execution.environment import Environment
        from .execution.idempotency import Admission
        from .execution.threads.worker_pool import WorkerPool

        return Environment(
            {},
            self.config,
            settings,
            ConfirmationTokens.from_settings(settings),
            WorkerPool(settings.threads, settings.queue),
            Admission(settings),
            self.approvals,
            Tasks.from_settings(settings, self._contract_of, self._call),
        )

    def _contract_of(self, name: str) -> ToolContract | None:
        entry = self.registry.current.by_name.get(name)
        return None if entry is None else (entry.prepared or entry.prepare()).contract
