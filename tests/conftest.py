"""Options that all tests share."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import pytest
from hypothesis import settings

from tests.preloaded import address, share
from tests.preloaded.forking import postpone_grammars
from tests.processes import time_limit
from tests.samples import ALL, PART

postpone_grammars()
gc.disable()  # until the tests are collected: a fifth of that time, and nothing to find


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among the modules and the tests."""
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Generate the same examples on every run and every machine, without deadlines: failures are reproducible."""
    number = ALL if _with_slow_tests(config) else PART
    settings.register_profile("toolgen", deadline=None, derandomize=True, max_examples=number)
    settings.load_profile("toolgen")
    if "forks" in getattr(config, "workerinput", ()):
        share(config.workerinput["forks"])  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node: Any) -> None:
    """Give all workers one process that forks programs."""
    if hasattr(os, "fork"):
        node.workerinput["forks"] = address(os.getpid())


def pytest_itemcollected(item: pytest.Item) -> None:
    """Run an asynchronous test in an event loop of its own."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
        item.obj = _in_event_loop(item.obj)


def _in_event_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: object, **fixtures: object) -> None:
        asyncio.run(test(*args, **fixtures))  # type: ignore[arg-type]

    return run


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run tests with generated examples among the slow ones, too: there they try all examples."""
    if _with_slow_tests(config):
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.slow)


def _with_slow_tests(config: pytest.Config) -> bool:
    chosen = str(config.option.markexpr)
    return not chosen or "slow" in chosen.replace("not slow", "")


# Where Python is told to write no byte-code, each command that a test starts would compile toolgen anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Commands that a shell starts in the background ignore ^C, and so would every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TEST_SECONDS = 600  # the longest test takes a twentieth of that on a busy machine
LONG_TEST_SECONDS = 3_600
LONG = ("bombs", "bridges", "browser", "conformance", "crash", "promptfoo", "redis", "slow", "wheel")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Limit each test with its fixtures, so that no read of a pipe and no wait for a process hangs the run."""
    is_long = any(item.get_closest_marker(name) for name in LONG)
    with time_limit(LONG_TEST_SECONDS if is_long else TEST_SECONDS):
        return (yield)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto` is one more than there are processors: tests wait, too, but each worker imports all of them."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return 1 + (len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `pytest --record`, which writes the expected output of cases; review the diff before you commit it."""
    parser.addoption("--record", action="store_true", help="write the expected output of the cases anew")


@pytest.fixture
def record(request: pytest.FixtureRequest) -> bool:
    """True if expected output is written instead of compared."""
    return bool(request.config.getoption("--record"))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Return a short id for a long text: pytest writes the id into the environment, which has a limit."""
    return f"{val[:60]!r}... {len(val)}" if isinstance(val, str) and len(val) > 1_000 else None
