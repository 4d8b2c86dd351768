"""Run a Python program in a fork of the process of `forking.py`, and end as the program ends."""

import contextlib
import marshal
import os
import signal
import socket
import sys
from types import FrameType


def main() -> int:
    """Return the exit code of the program: negative if it died of a signal."""
    address, *words = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with socket.socket(socket.AF_UNIX) as forking:
        forking.connect(address)
        request = marshal.dumps((words, os.getcwd(), dict(os.environ)))
        socket.send_fds(forking, [len(request).to_bytes(8, "big")], [0, 1, 2])
        forking.sendall(request)
        process = int.from_bytes(forking.recv(8, socket.MSG_WAITALL), "big")

        def pass_on(number: int, _: FrameType | None) -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

        signal.signal(signal.SIGINT, pass_on)
        signal.signal(signal.SIGTERM, pass_on)
        os.closerange(0, 3)  # what the program closes is closed
        return int.from_bytes(forking.recv(8, socket.MSG_WAITALL), "big", signed=True)


if __name__ == "__main__":
    code = main()
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
