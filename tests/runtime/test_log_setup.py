"""Log records of the processes that toolgen starts: how they look, and how they are written."""

from __future__ import annotations

import json
import logging
import os
import select
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from toolgen.runtime.logs import configure
from toolgen.runtime.logs.configure import DroppingQueueHandler, JsonFormatter, RateLimitFilter, TextFormatter

PATIENCE = 60


@dataclass
class _Pipe:
    """A pipe, which is read when a test says so."""

    reading: int
    writing: int

    def fill(self) -> None:
        """Write to the pipe until a write would block."""
        os.set_blocking(self.writing, False)
        try:
            while True:
                os.write(self.writing, b" " * 4096)
        except BlockingIOError:
            os.set_blocking(self.writing, True)

    def read(self, last: str) -> str:
        """Read up to a text."""
        found = b""
        while not found.endswith(last.encode()):
            assert select.select([self.reading], [], [], PATIENCE)[0], f"nothing follows {found[-200:]!r}"
            found += os.read(self.reading, 65_536)
        return found.decode()


@pytest.fixture
def pipe() -> Iterator[_Pipe]:
    reading, writing = os.pipe()
    yield _Pipe(reading, writing)
    os.close(reading)
    os.close(writing)


def record(number: int, text: str = "x" * 1000) -> logging.LogRecord:
    return logging.makeLogRecord(
        {"msg": text, "levelname": "INFO", "levelno": logging.INFO, "number": number}
    )


@pytest.fixture
def handler(pipe: _Pipe) -> DroppingQueueHandler:
    made = DroppingQueueHandler(pipe.writing)
    made.setFormatter(JsonFormatter())
    return made


def test_records_are_dropped_and_counted_while_nobody_reads(
    handler: DroppingQueueHandler, pipe: _Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configure, "MAX_RECORDS", 50)
    pipe.fill()
    for number in range(1000):
        handler.handle(record(number))
    reader = threading.Thread(target=handler.flush)
    reader.start()

    numbers: list[int] = []
    dropped = 0
    while len(numbers) + dropped < 1000:  # more than one report, if the thread took a record meanwhile
        for line in map(json.loads, pipe.read('log"}\n').splitlines()):
            if "number" in line:
                numbers.append(line["number"])
            else:
                count, _, rest = line["message"].partition(" ")
                assert rest == "log records were dropped, because nobody read the log"
                assert line["level"] == "WARNING"
                dropped += int(count)

    reader.join()
    assert numbers == sorted(numbers)
    assert dropped > 0


@pytest.mark.parametrize("end", [0, 1], ids=["without a reader", "closed"])
def test_a_log_that_cannot_be_written_is_no_error(end: int) -> None:
    pipe = os.pipe()
    handler = DroppingQueueHandler(pipe[1])
    os.close(pipe[end])

    handler.handle(record(1))

    handler.flush()
    os.close(pipe[1 - end])


def test_records_of_one_kind_are_limited() -> None:
    limit = RateLimitFilter("library")
    passed = filter(limit.filter, map(at_one_time, range(15)))
    messages = [each.getMessage() for each in passed]
    assert messages[:-1] == [f"request {number}" for number in range(9)]
    assert messages[-1] == "request 9 (more such records of this second are left out)"
    assert limit.filter(at_one_time(1, line=2))
    assert limit.filter(at_one_time(1, name="other"))


def at_one_time(number: int, *, name: str = "library.part", line: int = 1) -> logging.LogRecord:
    record = logging.LogRecord(name, logging.WARNING, "library.py", line, "request %d", (number,), None)
    record.created = 1.5
    return record


def test_text_has_time_level_logger_message_and_traceback() -> None:
    try:
        raise ValueError("reason")
    except ValueError:
        record = logging.LogRecord("app", logging.ERROR, "f.py", 1, "%s failed", ("it",), sys.exc_info())
    record.created, record.msecs = 1763777382.25, 250.0

    head, *trace = TextFormatter().format(record).splitlines()

    assert head == "2025-11-22T02:09:42.250Z ERROR app: it failed"
    assert (trace[0], trace[-1]) == ("  Traceback (most recent call last):", "  ValueError: reason")
