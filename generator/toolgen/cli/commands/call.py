"""Call one tool's implementation, with validated input and output, and with confirmation by the user.

Needs the generated code. Prints the response's data; a tool error goes to stderr, with exit code 1.
Of a tool with `proof: person`, prints the address where people approve the call, and waits for them.
Waits for a tool that runs in a worker (`background`). On a terminal, shows the progress that a tool reports.
With --preview, prints what a tool with `confirm.preview` would do; nothing is asked and nothing is done.

With --against, a tool of a running MCP server is called instead, by the name that the server lists. Needs no
project, and validates nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from toolgen.base.escaping.places import terminal_lines
from toolgen.base.files import read_named
from toolgen.base.suggestions import did_you_mean
from toolgen.cli.generated_package import GeneratedPackage, add_frozen, bring_up_to_date, working_folder
from toolgen.cli.output import ask_in_event_loop, can_ask, emit, emit_json, say, say_text, show_status
from toolgen.cli.parser import add_flag, add_format, add_server, add_tools
from toolgen.project import Project, UnableError, find_project
from toolgen.project.files.saved_blocks import save_blocks
from toolgen.runtime import Confirmation, Toolkit, ToolResponse
from toolgen.runtime.confirmation.question import ShowApproval
from toolgen.runtime.definition.tool_definition import needs_people
from toolgen.runtime.errors import ConfirmationRequiredError, InsufficientScopeError
from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.runtime.logs.configure import configure_logging
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import Settings, parse_setting
from toolgen.serving.received_results import response_of, text_of
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import ServerAnswer, agree, call_server


def arguments(parser: argparse.ArgumentParser) -> None:
    add_tools(parser, "name", metavar="NAME", help="the tool's name, or an alias")
    parser.set_defaults(intermixed=True, hint="arguments of the tool are NAME=VALUE, without hyphens")
    about = "an argument: NAME=text, or NAME:=JSON"
    # without a default, argparse calls it required when the name is missing
    parser.add_argument("arguments", nargs="*", default=[], metavar="NAME=VALUE", help=about)
    parser.add_argument(
        "--input", default="{}", metavar="JSON", help="the arguments; @FILE reads a file, - reads stdin"
    )
    parser.add_argument(
        "--save",
        metavar="FOLDER",
        type=Path,
        help="write images, audio, files and texts of the result to new files in this folder",
    )
    consent = parser.add_mutually_exclusive_group()
    add_flag(consent, "--yes", "confirm what the tool asks the user to confirm")
    add_flag(consent, "--preview", "show the preview of the call; do nothing")
    parser.add_argument(
        "--scopes",
        metavar="SCOPES",
        help="scopes granted to the call, comma-separated (default: TOOLGEN_SCOPES)",
    )
    add_frozen(parser)
    add_server(parser, "call")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    if args.against is not None:
        return _call_server(args)

    if args.header:
        raise UnableError("usage", "--header is an option of --against URL")
    project = find_project(Path(args.start))
    # before the project's code is imported, which may take a while
    given = _input(args)
    scopes = _scopes(args.scopes)
    text_logs = _configure_logging()
    bring_up_to_date(project, args)
    # what an implementation prints is talk
    with working_folder(args), contextlib.redirect_stdout(sys.stderr):
        toolkit = _toolkit(project)
        if toolkit.definition_of(args.name) is None:
            raise _unknown(args.name, toolkit)
        # nobody is there: the spec decides
        confirm = agree if args.yes else _ask if can_ask() else None
        work = _preview if args.preview else partial(_call, confirm=confirm)
        with _cause_of_failure() as causes:
            response = run_event_loop(lambda: work(toolkit, args.name, given, scopes=scopes))
    files: list[Path | None] = [None] * len(response.blocks)
    if args.save is not None:
        files = save_blocks(response, args.save, project=project.root)
    if args.format == "json":
        emit_json(_as_data(response, files))
    elif response.error is not None:
        say_text(response.error.as_text())
        definition: Mapping[str, Any] = toolkit.definition_of(args.name) or {}
        if response.error.code == ConfirmationRequiredError.code and not needs_people(definition):
            asks = definition.get("asks", False)
            hint = "an application or a client of MCP shows the forms of a tool with `asks`; " if asks else ""
            say(f"Hint: {hint}toolgen call asks at a terminal; --yes agrees without asking.", always=True)
        elif response.error.code == InsufficientScopeError.code:
            missing = response.error.details["missing"]
            near = filter(None, (did_you_mean(each, missing) for each in sorted(scopes or ())))
            hint = "; ".join((f"grant scopes with --scopes {','.join(missing)}", *near))
            say(f"Hint: {hint}", always=True)
    elif args.preview and isinstance(response.content, str):
        emit(*response.content.split("\n"))  # the runtime has escaped the lines of arguments
    else:
        _print(response, files)
    if text_logs:  # JSON records are read by programs
        for cause in causes:
            say_text(cause)
    return response.success


def _call_server(args: argparse.Namespace) -> bool:
    if args.save is not None or args.scopes is not None:
        raise UnableError(
            "usage", "--against takes neither --save nor --scopes", "--format json has all blocks"
        )
    if args.preview:  # another server would ignore the request for a preview, and execute the call
        raise UnableError("usage", "--against takes no --preview: not every server knows previews")
    arguments = _input(args)
    if not isinstance(arguments, dict):
        raise UnableError("bad-input", "the input of a tool of MCP must be a JSON object")
    server = ServerAddress.parse(args.against, args.header)
    ask = agree if args.yes else _ask_for_server if can_ask() else None
    answer = call_server(server, args.name, arguments, ask)
    _print_answer(answer, as_json=args.format == "json")
    return answer.result is not None and not answer.result.is_error


def _print_answer(answer: ServerAnswer, *, as_json: bool) -> None:
    result = answer.result
    if as_json:
        # names as on the wire: isError, mimeType
        data = None if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)
        error = {"kind": answer.refusal, "message": answer.message} if answer.refusal else None
        emit_json({"result": data, "error": error})
    elif result is None:
        say_text(f"{answer.refusal}: {answer.message}")
    elif result.is_error:
        say_text(text_of(result))
    else:
        emit_json(response_of(result, None))
        for block in result.content:
            if block.type != "text":
                say(f"a block of the type {block.type} is not shown; `--format json` has it")


async def _ask_for_server(question: Any) -> bool:
    return await _yes(question.message)


def _print(response: ToolResponse, files: Sequence[Path | None]) -> None:
    """Print the response's data; its blocks, if there is nothing else. Say what the blocks are."""
    if response.blocks and response.content is None:
        emit_json(_as_data(response, files)["blocks"])
    else:
        emit_json(response.content)
    for block, file in zip(response.blocks, files, strict=True):
        say(block.as_text() if file is None else f"wrote {file}", always=True)
    if any(block.type not in ("link", "text") for block in response.blocks) and not any(files):
        say("`--save FOLDER` writes them to files")


