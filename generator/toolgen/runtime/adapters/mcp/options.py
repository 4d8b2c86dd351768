"""Command-line flags of the servers, one for each setting.

A flag sets the environment variable of its setting in this process, so that settings have one source.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import Field, fields
from typing import Any

from toolgen.runtime.settings import Settings, parse_setting, variable


def add_setting_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting that has one."""
    group = parser.add_argument_group("settings", "Each is an environment variable, too: see docs/server.md.")
    for each in fields(Settings):
        flag = _flag(each)
        if flag is None:
            continue
        description: str = each.metadata["description"]
        if isinstance(each.default, bool):
            group.add_argument(flag, action="store_const", const="1", dest=each.name, help=description)
            continue
        repeatable = _is_repeatable(each)
        shown = "none" if each.default in ((), None) and not repeatable else each.default
        group.add_argument(
            flag,
            dest=each.name,
            action="append" if repeatable else "store",
            metavar=each.name.upper().removesuffix("S") if repeatable else each.name.upper(),
            help=f"{description} ({'may be repeated' if repeatable else f'default: {shown}'})",
        )


def apply_setting_flags(options: argparse.Namespace) -> None:
    """Set the environment variables of the flags that were given.

    Raises SettingError, which names the flag, if a value is not valid.
    """
    for each in fields(Settings):
        given: str | list[str] | None = getattr(options, each.name, None)
        flag = _flag(each)
        if given is None or flag is None:
            continue
        text = ",".join(given) if isinstance(given, list) else given
        parse_setting(each.name, text, source=flag)
        os.environ[variable(each.name)] = text


def _flag(setting: Field[Any]) -> str | None:
    """Return the flag of a setting; None if it only has an environment variable."""
    name: str | None = setting.metadata.get("flag", setting.name.replace("_", "-"))
    return None if name is None else f"--{name}"


def _is_repeatable(setting: Field[Any]) -> bool:
    return isinstance(setting.default, tuple) and "flag" in setting.metadata
