"""Strings that look like something else: code, a template, an encoding, a path, YAML, a terminal command.

`CANARY_CODE` leaves a mark in `sys.modules`, by which the fuzzer detects execution.
"""

from __future__ import annotations

import builtins
import json
import keyword
import random
from itertools import chain
from pathlib import Path
from typing import Final

CANARY = "toolgen_fuzz_canary"
CANARY_CODE = f"__import__('sys').modules.setdefault('{CANARY}',1)"
_DOUBLE = f'__import__("sys").modules.setdefault("{CANARY}",1)'

_QUOTES = ['"', "'", '"""', "'''", "`", "```", "”"]
_BREAKOUTS = [
    text
    for quote in _QUOTES[:4]
    for code in (_DOUBLE if quote.startswith("'") else CANARY_CODE,)
    for text in (
        f"{quote}\n{code}\n{quote}",
        f"{quote}+str({code})+{quote}",
        f"\\{quote}\n{code}\n#",
        f"{quote})\n{code}\n#",
        f"{quote}]\n    {code}\n    {quote}",
    )
] + [
    f"\n{CANARY_CODE}\n",
    f"\r{CANARY_CODE}\r",
    f"x\x0c\n{CANARY_CODE}",
    f"x\u2028{CANARY_CODE}\u2029",
    f"x\x85{CANARY_CODE}",
    f"x; {CANARY_CODE}",
    f"x: {CANARY_CODE} = 1",
    f"{CANARY_CODE}",
    f"list[{CANARY_CODE}]",
    f"annotationlib; {_DOUBLE}",
]
_LONG = [
    "x" * 5_000,
    "x " * 3_000,
    '"' * 501,
    "\\" * 501,
    "'" * 300 + '"' * 300,
    "\n" * 300,
    "{" * 300,
    "}" * 300,
    "a\n" * 400,
    "é" * 2_000,
    "\U0001f600" * 900,
    "'\"\\" * 300,
    '"""' * 200,
]

_READ: Final[dict[str, list[str]]] = {
    kind: [text.replace("@CODE@", CANARY_CODE) for text in texts]
    for kind, texts in json.loads(Path(__file__).with_name("strings.json").read_text("utf-8")).items()
}
"""The strings of the file beside this module by kind; `@CODE@` in them is the canary's code."""
_WHOLE: Final = ("words", "paths", "regexes")  # kinds that mean nothing as a part of another string
_NAMES: Final = [*keyword.kwlist, *keyword.softkwlist, *(name for name in dir(builtins) if name[0].islower())]

FIXED: Final = tuple(
    dict.fromkeys(["", *_QUOTES, *_BREAKOUTS, *_LONG, *chain.from_iterable(_READ.values()), *_NAMES])
)

PIECES: Final = tuple(
    dict.fromkeys(
        [
            *_QUOTES,
            *_BREAKOUTS,
            *chain.from_iterable(texts for kind, texts in _READ.items() if kind not in _WHOLE),
            *(";", ".", "import os", "DO NOT EDIT."),
        ]
    )
)
"""Parts of longer hostile strings, here and in property tests."""


def fresh(source: random.Random) -> str:
    """Return a hostile string of one to six pieces and sometimes random characters."""
    parts = source.choices(PIECES, k=source.randint(1, 6))
    if source.random() < 0.3:
        parts.insert(source.randrange(len(parts)), _characters(source))
    return "".join(parts)


def _characters(source: random.Random) -> str:
    highest = source.choice((0x7F, 0xFF, 0xFFFF, 0x10FFFF))
    return "".join(chr(source.randint(0, highest)) for _ in range(source.randint(1, 8)))