async def _call(
    toolkit: Toolkit, name: str, given: Any, *, confirm: Any, scopes: frozenset[str] | None
) -> ToolResponse:
    async with toolkit, _interruptible(), _pages_of(toolkit, name) as show:  # what the tool set up is closed
        progress = _show_progress if sys.stderr.isatty() else None
        try:
            return await toolkit.call(
                name, given, confirm=confirm, show_approval=show, scopes=scopes, progress=progress
            )
        finally:
            if progress is not None:
                show_status()  # leave the line as it was found


@contextlib.asynccontextmanager
async def _interruptible() -> AsyncIterator[None]:
    """Let ^C cancel this task when the event loop has control.

    asyncio cancels it at once, maybe from inside of the tool's own code: the runtime cannot tell that from a
    tool that cancels itself. A second ^C ends a tool that never gives up control.
    """
    loop, handler = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
    if not callable(handler):  # ^C is ignored
        yield
        return
    cancel = partial(handler, signal.SIGINT, None)

    def interrupt(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.call_soon_threadsafe(cancel)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextlib.asynccontextmanager
async def _pages_of(toolkit: Toolkit, name: str) -> AsyncIterator[ShowApproval | None]:
    """Serve the pages where people approve the calls of a tool; yield what shows their addresses.

    Yields None if it needs nobody. Raises UnableError.
    """
    definition: Mapping[str, Any] = toolkit.definition_of(name) or {}
    approvals = toolkit.approvals if needs_people(definition) else None
    if approvals is None:
        yield None
        return
    from toolgen.serving.approval.listener import serving_pages  # of the extra `approval`

    shown: set[str] = set()

    async def show_approval(confirmation: Confirmation) -> bool:
        address = confirmation.approval
        if address is not None and address.url not in shown:
            shown.add(address.url)
            say(*terminal_lines(confirmation.text), f"to approve it, open {address.url}", always=True)
        return True

    async with serving_pages(approvals):
        for problem in approvals.problems([definition]):
            raise UnableError("usage", problem)  # nobody could end the wait
        yield show_approval


async def _show_progress(progress: float, total: float | None, message: str | None) -> None:
    """Show on the terminal how far a tool is, also one that runs in a worker."""
    done = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
    show_status(f"{done}: {message}" if message else done)


async def _preview(toolkit: Toolkit, name: str, given: Any, *, scopes: frozenset[str] | None) -> ToolResponse:
    async with toolkit:
        return await toolkit.preview(name, given, scopes=scopes)


def _scopes(given: str | None) -> frozenset[str] | None:
    """Return the scopes of the option, or else of the environment variable; None if neither is set."""
    if given is not None:
        return frozenset(parse_setting("scopes", given))
    scopes = Settings.from_environment().scopes
    return frozenset(scopes) if scopes else None


def _configure_logging() -> bool:
    """Log as a server does; without TOOLGEN_LOG_LEVEL warnings only, as the result is printed anyway.

    Return True if records are text.
    """
    level = os.environ.get("TOOLGEN_LOG_LEVEL") or "warning"
    settings = Settings.from_environment({**os.environ, "TOOLGEN_LOG_LEVEL": level})
    configure_logging(settings)
    return settings.log_format != "json"


@contextlib.contextmanager
def _cause_of_failure() -> Iterator[list[str]]:
    """Collect the exception of a call that ends in `internal_error`, or the faults of an invalid response.

    The caller of a server never gets their texts, and the log has them only at DEBUG. Here, the caller is the
    developer.
    """
    causes: list[str] = []
    level = LOGGER.getEffectiveLevel()

    def collect(record: logging.LogRecord) -> bool:
        is_detail = getattr(record, "event", "") == "detail"
        if is_detail and getattr(record, "code", "") in ("internal_error", "invalid_response"):
            error = record.exc_info[1] if record.exc_info else None
            faults = record.getMessage().split("\n", 2)[-1]  # below the summary and the answer
            causes.append(f"Its answer:\n{faults}" if error is None else f"{type(error).__name__}: {error}")
        return record.levelno >= level

    before = LOGGER.level
    LOGGER.addFilter(collect)
    LOGGER.setLevel(logging.DEBUG)
    try:
        yield causes if level > logging.DEBUG else []
    finally:
        LOGGER.removeFilter(collect)
        LOGGER.setLevel(before)


def _input(args: argparse.Namespace) -> Any:
    """Return the value of --input, with the arguments that are given as NAME=VALUE."""
    given = _json(args.input)
    for text in args.arguments:
        name, separator, value = text.partition("=")
        if not (separator and name.strip(":")) or not isinstance(given, dict):
            hint = "a whole object is given as --input '{…}'"
            raise UnableError("bad-input", f"{text!r} is not NAME=VALUE, beside an object in --input", hint)
        key = name.removesuffix(":")
        if key in given:
            raise UnableError("bad-input", f"the argument {key!r} is given twice")
        given[key] = value if key == name else _json(value)
    return given


def _json(text: str) -> Any:
    try:
        if text == "-":
            text = sys.stdin.read()
        elif text.startswith("@"):
            text = read_named(text[1:]).decode()
        return json.loads(text, parse_constant=_refuse)
    except OSError as error:
        raise UnableError("bad-input", f"cannot read {text[1:]}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnableError(
            "bad-input", f"the input is not JSON: {error}", "for example --input '{\"id\": 1}', or id:=1"
        ) from error


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"JSON has no {word}")


