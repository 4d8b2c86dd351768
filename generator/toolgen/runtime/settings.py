"""Settings of a running application: each is an environment variable, and a flag of the servers.

The variable of `max_result_bytes` is `TOOLGEN_MAX_RESULT_BYTES`, its flag `--max-result-bytes`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any

from toolgen.base.files.secret_files import SecretFileError, read_secret

MIB = 1024 * 1024
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingError(ValueError):
    """A setting is not valid; the message names the variable and the expected value."""


def _integer_from(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 16 and int(text) >= least):
            raise ValueError(f"a whole number, {least} or more")
        return int(text)

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise ValueError("a number of seconds from 0 to 86400")
    return seconds


def _flag(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError("1 or 0")
    return word in _TRUE


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def _one_of(*options: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in options:
            raise ValueError(f"one of {', '.join(options)}")
        return text.lower()

    return parse


def _calls(text: str) -> Mapping[str, int]:
    """Parse `10/second,600/minute` to the mapping that specs have as `rate_limit`."""
    found: dict[str, int] = {}
    for word in text.replace(" ", "").split(","):
        number, _, unit = word.partition("/")
        key = f"per_{unit}"
        usable = number.isascii() and number.isdecimal() and len(number) < 8 and int(number) > 0
        if unit not in ("second", "minute") or not usable or key in found:
            raise ValueError("limits such as 10/second,600/minute")
        found[key] = int(number)
    return found


def _setting(
    default: Any, parse: Callable[[str], Any], description: str, *, secret: bool = False, **more: Any
) -> Any:
    metadata = {"parse": parse, "description": description, "secret": secret, **more}
    return field(default=default, repr=not secret, metadata=metadata)


_secret = partial(_setting, None, str, secret=True, flag=None)  # without a flag, which others could read


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and choices of one process. Sizes are bytes, times are seconds.

    Each field below has its default and its effect; docs/server.md lists them with their variables and flags.

    Example:
        toolkit = Toolkit(tools, config=ToolConfig(settings=Settings(threads=8, max_result_bytes=100_000)))
    """

    threads: int = _setting(32, _integer_from(1), "synchronous (not async) tools that run at the same time")
    queue: int = _setting(256, _integer_from(0), "calls of synchronous tools that may wait for a thread")
    grace: float = _setting(10.0, _seconds, "seconds that calls in flight get when the server stops")
    drain_delay: float = _setting(
        0.0, _seconds, "seconds that an HTTP server answers requests and is not ready, before it stops"
    )
    max_request_bytes: int = _setting(4 * MIB, _integer_from(1), "bytes of a request")
    max_result_bytes: int = _setting(25 * MIB, _integer_from(1), "bytes of a result")
    max_stream_bytes: int = _setting(64 * MIB, _integer_from(1), "bytes of all chunks of a streamed result")
    max_stream_chunks: int = _setting(100_000, _integer_from(1), "chunks of a streamed result")
    code_mode: bool = _setting(
        False, _flag, "serve search_tools, describe_tools and run_code in place of all tools, for scripts"
    )
    page_size: int = _setting(500, _integer_from(1), "tools on one page of tools/list")
    stateless: bool = _setting(
        False, _flag, "keep no sessions, for replicas; clients before 2026-07-28 cannot confirm calls then"
    )
    sessions: int = _setting(1000, _integer_from(1), "sessions at once; one client has at most half of them")
    session_idle: float = _setting(1800.0, _seconds, "seconds after which an idle session ends")
    allowed_hosts: tuple[str, ...] = _setting(
        (), _words, "Host headers that are accepted", flag="allowed-host"
    )
    allowed_origins: tuple[str, ...] = _setting(
        (), _words, "Origin headers that are accepted", flag="allowed-origin"
    )
    auth_tokens: str | None = _setting(None, str, "file of bearer tokens that are accepted over HTTP")
    auth_issuer: str | None = _setting(None, str, "URL of the issuer whose JWTs are accepted over HTTP")
    auth_audience: str | None = _setting(None, str, "audience of those JWTs: the URL of the MCP endpoint")
    auth_jwks: str | None = _setting(None, str, "URL of the issuer's keys; without it, its metadata is asked")
    insecure_no_auth: bool = _setting(
        False, _flag, "serve without authentication on addresses that others can reach"
    )
    scopes: tuple[str, ...] = _setting(
        (), _words, "scopes granted to the user who starts a stdio server or `toolgen call`"
    )
    rate_limit: Mapping[str, int] | None = _setting(
        None, _calls, "requests over HTTP of each principal, such as 10/second,600/minute"
    )
    rate_limit_store: str | None = _secret("where calls are counted: memory, sqlite:///path or redis://…")
    idempotency_store: str | None = _secret(
        "where calls with an idempotency key are recorded: memory, sqlite:///path or redis://…"
    )
    task_queue: str | None = _secret(
        "where tools with `background` are queued for workers: memory or redis://…"
    )
    task_key: str | None = _secret("keys that seal queued calls and their results, comma-separated")
    log_level: str = _setting(
        "info", _one_of("debug", "info", "warning", "error"), "least severe log records"
    )
    log_format: str = _setting("text", _one_of("text", "json"), "format of log records")
    strict_start: bool = _setting(False, _flag, "refuse to start if an implementation does not load")
    confirmation_key: str | None = _secret("keys that seal confirmations, comma-separated")
    confirmation_store: str | None = _secret(
        "where redeemed confirmations are remembered: memory, sqlite:///path or redis://…"
    )
    confirmation_expiry: float = _setting(600.0, _seconds, "seconds that a confirmation is valid", flag=None)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from environment variables; an empty variable counts as unset.

        A secret may be in a file instead, which a variable with `_FILE` at its end names. Raises SettingError
        for a variable whose value is not valid, or a file that cannot be used.
        """
        given = os.environ if environ is None else environ
        return cls(
            **{
                each.name: parse_setting(each.name, text)
                for each in fields(cls)
                if (text := _text_of(each, given))
            }
        )


def _text_of(setting: Field[Any], environ: Mapping[str, str]) -> str | None:
    """Return the text of a setting, from its variable or the file of a secret."""
    name = variable(setting.name)
    text, path = environ.get(name), environ.get(f"{name}_FILE")
    if not path or not setting.metadata["secret"]:
        return text
    if text:
        raise SettingError(f"{name} and {name}_FILE exclude each other: choose one")
    try:
        return read_secret(path)
    except SecretFileError as error:
        raise SettingError(f"{name}_FILE: {error}") from None


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"TOOLGEN_{name.upper()}"


def parse_setting(name: str, text: str, *, source: str | None = None) -> Any:
    """Parse the value of a setting. Raises SettingError, which names `source`, or else the variable."""
    parse = next(each.metadata["parse"] for each in fields(Settings) if each.name == name)
    try:
        return parse(text)
    except ValueError as error:
        raise SettingError(f"{source or variable(name)} must be {error}, not {text!r}") from None
