"""Allow-list of commands and their arguments.

An argument is an option that the command's rule lists, a value of such an option, or an operand of a kind
that the rule allows. Anything else is refused before anything runs: `find -delete`, `sort --output=…`,
`git -c …`, and options that a later version of a command adds. All listed commands are read-only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from .workspace import Workspace, normal

Kind = Literal["number", "text", "path", "file_type"]
"""Kind of a value or operand; a path must be one that the workspace allows."""

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}")
_FILE_TYPE: Final = re.compile(r"[fd]")


class NotAllowedError(Exception):
    """The command, or one of its arguments, is not on the allow-list."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What one command may be given.

    `flags` stand alone, `values` take one value. Both are written as on the command line, `-n` or `--lines`.
    `texts` operands come first (grep's pattern), then at most `most_paths` paths. Where `words` is true,
    options are whole words with one dash that follow the paths, as find has them. `fixed` comes before all.
    Only where `folders` is true may a path be one: diff, for one, would follow links inside.
    """

    flags: frozenset[str] = frozenset()
    values: Mapping[str, Kind] = field(default_factory=dict)
    texts: int = 0
    most_paths: int = 100
    words: bool = False
    folders: bool = False
    fixed: tuple[str, ...] = ()


def _flags(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINES: Final[Mapping[str, Kind]] = {"-n": "number", "--lines": "number", "-c": "number", "--bytes": "number"}

RULES: Final[Mapping[str, Rule]] = {
    "cat": Rule(_flags("-n --number -b -s")),
    "diff": Rule(_flags("-u -q --brief -i -w -b -B"), {"-U": "number"}, most_paths=2),
    "find": Rule(
        _flags("-empty -print -not"),
        {
            "-name": "text",
            "-iname": "text",
            "-type": "file_type",
            "-maxdepth": "number",
            "-mindepth": "number",
            "-mtime": "number",
            "-mmin": "number",
        },
        words=True,
        folders=True,
    ),
    "grep": Rule(
        _flags("-i -n -r -l -L -c -v -w -x -F -E -o -H -h --ignore-case --line-number --recursive --count"),
        {"-A": "number", "-B": "number", "-C": "number", "-m": "number", "--include": "text"},
        texts=1,
        folders=True,
        # Hidden files are off limits for every tool of the workspace, so they are here.
        fixed=("--exclude=.*", "--exclude-dir=.?*"),
    ),
    "head": Rule(_flags("-q -v"), _LINES),
    "ls": Rule(_flags("-l -1 -R -r -t -S -h -p -F --recursive --reverse"), folders=True),
    "sort": Rule(
        _flags("-r -n -u -f -b -h --reverse --numeric-sort --unique"),
        {"-k": "text", "--key": "text", "-t": "text"},
    ),
    "tail": Rule(_flags("-q -v"), _LINES),
    "uniq": Rule(_flags("-c -d -u -i --count"), most_paths=1),  # `uniq` would write to a second operand
    "wc": Rule(_flags("-l -w -c -m -L --lines --words --bytes --chars")),
}


def checked(
    rules: Mapping[str, Rule], workspace: Workspace, folder: str, command: str, arguments: Sequence[str]
) -> list[str]:
    """Check the arguments; return them in the order options, `--`, operands.

    Raises NotAllowedError, and the workspace's errors for paths.
    """
    if (rule := rules.get(command)) is None:
        raise NotAllowedError(f"{command} is not on the list.")
    for argument in arguments:
        if "\0" in argument:
            raise NotAllowedError(f"{command}: an argument holds a NUL, which no command can be given.")
    reading = _Reading(rule, command, workspace, folder)
    options, operands = reading.words(arguments) if rule.words else reading.letters(arguments)
    texts, paths = operands[: rule.texts], operands[rule.texts :]
    if len(texts) < rule.texts:
        raise NotAllowedError(f"{command} needs {rule.texts} text before its paths.")
    if len(paths) > rule.most_paths:
        raise NotAllowedError(f"{command} takes at most {rule.most_paths} paths.")
    paths = [reading.path(path) for path in paths]
    if rule.words:
        return [*rule.fixed, *(f"./{path}" for path in paths), *options]
    return [*rule.fixed, *options, "--", *texts, *paths]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Parser of a call's arguments by one rule."""

    rule: Rule
    command: str
    workspace: Workspace
    folder: str

    def letters(self, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
        """Parse options and operands such as `-rn`, `-n5`, `-n 5`, `--lines=5`, `--`."""
        options: list[str] = []
        operands: list[str] = []
        rest = list(arguments)
        while rest:
            argument = rest.pop(0)
            if argument == "--":
                operands += rest
                break
            if argument.startswith("--"):
                options += self._long(argument, rest)
            elif argument.startswith("-"):
                options += self._short(argument, rest)
            else:
                operands.append(argument)
        return options, operands

    def words(self, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
        """Parse paths, then words such as `-name` with their values."""
        first = next((n for n, argument in enumerate(arguments) if argument[:1] in "-!(,"), len(arguments))
        options: list[str] = []
        rest = list(arguments[first:])
        while rest:
            word = rest.pop(0)
            if word in self.rule.flags:
                options.append(word)
            else:
                options += [word, self._value(word, rest)]
        return options, list(arguments[:first])

    def path(self, path: str) -> str:
        """Return a path relative to the call's folder, if it may be read."""
        inside = normal(path)
        kind = self.workspace.kind(normal(f"{self.folder}/{inside}"))
        if kind == "special":
            raise NotAllowedError(f"{path} is neither a file nor a folder.")
        if kind == "folder" and not self.rule.folders:
            raise NotAllowedError(f"{path} is a folder; {self.command} takes files.")
        return inside

    def _long(self, argument: str, rest: list[str]) -> list[str]:
        name, equals, value = argument.partition("=")
        if not equals and name in self.rule.flags:
            return [name]
        return [f"{name}={self._value(name, [value] if equals else rest)}"]

    def _short(self, argument: str, rest: list[str]) -> list[str]:
        """Split `-rn5` into `-r` and `-n5`: each letter by itself, with its value if it takes one."""
        found = []
        for place, letter in enumerate(argument[1:], 1):
            if f"-{letter}" in self.rule.flags:
                found.append(f"-{letter}")
                continue
            joined = argument[place + 1 :]
            return [*found, f"-{letter}{self._value(f'-{letter}', [joined] if joined else rest)}"]
        if not found:
            raise NotAllowedError(f"{self.command}: '-', the standard input, is empty here; name a file.")
        return found

    def _value(self, name: str, rest: list[str]) -> str:
        kind = self.rule.values.get(name)
        if kind is None:
            allowed = ", ".join(sorted({*self.rule.flags, *self.rule.values}))
            raise NotAllowedError(f"{self.command} may not be given {name!r} here; allowed: {allowed}.")
        if not rest:
            raise NotAllowedError(f"{self.command}: {name} needs a value.")
        value = rest.pop(0)
        form = {"number": _NUMBER, "file_type": _FILE_TYPE}.get(kind)
        if form is not None and not form.fullmatch(value):
            raise NotAllowedError(f"{self.command}: {value!r} is not a {kind.replace('_', ' ')} for {name}.")
        return self.path(value) if kind == "path" else value
