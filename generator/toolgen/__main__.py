"""Entry point of `python -m toolgen` and of the script `toolgen`."""

from __future__ import annotations

import os
import sys

# `python -m` imports from the working directory first, which may be an untrusted repository with a yaml.py or
# json.py. (A folder `toolgen` there would already have been imported instead of this package.)
if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]


def main() -> int:
    """Run the command line; return its exit code, 130 if it is interrupted at any moment."""
    try:
        from toolgen.cli import main as run  # an interrupt during the import is caught, too

        code = run()
    except KeyboardInterrupt:  # during the import, or while printing the last message
        code = 130  # ExitCode.INTERRUPTED, which may not be imported yet
        if sys.stderr is not None:
            sys.stderr.write("toolgen: interrupted\n")
    import signal  # SIGINT while the interpreter shuts down would only print a traceback

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
