"""The process that imports a project's implementations for `check --implementations`."""

from __future__ import annotations

import dataclasses
import faulthandler
import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper
from typing import Any

from toolgen.testing.processes.child_run import report_events


def main(result: str, trace: str) -> None:
    """Check the implementations; the events are {"started": …}, {"fault": …}, {"broken": …}."""
    report_events(result, trace, _check)


def _check(task: Any, hung: TextIOWrapper, write: Callable[..., None]) -> None:

    def started(name: str, file: str) -> None:
        faulthandler.dump_traceback_later(task["seconds"], exit=True, file=hung)
        write(started=[name, file])

    sys.path.insert(0, task["folder"])
    catalog = import_module(f"{task['package']}.catalog")
    from toolgen.runtime.implementations.implementation_faults import check_implementations

    for fault in check_implementations(
        catalog, skip=task["skip"], unlisted=task["unlisted"], started=started
    ):
        write(fault=dataclasses.asdict(fault))
