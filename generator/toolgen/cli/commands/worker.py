"""Run calls that a server with the same TOOLGEN_TASK_QUEUE has queued: of tools with `background`.

PACKAGE and your implementations are imported as by `toolgen serve`. Settings are environment variables, as
for servers; TOOLGEN_THREADS is the number of calls at once. SIGTERM stops the worker: it begins no further
call, and those that run get TOOLGEN_GRACE seconds. Needs only toolgen[tasks].
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal

from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_package import add_package, find_package, working_folder
from toolgen.project import UnableError
from toolgen.runtime.instrumentation.export import start_export
from toolgen.runtime.logs.configure import announce, configure_logging, keep_audit, server_handler
from toolgen.runtime.process_record import PROCESS
from toolgen.runtime.settings import Settings
from toolgen.runtime.stores.store import StoreError
from toolgen.runtime.toolkit import Toolkit


def arguments(parser: argparse.ArgumentParser) -> None:
    add_package(parser)


def run(args: argparse.Namespace) -> ExitCode:
    package = find_package(args)
    hint = "run `toolgen generate`, or name the generated package: toolgen worker PACKAGE"
    try:
        with working_folder(args):
            catalog = package.module("catalog", hint)
            settings = Settings.from_environment()
            configure_logging(settings, server_handler())
            keep_audit()
            start_export()
            toolkit: Toolkit = catalog.default_toolkit()
            PROCESS.started(package.name, "", "worker", settings, catalog)
            return asyncio.run(_work(toolkit, package.name))
    except StoreError as error:
        hint = "does TOOLGEN_TASK_QUEUE name a server that runs?"
        raise UnableError("usage", f"the queue cannot be reached: {error}", hint) from None


async def _work(toolkit: Toolkit, package: str) -> ExitCode:
    async with toolkit:
        number = await toolkit.work(lambda: announce(f"running queued calls of {package}", logging.INFO))
    code = ExitCode.INTERRUPTED if number == signal.SIGINT else ExitCode.CLEAN
    PROCESS.stopped(code)
    return code
