"""Which generator this is, to the byte: what another one cached is not its own."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path


def generator_id() -> str:
    """A name for the running code: the hash of every module of the package.

    A version alone would let a checkout take what it made before its last edit for fresh.
    """
    package = Path(str(files("toolgen")))
    digest = sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
