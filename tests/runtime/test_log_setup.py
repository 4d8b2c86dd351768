"""Log records of the processes that toolgen starts: how they look, and when they are written."""

from __future__ import annotations

import asyncio
import io
import logging
import sys
import threading

import pytest
from toolgen.runtime.logs.configure import TextFormatter, TurnHandler
from toolgen.runtime.logs.logger import make_record


class _Stream(io.StringIO):
    """Counts what is written at once."""

    writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


@pytest.fixture
def stream() -> _Stream:
    return _Stream()


@pytest.fixture
def logger(stream: _Stream) -> logging.Logger:
    logger = logging.getLogger("test_log_setup")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    handler = TurnHandler(stream)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.handlers = [handler]
    return logger


def test_records_of_one_turn_of_the_event_loop_are_written_at_once(
    logger: logging.Logger, stream: _Stream
) -> None:
    async def main() -> None:
        logger.info("first")
        logger.info("second")

        await asyncio.sleep(0)

        assert (stream.getvalue(), stream.writes) == ("first\nsecond\n", 1)

    asyncio.run(main())


def test_records_of_each_turn_are_written_in_it(logger: logging.Logger, stream: _Stream) -> None:
    async def main() -> None:
        for text in ("first", "second"):
            logger.info(text)
            await asyncio.sleep(0)
            assert stream.getvalue().endswith(f"{text}\n")

    asyncio.run(main())


def test_a_warning_is_written_immediately_and_after_what_came_before(
    logger: logging.Logger, stream: _Stream
) -> None:
    async def main() -> None:
        logger.info("first")
        logger.warning("second")

        assert stream.getvalue() == "first\nsecond\n"

    asyncio.run(main())


def test_a_record_outside_of_an_event_loop_is_written_immediately(
    logger: logging.Logger, stream: _Stream
) -> None:
    logger.info("first")

    assert stream.getvalue() == "first\n"


def test_what_a_loop_left_is_written_by_the_next_one(logger: logging.Logger, stream: _Stream) -> None:
    loop = asyncio.new_event_loop()
    loop.call_soon(lambda: (logger.info("first"), loop.stop()))
    loop.run_forever()
    loop.close()

    async def record_again() -> None:
        logger.info("second")
        await asyncio.sleep(0)

    asyncio.run(record_again())

    assert stream.getvalue() == "first\nsecond\n"


def test_the_end_of_the_process_writes_what_is_left(logger: logging.Logger, stream: _Stream) -> None:
    loop = asyncio.new_event_loop()
    loop.call_soon(lambda: (logger.info("last"), loop.stop()))
    loop.run_forever()
    loop.close()

    logger.handlers[0].flush()  # as `logging.shutdown` does

    assert stream.getvalue() == "last\n"


def test_text_has_time_level_logger_message_and_traceback() -> None:
    try:
        raise ValueError("reason")
    except ValueError:
        record = logging.LogRecord("app", logging.ERROR, "f.py", 1, "%s failed", ("it",), sys.exc_info())
    record.created, record.msecs = 1763777382.25, 250.0

    head, *trace = TextFormatter().format(record).splitlines()

    assert head == "2025-11-22T02:09:42.250Z ERROR app: it failed"
    assert (trace[0], trace[-1]) == ("Traceback (most recent call last):", "ValueError: reason")


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
