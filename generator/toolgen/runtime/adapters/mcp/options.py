"""Command-line flags of the servers, one for each setting.

A flag sets the environment variable of its setting in this process, so that there is one way in.
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
        several = _is_repeatable(each)
        shown = "none" if each.default in ((), None) and not several else each.default
        group.add_argument(
            flag,
            dest=each.name,
            action="append" if several else "store",
            metavar=each.name.upper().removesuffix("S") if several else each.name.upper(),
            help=f"{description} ({'may be repeated' if several else f'default: {shown}'})",
        )


def apply_setting_flags(options: argparse.Namespace) -> None:
    """Set the environment variables of the flags that were given.

    Raises SettingError for a value that is not valid; the message names the flag.
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
