"""Log records of the processes that toolgen starts: how they look, and how they are written."""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from toolgen.runtime.logs import writer as writer_module
from toolgen.runtime.logs.configure import BackgroundHandler, JsonFormatter, TextFormatter
from toolgen.runtime.logs.logger import make_record
from toolgen.runtime.logs.rate_limit import RECORDS_PER_SECOND, RateLimitFilter
from toolgen.runtime.logs.writer import BackgroundWriter, background_output

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


@pytest.fixture
def writer(pipe: _Pipe) -> BackgroundWriter:
    return BackgroundWriter(pipe.writing)


def test_texts_are_written_in_order(writer: BackgroundWriter, pipe: _Pipe) -> None:
    for number in range(1000):
        writer.write(f"{number}\n")

    assert writer.flush()

    assert pipe.read("999\n") == "".join(f"{number}\n" for number in range(1000))


def test_an_urgent_text_is_written_at_once_and_after_what_came_before(
    writer: BackgroundWriter, pipe: _Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "PAUSE_SECONDS", 3600.0)
    writer.write("first\n")
    assert pipe.read("first\n") == "first\n"
    writer.write("second\n")

    writer.write("third\n", at_once=True)

    assert pipe.read("third\n") == "second\nthird\n"


def test_texts_are_dropped_and_counted_while_nobody_reads(
    writer: BackgroundWriter, pipe: _Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_PENDING", 500_000)
    pipe.fill()
    line = "x" * 9_999 + "\n"
    for _ in range(57):
        writer.write(line)

    text = pipe.read("output\n").lstrip(" ")

    assert text == line * 50 + "7 lines were dropped: nobody read this output\n"
    writer.write("later\n")
    assert pipe.read("later\n") == "later\n"


def test_dropped_records_are_counted_in_a_record(pipe: _Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MAX_PENDING", 500_000)
    handler = BackgroundHandler(BackgroundWriter(pipe.writing))
    handler.setFormatter(JsonFormatter())
    pipe.fill()
    for number in range(1000):
        handler.handle(
            logging.makeLogRecord(
                {"msg": "x" * 1000, "levelname": "INFO", "levelno": logging.INFO, "number": number}
            )
        )

    numbers: list[int] = []
    dropped = 0
    while len(numbers) + dropped < 1000:  # more than one report, if the writer began before the last record
        for record in map(json.loads, pipe.read('log"}\n').splitlines()):
            if "number" in record:
                numbers.append(record["number"])
            else:
                count, _, rest = record["message"].partition(" ")
                assert rest == "log records were dropped, because nobody read the log"
                assert record["level"] == "WARNING"
                dropped += int(count)

    assert numbers == list(range(len(numbers)))
    assert dropped > 0


def test_flush_does_not_wait_for_ever(writer: BackgroundWriter, pipe: _Pipe) -> None:
    writer.write("x" * 200_000 + "\n")

    assert not writer.flush(0.01)
    assert not writer.flush(PATIENCE)  # at once: nothing was written since
    assert pipe.read("\n") == "x" * 200_000 + "\n"
    while not writer.flush():
        pass


def test_a_non_blocking_pipe_gets_everything(writer: BackgroundWriter, pipe: _Pipe) -> None:
    os.set_blocking(pipe.writing, False)
    writer.write("x" * 200_000 + "\n")

    assert pipe.read("\n") == "x" * 200_000 + "\n"


def test_a_pipe_without_a_reader_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    writer = BackgroundWriter(writing)

    writer.write("lost\n")

    assert writer.flush(PATIENCE)
    os.close(writing)


def test_a_closed_descriptor_is_not_written_to_again() -> None:
    reading, writing = os.pipe()
    writer = BackgroundWriter(writing)
    os.close(writing)

    writer.write("lost\n")

    assert writer.flush(PATIENCE)
    os.close(reading)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_a_forked_process_writes_its_own_texts_and_not_those_of_its_parent() -> None:
    code = """
import os, sys
from toolgen.runtime.logs.writer import writer_of
writer = writer_of(1)
with writer._changed:  # as if another thread was in `write`
    writer._texts.append("of the parent\\n")
    writer._pending += 1
    child = os.fork()
    if not child:
        writer.write("of the child\\n")
        os._exit(0 if writer.flush(60) else 1)
    writer._texts.clear()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "of the child\n", "")


def test_a_signal_handler_may_log_while_a_record_is_written(pipe: _Pipe) -> None:
    writer = BackgroundWriter(pipe.writing)
    before = signal.signal(signal.SIGUSR1, lambda *_: writer.write("in the handler\n"))
    try:
        with writer._changed:
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)

    assert pipe.read("handler\n") == "in the handler\n"


def test_a_program_prints_and_fails_as_without_a_background_thread() -> None:
    code = """
import sys, warnings
from toolgen.runtime.logs.writer import background_output
with background_output(stdout_to_stderr=False):
    print("no", "line", "end", end="", flush=True)
    print(" and", "its end")
    warnings.warn("careful")
    raise ValueError("of the program")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False
    )

    assert (done.returncode, done.stdout) == (1, "no line end and its end\n")
    warning, *_, error = done.stderr.splitlines()
    assert warning.endswith("UserWarning: careful")
    assert error == "ValueError: of the program"


def test_output_is_restored_after_the_block(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with background_output(stdout_to_stderr=True):
        print("to stderr")
    assert (sys.stdout, sys.stderr) == before
    assert capfd.readouterr() == ("", "to stderr\n")


def test_records_of_one_kind_are_limited_and_the_rest_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("library.part")
    limit = RateLimitFilter("library")
    logger.addFilter(limit)
    for number in range(RECORDS_PER_SECOND + 5):
        logger.warning("request %d", number)
    logger.warning("another line")
    for timer in [each for each in threading.enumerate() if isinstance(each, threading.Timer)]:
        timer.join(PATIENCE)

    *first, other, rest = caplog.messages
    assert first == [f"request {number}" for number in range(RECORDS_PER_SECOND)]
    assert (other, rest) == ("another line", "5 more such records were left out")
    logger.removeFilter(limit)


def test_other_loggers_are_not_limited(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("implementation")
    logger.addFilter(limit := RateLimitFilter("library"))
    for number in range(3 * RECORDS_PER_SECOND):
        logger.warning("request %d", number)

    assert len(caplog.messages) == 3 * RECORDS_PER_SECOND
    logger.removeFilter(limit)


def test_text_has_time_level_logger_message_and_traceback() -> None:
    try:
        raise ValueError("reason")
    except ValueError:
        record = logging.LogRecord("app", logging.ERROR, "f.py", 1, "%s failed", ("it",), sys.exc_info())
    record.created, record.msecs = 1763777382.25, 250.0

    head, *trace = TextFormatter().format(record).splitlines()

    assert head == "2025-11-22T02:09:42.250Z ERROR app: it failed"
    assert (trace[0], trace[-1]) == ("  Traceback (most recent call last):", "  ValueError: reason")


def test_later_records_have_the_attributes_of_the_first() -> None:
    logger = logging.getLogger("toolgen.test_records")
    fields = {"tool_name": "shop", "call_id": "1"}

    first, second = (make_record(logger, logging.INFO, text, fields) for text in ("first", "second"))

    expected = logger.makeRecord(
        logger.name, logging.INFO, first.pathname, 0, "second", (), None, extra=fields
    )
    expected.funcName = first.funcName
    changing = {"created", "msecs", "relativeCreated"}
    attributes = {key: value for key, value in vars(second).items() if key not in changing}
    assert attributes == {key: value for key, value in vars(expected).items() if key not in changing}
    assert vars(second).keys() == vars(first).keys()
    assert 0 <= second.created - first.created < 60
    assert second.relativeCreated - first.relativeCreated == pytest.approx(
        (second.created - first.created) * 1000, abs=0.01
    )
    assert int(second.created * 1000) % 1000 == pytest.approx(second.msecs, abs=1)


def test_a_record_has_the_fields_of_its_own_call_and_the_name_of_its_thread() -> None:
    logger = logging.getLogger("toolgen.test_records")
    make_record(logger, logging.INFO, "first", {"tool_name": "shop", "seconds": 1.0})
    records: list[logging.LogRecord] = []

    thread = threading.Thread(
        target=lambda: records.append(make_record(logger, logging.INFO, "second", {"tool_name": "bank"})),
        name="a worker",
    )
    thread.start()
    thread.join()

    assert (records[0].threadName, records[0].thread) == ("a worker", thread.ident)
    assert vars(records[0])["tool_name"] == "bank"
    assert not hasattr(records[0], "seconds")


def test_records_are_made_by_the_factory_of_the_application() -> None:
    logger = logging.getLogger("toolgen.test_records")

    class Record(logging.LogRecord):
        pass

    make_record(logger, logging.INFO, "first", {})
    logging.setLogRecordFactory(Record)
    try:
        made = make_record(logger, logging.INFO, "second", {})
    finally:
        logging.setLogRecordFactory(logging.LogRecord)

    assert isinstance(made, Record)
    assert type(make_record(logger, logging.INFO, "third", {})) is logging.LogRecord