def _toolkit(project: Project) -> Toolkit:
    """The generated package's toolkit, with the implementations that the project has."""
    sys.path.insert(0, str(project.import_root))
    package = GeneratedPackage(project.package, project.import_root)
    toolkit: Toolkit = package.module("catalog", "run `toolgen generate`").toolkit()
    return toolkit


def _unknown(name: str, toolkit: Toolkit) -> UnableError:
    names = list(toolkit.definitions)
    hint = did_you_mean(name, names) or f"the tools are {', '.join(names) or 'none at all'}"
    return UnableError("no-such-tool", f"there is no tool called '{name}'", hint)


async def _ask(confirmation: Confirmation) -> bool:
    """Show the preview at the terminal, and ask."""
    if confirmation.preview:
        say(*confirmation.preview.split("\n"), always=True)
    return await _yes(confirmation.message)


async def _yes(question: str) -> bool:
    *lines, last = terminal_lines(question)
    say(*lines, always=True)
    return (await ask_in_event_loop(f"{last} [y/N] ")).lower() in ("y", "yes")


def _as_data(response: ToolResponse, files: Sequence[Path | None]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(response.as_dict(), default=str))  # extras are anything
    for block, file in zip(data["blocks"], files, strict=True):
        if file is not None:
            block["file"] = str(file)
    return data
