"""Log records of one run of a server or a worker: what started, why it stops, how it ended.

The record of a start has each setting that differs from its default. Of a store it has the kind, of a key a
digest by which replicas can be compared, of an address no password.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
import threading
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from time import gmtime, monotonic, perf_counter, sleep, strftime, time
from typing import Any, Final

from toolgen.base.files import read_named

from .execution.calls_in_flight import TRACE, TracedCall
from .execution.loop_watchdog import IN_FLIGHT
from .health import HEALTH
from .logs.logger import LOGGER
from .settings import SettingError, Settings
from .stores.store import SECONDS, StoreError, open_store

STORES: Final = ("confirmation_store", "idempotency_store", "rate_limit_store", "task_queue")
_SHOWN: Final = 20  # calls in a record


class ProcessRecord:
    """The run of this process. Its methods may be called by a handler of signals."""

    _began: float | None = None  # None: it has not started, or its end was recorded

    def started(self, name: str, release: str, transport: str, settings: Settings, catalog: Any) -> None:
        """Record the start, and processes before it that did not stop; look whether the stores answer.

        `release` is the version of the server, `catalog` the generated module, or None.
        """
        self._began = monotonic()
        if settings.in_flight is not None:
            label = f"{name} over {transport}, process {os.getpid()}, started at {_shown(time())}"
            _open_trace(settings.in_flight, label)
        stores = {each: (getattr(settings, each) or "unset").partition(":")[0] for each in STORES}
        extra = {
            "event": "started",
            "server": name,
            "server_version": release,
            "toolgen_version": _own_version(),
            "transport": transport,
            "contracts": _digest_of_manifest(catalog),
            "stores": stores,
            "settings": changed_settings(settings),
        }
        text = ", ".join(f"{key} {value}" for key, value in extra.items() if key != "event")
        LOGGER.info("started: %s", text, extra=extra)
        for each in STORES:
            if stores[each] not in ("memory", "unset"):
                threading.Thread(target=_ask, args=(each, getattr(settings, each)), daemon=True).start()

    def stopping(self, reason: str) -> None:
        """Record that the process stops, and the calls in flight."""
        _log("stopping", f"stopping: {reason}", _in_flight(), reason=reason)

    def stopped(self, exit_code: int | None = None) -> None:
        """Record the end, once, with the calls that go on. Without an exit code, others serve the app."""
        began, self._began = self._began, None
        if began is not None:
            seconds = round(monotonic() - began, 3)
            text = f"stopped after {seconds:g} s, exit code {exit_code}"
            _log("stopped", text, _in_flight(), seconds=seconds, exit_code=exit_code)
            TRACE.close()


PROCESS: Final = ProcessRecord()


def changed_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from their defaults: a key as a digest, an address without its user."""
    changed: dict[str, Any] = {}
    for each in fields(Settings):
        value = getattr(settings, each.name)
        if each.name not in STORES and value != each.default:
            if each.metadata["secret"]:
                value = hashlib.sha256(f"toolgen/fingerprint {value}".encode()).hexdigest()[:8]
            changed[each.name] = re.sub(r"//[^/@\s]*@", "//", value) if isinstance(value, str) else value
    return changed


def _digest_of_manifest(catalog: Any) -> str | None:
    """Return the first digits of the SHA-256 of the manifest beside a generated catalog."""
    try:
        folder = os.path.dirname(sys.modules[catalog.__name__].__file__ or "")
        return hashlib.sha256(read_named(os.path.join(folder, "toolgen.manifest.json"))).hexdigest()[:12]
    except (AttributeError, KeyError, OSError):  # the application has made the tools
        return None


def _own_version() -> str | None:
    try:
        return version("toolgen")
    except PackageNotFoundError:  # copied into another package, without its metadata
        return None


def _open_trace(folder: str, label: str) -> None:
    """Trace the calls in flight; report what earlier processes left."""
    try:
        ended = TRACE.open(folder, label)
    except (OSError, ImportError) as error:
        LOGGER.warning("TOOLGEN_IN_FLIGHT: calls in flight are not traced: %s", error)
        return
    for before, calls in ended.items():
        _log("crashed", f"the last process ended without stopping: {before}", calls, level=logging.ERROR)


def _in_flight() -> list[TracedCall]:
    began = time() - perf_counter()
    return [TracedCall(began + each.began, each.call_id, each.tool_name) for each in IN_FLIGHT.copy()]


def _log(event: str, text: str, calls: list[TracedCall], *, level: int = logging.INFO, **more: Any) -> None:
    shown = [f"{each.tool_name} since {_shown(each.since)} (call {each.call_id})" for each in calls[:_SHOWN]]
    extra = {"event": event, "calls": [each._asdict() for each in calls[:_SHOWN]], **more}
    LOGGER.log(level, "%s; calls in flight: %s", text, ", ".join(shown) or "none", extra=extra)


def _shown(seconds: float) -> str:
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def _ask(setting: str, store: str) -> None:
    """Ask a store until it answers: the log has one that is away before a call needs it."""
    part = setting.replace("_", " ")
    while True:
        try:
            open_store(setting, store).apply("start", lambda *_: None)
        except (StoreError, SettingError) as error:
            HEALTH.degrade(part, str(error))
            sleep(SECONDS)
        else:
            return HEALTH.recover(part)
