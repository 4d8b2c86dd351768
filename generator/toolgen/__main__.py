"""`python -m toolgen`, and the command `toolgen`."""

from __future__ import annotations

import os
import sys

# `python -m` looks for modules in the working directory first, which may be a stranger's repository with a
# yaml.py or a json.py of its own. (A folder `toolgen` there has been taken for ours before this line.)
if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]


def main() -> int:
    """Run the command line; return its exit code, 130 if it is interrupted at any moment."""
    try:
        from toolgen.cli import main as run

        code = run()
    except KeyboardInterrupt:  # while it was imported, or said its last words
        code = 130
        if sys.stderr is not None:
            sys.stderr.write("toolgen: interrupted\n")
    import signal  # the outcome is decided: ^C in the last steps of the interpreter only prints a traceback

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
