"""Templates of a project are rendered in Jinja's sandbox, in a process with limits.

A stranger's repository names its own templates, and `toolgen check` renders them. The sandbox lets them reach
no attribute or method that leads out of the data they are given; the process ends them when they take more
time, memory or output than a template needs. Where Python has no `resource` (Windows), memory is not limited.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolgen.data.bug import TemplateBug
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.package import Package
from toolgen.data.source import Span
from toolgen.data.target import Target
from toolgen.python_source.literals import comment, docstring, literal

SECONDS = 4.0  # of work, and more for projects with many tools:
SECONDS_PER_TOOL = 0.02
MEMORY = 256 * 1024 * 1024  # bytes, beside what the program and the tools take
OUTPUT = 64 * 1024 * 1024  # characters that one template prints

OPTIONS: Mapping[str, Any] = {
    "undefined": jinja2.StrictUndefined,
    "autoescape": False,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
FILTERS: Mapping[str, Any] = {"literal": literal, "docstring": docstring, "comment": comment}

_ENVIRONMENT = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from toolgen.compile.template_sandbox import child
child()
"""
_SPENT = "takes more than {} seconds"
_HINT = "a template prints one file: print less, or loop over less"


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One template to render: for one tool, or for all of them."""

    template: str
    tool: int | None = None  # its position in the model


def render_in_sandbox(target: Target, model: Package, jobs: Sequence[TemplateJob]) -> list[str]:
    """Return the text of each job, all of them rendered by one process.

    Raises `SpecErrors` with the line of a template that fails (`bad-template`) or that takes too much
    (`template-limit`), and `TemplateBug` for a built-in template that fails beside the project's own.
    """
    seconds = SECONDS + SECONDS_PER_TOOL * len(model.tools)
    task = pickle.dumps((dict(target.templates), model, list(jobs), seconds))
    paths = [path for path in sys.path if path]
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _CHILD, json.dumps(paths)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    )
    try:  # a machine under load gives a process less than its share
        output, errors = process.communicate(task, timeout=seconds * (1 if sys.platform == "win32" else 10))
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    texts: list[str] = []
    job = jobs[0] if jobs else TemplateJob("")
    for line in output.splitlines():
        try:
            found = json.loads(line)
        except ValueError:  # cut short: the process was ended
            break
        if "start" in found:
            job = jobs[found["start"]]
        elif "text" in found:
            texts.append(found["text"])
        else:
            raise _refused(
                target, found["template"] or job.template, found["line"], found["code"], found["why"]
            )
    if len(texts) == len(jobs):
        return texts
    if process.returncode > 0:
        raise RuntimeError(errors.decode("utf-8", "replace"))
    raise _refused(target, job.template, 1, "template-limit", _SPENT.format(f"{seconds:g}"))


def _refused(target: Target, template: str, line: int, code: str, why: str) -> Exception:
    shown = target.own.get(template)
    if shown is None:
        return TemplateBug(f"template {target.name}/{template}: line {line}: {why}")
    message = f"this template {why}" if code == "template-limit" else f"this template fails: {why}"
    hint = _HINT if code == "template-limit" else ""
    return SpecErrors([Diagnostic(Span(shown, line, 1), code, message, hint)])


class _LimitError(Exception):
    """A template exceeds a limit."""


def child() -> None:
    """Run in the other process: read the task from stdin, write one JSON object a line to stdout."""
    templates, model, jobs, seconds = pickle.loads(sys.stdin.buffer.read())
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FunctionLoader(
            lambda name: (templates[name], name, None) if name in templates else None
        ),
        **OPTIONS,
    )
    environment.filters.update(FILTERS)
    _limit(seconds)
    for number, job in enumerate(jobs):
        _send({"start": number})
        names = {"model": model} if job.tool is None else {"model": model, "tool": model.tools[job.tool]}
        try:
            _send({"text": _text(environment.get_template(job.template), names)})
        except Exception as error:
            template, line = _place(error, templates)
            spent = isinstance(error, _LimitError | MemoryError | RecursionError | OverflowError)
            _send(
                {
                    "template": template,
                    "line": line,
                    "code": "template-limit" if spent else "bad-template",
                    "why": _why(error, seconds),
                }
            )
            return


def _text(template: jinja2.Template, names: Mapping[str, Any]) -> str:
    """Return the text of `template`. Raises `_LimitError` where that is too much."""
    parts: list[str] = []
    size = 0
    for part in template.generate(names):
        size += len(part)
        if size > OUTPUT:
            raise _LimitError(f"prints more than {OUTPUT:,} characters")
        parts.append(part)
    return "".join(parts)


def _send(data: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()


def _place(error: BaseException, templates: Mapping[str, str]) -> tuple[str, int]:
    """Return template and line of a failure; an empty name where it is unknown."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return error.name or "", error.lineno
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in templates]
    return (frames[-1].filename, frames[-1].lineno or 1) if frames else ("", 1)


def _why(error: Exception, seconds: float) -> str:
    match error:
        case _LimitError():
            return str(error)
        case MemoryError():
            return f"takes more than {MEMORY // 1024 // 1024} MB of memory"
        case RecursionError():
            return "calls itself without end"
        case OverflowError():
            return f"takes more than it may: {error}"[:500]
    return f"{error or type(error).__name__}"[:500]


def _limit(seconds: float) -> None:
    """Limit this process to `seconds` more of processor time and MEMORY more bytes."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows: the parent looks at the clock
        return

    def spent(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise _LimitError(_SPENT.format(f"{seconds:g}"))

    signal.signal(signal.SIGXCPU, spent)
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime + seconds) + 1
    for what, soft, hard in (
        (resource.RLIMIT_CPU, end, end + 2),  # one that does not listen is killed
        (resource.RLIMIT_AS, _address_space() + MEMORY, -1),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
    ):
        most = resource.getrlimit(what)[1]
        hard = soft if hard == -1 else hard
        wanted = (soft, hard) if most == resource.RLIM_INFINITY else (min(soft, most), min(hard, most))
        try:
            resource.setrlimit(what, wanted)
        except (ValueError, OSError):  # macOS has no limit of memory
            if what != resource.RLIMIT_AS:
                raise


def _address_space() -> int:
    """Return the bytes of memory that this process has mapped."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 512 * 1024 * 1024
