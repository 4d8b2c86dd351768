"""A server process for tests: `serve_samples.py [shop|loud] [options of main]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from toolgen import serving  # noqa: E402  found by the path above


def samples() -> Any:
    from adapter_samples import toolkit

    return serving.build_server(toolkit(), name="samples")


def shop() -> Any:
    from shop import catalog

    return serving.build_server(catalog.toolkit(), name="shop")


def loud() -> Any:
    print("printed while building")
    return samples()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["loud"]:
        print("printed before")
        sys.exit(serving.main(loud, []))
    if arguments[:1] == ["shop"]:
        sys.exit(serving.main(shop, arguments[1:]))
    sys.exit(serving.main(samples, arguments))
