"""`python -m toolgen`, and the command `toolgen`."""

from toolgen.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
