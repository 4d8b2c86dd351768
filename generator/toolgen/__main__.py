"""`python -m toolgen`, and the command `toolgen`."""

import os
import sys

# `python -m` looks for modules in the working directory first, which may be a stranger's repository with a
# yaml.py or a json.py of its own. (A folder `toolgen` there has been taken for ours before this line.)
if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]

from toolgen.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
