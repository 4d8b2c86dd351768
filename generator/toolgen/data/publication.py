"""What a project says of its server to registries and to clients that install it."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is missing, and how to add it."""
        if self.bundle is None or self.bundle_sha256 is not None:
            return ()
        return ("`bundle` is not listed in server.json yet: `toolgen bundle` adds its SHA-256",)
