"""What a project says of its server to registries and to clients that install it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_VERSION = r"[^-]*+(?:-(?!v?[0-9]++\.[0-9])[^-]*+)*+-v?([0-9][0-9A-Za-z.+-]*+)"


@dataclass(frozen=True, slots=True)
class Publication:
    """The section `[publish]`: what registries and clients show of the server. None: not said."""

    name: str | None = None  # of the registry, as in io.github.ada/shop
    title: str | None = None
    description: str | None = None
    author: str | None = None
    license: str | None = None
    repository: str | None = None  # address of its page
    website: str | None = None
    pypi: str | None = None  # distribution with a command of its name, which serves over stdio
    url: str | None = None  # of the running server
    bundle: str | None = None  # address that the file of `toolgen bundle` is downloaded from
    bundle_sha256: str | None = None  # of the bundle that `toolgen bundle` made last, and writes here
    include: tuple[str, ...] = ()  # further files and folders of the bundle

    def notes(self, version: str | None) -> Iterator[str]:
        """Yield what is missing in the `server.json` of this version, or old, and how to change it."""
        if not (self.pypi or self.url or self.bundle):
            yield (
                "warning: server.json lists a server that nobody can start: "
                "set `pypi`, `url` or `bundle` in [publish]"
            )
        if self.bundle is None:
            return
        if self.bundle_sha256 is None:
            yield "`bundle` is not listed in server.json yet: `toolgen bundle` adds its SHA-256"
        file = self.bundle.rpartition("/")[2].replace("%2B", "+").removesuffix(".mcpb")
        found = re.fullmatch(_VERSION, file)
        if found is not None and version is not None and not file.endswith(version):
            yield (
                f"warning: `bundle` is the address of version {found[1]}, and the server has {version}: "
                "change the address, then run `toolgen bundle`"
            )
