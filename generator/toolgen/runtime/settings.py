"""Settings of a running application: each is an environment variable, and a flag of the servers.

The variable of `max_result_bytes` is `TOOLGEN_MAX_RESULT_BYTES`, its flag `--max-result-bytes`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from toolgen.base import MIB
from toolgen.base.files.secret_files import SecretFileError, read_secret
from toolgen.base.suggestions import nearest, suggest

OTHER_VARIABLES = {
    "CACHE_DIR": "folder of the cache (the user's folder for caches)",
    "FROZEN": "1: commands that run tools generate nothing, as with --frozen",
    "SAFE_DIRECTORY": "folders of other users whose configuration is used (with *, all)",
}
"""Environment variables that only commands read, without the prefix, and what they do."""
_SIMILAR = 0.8  # LOGLEVEL is LOG_LEVEL, and SHOP_QUEUE is nothing of ours
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_HOST = r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5}|:\*)?"
_ORIGIN = rf"(?!https:.*:443$|http:.*:80$)[a-z][a-z0-9+.-]*://{_HOST}"  # browsers send no default port


class SettingError(ValueError):
    """A setting is not valid; the message names the variable and the expected value."""


def _natural(text: str, least: int = 0) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16 and int(text) >= least):
        raise ValueError(f"a whole number, {least} or more")
    return int(text)


_positive = partial(_natural, least=1)


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


def _addresses(text: str, *, pattern: str, expected: str) -> tuple[str, ...]:
    """Parse hosts or origins, which have no case. Raises ValueError if a header can never match one."""
    found = re.split(r"[\s,]+", text.strip().lower())
    if not all(re.fullmatch(pattern, each) for each in found):
        raise ValueError(expected)
    return tuple(dict.fromkeys(found))


_hosts = partial(_addresses, pattern=_HOST, expected="hosts such as tools.example.com")


def _header_names(text: str) -> tuple[str, ...]:
    names = _words(text.lower())
    if not all(re.fullmatch(r"[!#$%&'*+.^_`|~0-9a-z-]+", each) for each in names):  # RFC 9110, section 5.6.2
        raise ValueError("names of headers such as X-Tenant")
    return names


_origins = partial(
    _addresses, pattern=_ORIGIN, expected="origins such as https://app.example.com or http://localhost:*"
)


def _approval_url(text: str) -> str:
    """Parse the address of the pages of approvals: browsers have keys for https, and http on localhost."""
    parts = urlsplit(text)
    host, port = parts.hostname or "", parts.port
    is_name = parts.scheme == "https" and re.fullmatch(r"(?![0-9.]+$)[a-z0-9-]+(\.[a-z0-9-]+)*", host)
    is_usable = is_name or (parts.scheme, host) == ("http", "localhost")
    if not is_usable or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(
            "https://NAME, or http://localhost:PORT: browsers have no passkeys for other addresses"
        )
    default = 443 if parts.scheme == "https" else 80  # which browsers leave out
    shown = host if port in (None, default) else f"{host}:{port}"
    return f"{parts.scheme}://{shown}{parts.path.rstrip('/')}"


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


def _setting(default: Any, parse: Callable[[str], Any], *, secret: bool = False, **more: Any) -> Any:
    return field(default=default, repr=not secret, metadata={"parse": parse, "secret": secret, **more})


_secret = partial(_setting, None, str, secret=True, flag=None)  # without a flag, which others could read


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and choices of one process. Sizes are bytes, times are seconds.

    settings_help.toml says what each field does, and docs/environment.md has all of them.
    Stores are memory, sqlite:///path or redis://….

    Example:
        toolkit = Toolkit(tools, config=ToolConfig(settings=Settings(threads=8, max_result_bytes=100_000)))
    """

    threads: int = _setting(32, _positive)
    queue: int = _setting(256, _natural)
    grace: float = _setting(10.0, _seconds)
    drain_delay: float = _setting(0.0, _seconds)
    max_request_bytes: int = _setting(4 * MIB, _positive)
    max_result_bytes: int = _setting(25 * MIB, _positive)
    max_stream_bytes: int = _setting(64 * MIB, _positive)
    max_stream_chunks: int = _setting(100_000, _positive)
    code_mode: bool = _setting(False, _flag)
    page_size: int = _setting(500, _positive)
    stateless: bool = _setting(False, _flag)
    sessions: int = _setting(1000, _positive)
    session_idle: float = _setting(1800.0, _seconds)
    allowed_hosts: tuple[str, ...] = _setting((), _hosts, flag="allowed-host")
    allowed_origins: tuple[str, ...] = _setting((), _origins, flag="allowed-origin")
    caller_headers: tuple[str, ...] = _setting((), _header_names, flag="caller-header")
    auth_tokens: str | None = _setting(None, str)
    auth_issuer: str | None = _setting(None, str)
    auth_audience: str | None = _setting(None, str)
    auth_jwks: str | None = _setting(None, str)
    insecure_no_auth: bool = _setting(False, _flag)
    scopes: tuple[str, ...] = _setting((), _words)
    rate_limit: Mapping[str, int] | None = _setting(None, _calls)
    rate_limit_store: str | None = _secret()  # where calls are counted
    idempotency_store: str | None = _secret()  # where calls with a key are recorded
    task_queue: str | None = _secret()  # where tools with `background` are queued
    task_key: str | None = _secret()  # keys that seal queued calls and their results, comma-separated
    log_level: str = _setting("info", _one_of("debug", "info", "warning", "error"))
    log_format: str = _setting("text", _one_of("text", "json"))
    strict_start: bool = _setting(False, _flag)
    confirmation_key: str | None = _secret()  # keys that seal confirmations, comma-separated
    confirmation_store: str | None = _secret()  # where redeemed confirmations are remembered
    confirmation_expiry: float | None = _setting(None, _seconds, flag=None)
    """Seconds that a confirmation is valid: 600 by default; 3,600 for an approval (`proof: person`)."""
    approvers: str | None = _setting(None, str)
    approval_url: str | None = _setting(None, _approval_url)
    in_flight: str | None = _setting(None, str, flag=None)  # folder of the traces of calls in flight
    receipts: str | None = _setting(None, str, flag=None)  # file of the signatures of approvals

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
    text = environ.get(name)
    path = environ.get(f"{name}_FILE") if setting.metadata["secret"] else None
    if not path:
        return text
    if text:
        raise SettingError(f"{name} and {name}_FILE exclude each other: choose one")
    try:
        return read_secret(path)
    except SecretFileError as error:
        raise SettingError(f"{name}_FILE: {error}") from None


