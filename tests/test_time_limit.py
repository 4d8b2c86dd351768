"""No test can hang the run: each has a limit, which ends reads of pipes and waits for processes."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.processes import time_limit

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")


def test_every_test_has_a_limit() -> None:
    seconds, again = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < seconds <= 600  # TEST_SECONDS of conftest.py
    assert again > 0


def _read_a_process_in_a_block_that_waits_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1, stdout=-1) as process:
        assert process.stdout
        assert process.stdin
        try:
            process.stdout.read()
        finally:
            try:
                process.wait()
            finally:
                process.kill()


def test_the_limit_ends_a_wait() -> None:
    with pytest.raises(pytest.fail.Exception, match="not done after"), time_limit(0.2, 0.2):
        _read_a_process_in_a_block_that_waits_for_it()
    test_every_test_has_a_limit()  # again
