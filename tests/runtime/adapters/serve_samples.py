"""A server process for tests: `serve_samples.py [loud] [options of main]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from toolgen import serving


def samples() -> Any:
    from adapter_samples import toolkit

    return serving.build_server(toolkit(), name="samples")


def loud() -> Any:
    print("printed while building")
    return samples()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["loud"]:
        print("printed before")
        sys.exit(serving.main(loud, []))
    sys.exit(serving.main(samples, arguments))