def misspelt_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each variable that is not ours, and resembles one of ours."""
    secrets = (f"{each.name.upper()}_FILE" for each in fields(Settings) if each.metadata["secret"])
    known = [*(each.name.upper() for each in fields(Settings)), *secrets, *OTHER_VARIABLES]
    for name in environ:
        own = name.partition("TOOLGEN_")[2] if name.startswith("TOOLGEN_") else ""
        if own and own not in known and (meant := nearest(own, known, _SIMILAR)):
            yield f"the environment variable {name} is not known: {suggest(name, f'TOOLGEN_{meant}')}"


class Variable(NamedTuple):
    """An environment variable, as people read about it."""

    name: str
    flag: str | None
    default: str  # empty: none
    about: str


def variables() -> Iterator[Variable]:
    """Yield all environment variables: those of settings, then those of commands."""
    import tomllib  # for the flags and the help of servers
    from importlib.resources import files

    about = tomllib.loads(files("toolgen.runtime").joinpath("settings_help.toml").read_text("utf-8"))
    for each in fields(Settings):
        yield Variable(variable(each.name), flag_of(each), _default_of(each), about[each.name])
    for name, text in OTHER_VARIABLES.items():
        yield Variable(variable(name), None, "", text)


def flag_of(setting: Field[Any]) -> str | None:
    """Return the flag of a setting; None if it only has an environment variable."""
    name: str | None = setting.metadata.get("flag", setting.name.replace("_", "-"))
    return None if name is None else f"--{name}"


def _default_of(setting: Field[Any]) -> str:
    value: Any = setting.default
    if value is False:
        return "off"
    return f"{value:,.0f}" if isinstance(value, int | float) else str(value or "")


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
