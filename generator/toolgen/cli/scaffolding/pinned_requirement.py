"""Find the requirement that installs this toolgen again, pinned to a commit or a hash.

A version alone would name whatever a package index has under that name, which may be somebody else's package.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from urllib.request import url2pathname

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PLAIN = re.compile(r"[A-Za-z0-9._~:/?#@!&=+%,-]+")
_EXTRA = "toolgen[cli]"


def requirement(top: Path) -> str:
    """Return what pip installs the same toolgen from, in the repository at `top`; empty if it is not known.

    It is a commit of a repository or an archive with its hash, as recorded by PEP 610, or a folder or file
    inside the repository.
    """
    try:
        found = json.loads(distribution("toolgen").read_text("direct_url.json") or "{}")
        url = urlsplit(str(found["url"]))
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return ""
    if url.scheme == "file":
        return _inside(top, Path(url2pathname(url.path)))
    user = url.netloc.rpartition("@")[0]
    host = url.netloc.rpartition("@")[2]
    if user == "git":  # of ssh://git@host: not a secret
        host = f"git@{host}"
    plain = urlunsplit((url.scheme, host, url.path, "", ""))
    if not _PLAIN.fullmatch(plain):
        return ""
    vcs, archive = found.get("vcs_info"), found.get("archive_info")
    if isinstance(vcs, dict) and vcs.get("vcs") == "git" and _COMMIT.fullmatch(str(vcs.get("commit_id"))):
        if url.scheme not in ("https", "ssh"):
            return ""
        below = found.get("subdirectory")
        fragment = f"#subdirectory={below}" if isinstance(below, str) and _PLAIN.fullmatch(below) else ""
        return f"{_EXTRA} @ git+{plain}@{vcs['commit_id']}{fragment}"
    if isinstance(archive, dict) and url.scheme == "https":
        hashes = archive.get("hashes")
        digest = hashes.get("sha256") if isinstance(hashes, dict) else None
        digest = digest or str(archive.get("hash", "")).removeprefix("sha256=")
        if re.fullmatch(r"[0-9a-f]{64}", str(digest)):
            return f"{_EXTRA} @ {plain}#sha256={digest}"
    return ""


def _inside(top: Path, path: Path) -> str:
    """Return a path inside the repository as a requirement relative to its root; empty if it is outside."""
    try:
        below = path.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        return ""
    return f"./{below}[cli]" if _PLAIN.fullmatch(below) and path.exists() and below != "." else ""
