"""Render a project's own templates in Jinja's sandbox, in a child process with limits.

`toolgen check` also runs on repositories that nobody has reviewed, and it renders their templates. The
sandbox keeps templates away from attributes and methods that lead out of their data; the child process limits
time, memory and output. Where Python has no `resource` module (Windows), memory is not limited.
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
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolgen.compile.printing.tool_source import PackageSources
from toolgen.compile.publishing.documents import DOCUMENT_FILTERS
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.internal_error import TemplateBug
from toolgen.data.package import Package
from toolgen.data.source import Span
from toolgen.data.target import Target
from toolgen.escaping.places import markdown_text
from toolgen.python_source.imports import all_statement, import_from, module_order
from toolgen.python_source.layout import annotated_assignment, arguments
from toolgen.python_source.literals import comment, docstring, literal

SECONDS = 4.0  # of processor time, to which is added
SECONDS_PER_TOOL = 0.02
MEMORY = 256 * 1024 * 1024  # bytes, added to what the process uses before it renders
OUTPUT = 64 * 1024 * 1024  # characters, of one template

OPTIONS: Mapping[str, Any] = {
    "undefined": jinja2.StrictUndefined,
    "autoescape": False,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
FILTERS: Mapping[str, Any] = {
    **DOCUMENT_FILTERS,
    "all_statement": all_statement,
    "arguments": arguments,
    "comment": comment,
    "declaration": lambda name, annotation: annotated_assignment(name, annotation, None),
    "docstring": docstring,
    "import_from": lambda names, module, indent=0: import_from(module, names, indent),
    "in_module_order": lambda tools: sorted(tools, key=lambda tool: module_order(tool.py_name)),
    "literal": literal,
    "markdown": markdown_text,
}

_ENVIRONMENT = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from toolgen.compile.printing.template_sandbox import child
child()
"""
_OUT_OF_TIME = "takes more than {} seconds"
_HINT = "a template prints one file: print less, or loop over less"


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One template to render: for one tool, for one shared file, or for the whole package."""

    template: str
    tool: int | None = None  # its position in the model
    shared: int | None = None  # the same of a shared file


def template_names(job: TemplateJob, model: Package, sources: PackageSources) -> dict[str, object]:
    """Return what a template sees: the package, and a tool or a shared file with its source."""
    if job.tool is not None:
        tool = model.tools[job.tool]
        source = sources.tools[tool.py_name]
        return {"model": model, "tool": tool, "source": source, "module": source.module}
    if job.shared is not None:
        shared = model.shared[job.shared]
        module, schemas = sources.shared[shared.path], sources.schemas[shared.path]
        return {"model": model, "shared": shared, "module": module, "schemas": schemas}
    return {"model": model}


@dataclass(frozen=True, slots=True)
class _RenderTask:
    """The input of the child process."""

    templates: Mapping[str, str]
    model: Package
    sources: PackageSources
    jobs: Sequence[TemplateJob]
    seconds: float  # of processor time


@dataclass(frozen=True, slots=True)
class _TemplateFailure:
    """Why and where a template failed."""

    template: str  # empty if unknown
    line: int
    code: str  # of the diagnostic
    reason: str  # continues "this template …" or "this template fails: …"


def render_in_sandbox(
    target: Target, model: Package, jobs: Sequence[TemplateJob], sources: PackageSources
) -> list[str]:
    """Return the text of each job, all rendered by one process.

    Raises `SpecErrors` with the line of a template that fails (`bad-template`) or exceeds a limit
    (`template-limit`), and `TemplateBug` if a built-in template fails.
    """
    seconds = SECONDS + SECONDS_PER_TOOL * len(model.tools)
    task = pickle.dumps(_RenderTask(dict(target.templates), model, sources, list(jobs), seconds))
    paths = [path for path in sys.path if path]
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _CHILD, json.dumps(paths)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # other variables may hold secrets
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
            message = json.loads(line)
        except ValueError:  # incomplete: the process was killed
            break
        if "start" in message:
            job = jobs[message["start"]]
        elif "text" in message:
            texts.append(message["text"])
        else:
            raise _template_error(target, job, _TemplateFailure(**message["failure"]))
    if len(texts) == len(jobs):
        return texts
    # our own bug: a template's failure comes as a message
    if process.returncode > 0:
        raise RuntimeError(errors.decode("utf-8", "replace"))
    out_of_time = _OUT_OF_TIME.format(f"{seconds:g}")
    raise _template_error(target, job, _TemplateFailure(job.template, 1, "template-limit", out_of_time))


def _template_error(target: Target, job: TemplateJob, failure: _TemplateFailure) -> Exception:
    """Return the exception for `failure`, which happened in `job`."""
    template = failure.template or job.template
    shown = target.own.get(template)
    if shown is None:
        return TemplateBug(f"template {target.name}/{template}: line {failure.line}: {failure.reason}")
    over_limit = failure.code == "template-limit"
    message = f"this template {failure.reason}" if over_limit else f"this template fails: {failure.reason}"
    span = Span(shown, failure.line, 1)
    return SpecErrors([Diagnostic(span, failure.code, message, _HINT if over_limit else "")])


class _LimitError(Exception):
    """A template exceeds a limit."""


def child() -> None:
    """Render in the child process: read the task from stdin, write one JSON object per line to stdout."""
    task: _RenderTask = pickle.loads(sys.stdin.buffer.read())
    templates = task.templates
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FunctionLoader(
            lambda name: (templates[name], name, None) if name in templates else None
        ),
        **OPTIONS,
    )
    environment.filters.update(FILTERS)
    # only now: imports and the task itself may take what they need
    _limit(task.seconds)
    for number, job in enumerate(task.jobs):
        _send({"start": number})
        try:
            names = template_names(job, task.model, task.sources)
            _send({"text": _render_bounded(environment.get_template(job.template), names)})
        except Exception as error:
            _send({"failure": asdict(_template_failure(error, templates))})
            return


def _render_bounded(template: jinja2.Template, names: Mapping[str, Any]) -> str:
    """Return the text of `template`. Raises `_LimitError` if it is too long."""
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


def _template_failure(error: Exception, templates: Mapping[str, str]) -> _TemplateFailure:
    over_limit = isinstance(error, _LimitError | MemoryError | RecursionError | OverflowError)
    code = "template-limit" if over_limit else "bad-template"
    if isinstance(error, jinja2.TemplateSyntaxError):
        return _TemplateFailure(error.name or "", error.lineno, code, _reason(error))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in templates]
    if not frames:
        return _TemplateFailure("", 1, code, _reason(error))
    return _TemplateFailure(frames[-1].filename, frames[-1].lineno or 1, code, _reason(error))


def _reason(error: Exception) -> str:
    match error:
        case _LimitError():
            return str(error)
        case MemoryError():
            return f"takes more than {MEMORY // 1024 // 1024} MB of memory"
        case RecursionError():
            return "calls itself without end"
        case OverflowError():
            return f"exceeds a limit: {error}"[:500]
    return f"{error or type(error).__name__}"[:500]


def _limit(seconds: float) -> None:
    """Limit this process to `seconds` more of processor time and MEMORY more bytes."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows: the parent measures wall-clock time instead
        return

    def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise _LimitError(_OUT_OF_TIME.format(f"{seconds:g}"))

    signal.signal(signal.SIGXCPU, stop)
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime + seconds) + 1
    for limit, soft, hard in (
        (resource.RLIMIT_CPU, end, end + 2),  # a process that ignores the signal is killed
        (resource.RLIMIT_AS, _address_space() + MEMORY, -1),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
    ):
        maximum = resource.getrlimit(limit)[1]
        hard = soft if hard == -1 else hard
        wanted = (
            (soft, hard) if maximum == resource.RLIM_INFINITY else (min(soft, maximum), min(hard, maximum))
        )
        try:
            resource.setrlimit(limit, wanted)
        except (ValueError, OSError):  # macOS has no limit of memory
            if limit != resource.RLIMIT_AS:
                raise


def _address_space() -> int:
    """Return the bytes of memory that this process has mapped."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 512 * 1024 * 1024
