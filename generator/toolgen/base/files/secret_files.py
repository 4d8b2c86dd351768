"""Files of secrets that an operator names: who may have written them, and who can read them."""

from __future__ import annotations

import os
import stat
from typing import Final

from toolgen.base import KIB
from toolgen.base.files.reading import open_named

MAX_SECRET_BYTES: Final = 64 * KIB  # keys and tokens have a few


class SecretFileError(Exception):
    """A file of a secret cannot be used. The message contains nothing of the secret."""


def read_secret(path: str) -> str:
    """Return the text of a file, without line breaks at its end.

    Raises SecretFileError, also if somebody else may have written the secret.
    """
    try:
        with open_named(path) as file:
            status = os.fstat(file.fileno())
            data = file.read(MAX_SECRET_BYTES + 1)
    except OSError as error:
        raise SecretFileError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > MAX_SECRET_BYTES:
        raise SecretFileError(f"{path} has more than {MAX_SECRET_BYTES} bytes")
    if fault := writer_fault(path, status):
        raise SecretFileError(fault)
    try:
        text = data.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise SecretFileError(f"{path} is not UTF-8") from None
    if not text:
        raise SecretFileError(f"{path} is empty")
    return text


def writer_fault(path: str, status: os.stat_result) -> str | None:
    """Return why a file may be somebody else's, or may be replaced by somebody else; None if it is safe.

    Links are followed, because Kubernetes mounts secrets as links in a folder that everybody may write to.
    Links in such a folder must not be another user's, and the file must be in another one.
    """
    if os.name != "posix":
        return None
    owners = {os.geteuid(), 0}
    folder = os.path.dirname(os.path.realpath(path))
    try:
        in_folder, link = os.stat(folder), os.lstat(path)
    except OSError as error:
        return f"cannot read {path}: {error.strerror}"
    for name, each in ((path, status), (path, link), (folder, in_folder)):
        if each.st_uid not in owners:
            return f"{name} belongs to another user"
    if in_folder.st_mode & stat.S_IWOTH:
        return f"everybody may write to {folder}: move {path} to a folder of its own"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write {path}: chmod go-w {path}"
    return None


def is_readable_by_others(status: os.stat_result) -> bool:
    """True if other users than the owner can read a file."""
    return os.name == "posix" and bool(status.st_mode & (stat.S_IRGRP | stat.S_IROTH))
