"""Faults that a mock provokes: latency, and errors by code, for a share of all calls or for a single one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean
from toolgen.runtime.errors import RUNTIME_ERRORS, InvalidRequestError
from toolgen.runtime.response import MOCK_KEY

from .contracts import MockContract

RESERVED: Final = frozenset(error.code for error in RUNTIME_ERRORS)
MAX_LATENCY: Final = 3600.0  # seconds
_REMEMBERED: Final = 10_000  # requests, each with how often it was made
_OPTIONS: Final = ("example", "fail", "latency", "made_up")


@dataclass(frozen=True, slots=True)
class Faults:
    """Latency and errors of a mock. The same calls in the same order always get the same faults."""

    latency: float = 0.0  # seconds before each answer
    rates: Mapping[str, float] = field(default_factory=dict)  # code → share of the calls, from 0 to 1


@dataclass(frozen=True, slots=True)
class CallControls:
    """The options of one call for the mock, in its `_meta`."""

    fail: str | None = None  # the code of the error
    latency: float | None = None  # seconds
    example: str | None = None  # the name of the example that answers
    made_up: bool = False  # no example answers


def check_faults(faults: Faults, contracts: Iterable[MockContract]) -> None:
    """Raise ValueError for a code that no tool can answer with, or a value out of range."""
    if not 0 <= faults.latency <= MAX_LATENCY:
        raise ValueError(f"latency must be a number of seconds from 0 to {MAX_LATENCY:.0f}")
    declared = {error["code"] for each in contracts for error in each.definition.get("errors", ())}
    known = sorted(RESERVED | declared)
    for code, rate in faults.rates.items():
        if code not in known:
            hint = did_you_mean(code, known) or f"the codes are {', '.join(known)}"
            raise ValueError(f"no tool declares the error code {code!r}, and it is not reserved; {hint}")
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate of {code} must be a number from 0 to 1, not {rate}")
    if sum(faults.rates.values()) > 1 + 1e-9:
        raise ValueError("the rates of all codes together must not be more than 1")


def read_controls(meta: Mapping[str, Any], codes: Collection[str], examples: Collection[str]) -> CallControls:
    """Return what a call asks for under `toolgen/mock` in its metadata. Raises InvalidRequestError."""
    given = meta.get(MOCK_KEY)
    if given is None:
        return CallControls()
    if not isinstance(given, Mapping):
        raise _invalid("must be an object")
    for name in given:
        if name not in _OPTIONS:
            hint = did_you_mean(str(name), _OPTIONS) or f"there are {', '.join(_OPTIONS)}"
            raise _invalid(f"has no option {name!r}; {hint}")
    latency = given.get("latency")
    if latency is not None and not (_is_number(latency) and 0 <= latency <= MAX_LATENCY):
        raise _invalid(f"latency must be a number of seconds from 0 to {MAX_LATENCY:.0f}")
    for option, known in (("fail", codes), ("example", examples)):
        value = given.get(option)
        if value is not None and not (isinstance(value, str) and value in known):
            raise _invalid(f"{option} must be one of {', '.join(sorted(known)) or 'none at all'}")
    made_up = given.get("made_up", False)
    if not isinstance(made_up, bool):
        raise _invalid("made_up must be true or false")
    return CallControls(given.get("fail"), latency, given.get("example"), made_up)


def _invalid(message: str) -> InvalidRequestError:
    return InvalidRequestError(f"Invalid metadata of the call: {MOCK_KEY} {message}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class FaultDice:
    """Decides which calls fail: by the seed, the request, and how often it was made before."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._seed = seed
        self._made: OrderedDict[str, int] = OrderedDict()  # digest of a request → how often

    def code(self, request: str, codes: Collection[str]) -> str | None:
        """Return the code of the error in which a call ends; None if it does not fail."""
        if not self._faults.rates:
            return None
        number = self._made.pop(request, 0) + 1
        self._made[request] = number
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)
        digest = sha256(f"{self._seed}:{request}:{number}".encode()).digest()
        drawn = int.from_bytes(digest[:6], "big") / 2**48
        for code, rate in self._faults.rates.items():
            drawn -= rate
            if drawn < 0:
                return code if code in codes else None
        return None
