"""One pattern as an automaton: states are made when a text first leads to them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Several
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from toolgen.proof.containment.regular.character_sets import ALL, NONE, CharacterSet, of_ranges
from toolgen.proof.containment.regular.syntax import (
    Anchor,
    Characters,
    Choice,
    Look,
    Node,
    NotRegularError,
    Repeat,
    Sequence,
    word_characters,
)
from toolgen.proof.work import WorkBudget

_MOST_STATES = 20_000  # of one pattern, counts written out

NEVER: Final = 0
"""The state from which no text is accepted."""
ALWAYS: Final = 1
"""The state from which every text is accepted."""


@dataclass(slots=True)
class Nondeterministic:
    """An automaton with several next states, for searching a text: what surrounds a match is skipped."""

    empty: list[list[int]] = field(default_factory=list)  # by state: next states without a character
    positions: list[list[tuple[str, int]]] = field(default_factory=list)  # those only at a position
    moves: list[list[tuple[CharacterSet, int]]] = field(default_factory=list)
    start: int = 0
    final: int = 0

    def add(self) -> int:
        """Add a state. Raises `NotRegularError` if there are too many."""
        if len(self.empty) >= _MOST_STATES:
            raise NotRegularError("a pattern with too large counts")
        self.empty.append([])
        self.positions.append([])
        self.moves.append([])
        return len(self.empty) - 1

    def uses_words(self) -> bool:
        """True if it asks where words begin and end."""
        return any(kind.endswith("boundary") for edges in self.positions for kind, _ in edges)


def build_search(node: Node) -> Nondeterministic:
    """Return the automaton of the texts within which `node` matches. Raises `NotRegularError`."""
    built = Nondeterministic()
    built.start = built.add()
    built.moves[built.start].append((ALL, built.start))
    built.final = _append(built, node, built.start)
    return built


# Thompson, "Regular Expression Search Algorithm", Comm. ACM 11(6), 1968.
def _append(built: Nondeterministic, node: Node, start: int) -> int:
    """Add the states of `node` behind `start`; return the last one."""
    match node:
        case Characters(members):
            end = built.add()
            built.moves[start].append((members, end))
            return end
        case Anchor(kind):
            end = built.add()
            built.positions[start].append((kind, end))
            return end
        case Sequence(parts):
            for part in parts:
                start = _append(built, part, start)
            return start
        case Choice(branches):
            end = built.add()
            for branch in branches:
                first = built.add()
                built.empty[start].append(first)
                built.empty[_append(built, branch, first)].append(end)
            return end
        case Repeat():
            return _append_repeat(built, node, start)
        case Look():
            raise NotRegularError("a pattern that is not regular")


def _append_repeat(built: Nondeterministic, node: Repeat, start: int) -> int:
    for _ in range(node.least):
        before, start = start, _append(built, node.part, start)
        if start == before:  # The part is empty: no count of states would end the loop.
            break
    end = built.add()
    if node.most is None:
        loop = built.add()
        built.empty[start].append(loop)
        built.empty[_append(built, node.part, loop)].append(loop)
        built.empty[loop].append(end)
        return end
    for _ in range(node.most - node.least):
        built.empty[start].append(end)
        first = built.add()  # an own state: what is added to `start` must not skip the part before
        built.empty[start].append(first)
        start = _append(built, node.part, first)
    built.empty[start].append(end)
    return end


@dataclass(frozen=True, slots=True)
class CharacterClass:
    """Characters that no set of a search divides."""

    members: CharacterSet
    sets: int  # those that contain it, as bits: bit `i` for the set `i`


# Minterms: D'Antoni and Veanes, "Minimization of Symbolic Automata", POPL 2014.
def partition(sets: Several[CharacterSet]) -> list[CharacterClass]:
    """Divide the characters of `sets` into classes."""
    toggled: dict[int, int] = {}
    for index, one in enumerate(sets):
        for first, last in one.ranges:
            toggled[first] = toggled.get(first, 0) ^ 1 << index
            toggled[last + 1] = toggled.get(last + 1, 0) ^ 1 << index
    groups: dict[int, list[tuple[int, int]]] = {}
    containing = 0
    for first, end in pairwise(sorted(toggled)):
        containing ^= toggled[first]
        if containing:
            groups.setdefault(containing, []).append((first, end - 1))
    return [CharacterClass(of_ranges(ranges), sets) for sets, ranges in groups.items()]


class Alphabet:
    """The classes of characters of a search, and which of them each set contains, as bits."""

    def __init__(
        self, automata: Several[Nondeterministic], order: Callable[[CharacterSet], Any], work: WorkBudget
    ) -> None:
        sets = {members: None for one in automata for edges in one.moves for members, _ in edges}
        words = word_characters() if any(one.uses_words() for one in automata) else NONE
        listed = list({**sets, ALL: None, words: None})
        found = sorted(partition(listed), key=lambda one: order(one.members))
        work.spend(len(found) * len(listed) // 10)
        self.classes = [one.members for one in found]
        self.masks = dict.fromkeys(listed, 0)
        for number, one in enumerate(found):
            for index in range(len(listed)):
                if one.sets >> index & 1:
                    self.masks[listed[index]] |= 1 << number
        self.words = self.masks[words]


@dataclass(frozen=True, slots=True)
class _State:
    """Where a text has led."""

    kernel: frozenset[int]
    at_start: bool
    after_word: bool


# Subset construction: Rabin and Scott, "Finite Automata and Their Decision Problems", IBM Journal 3(2), 1959.
class Automaton:
    """The deterministic automaton of one pattern over the classes of characters of a search."""

    def __init__(self, built: Nondeterministic, alphabet: Alphabet, work: WorkBudget) -> None:
        self._built = built
        self._work = work
        masks = alphabet.masks
        self._moves = [[(masks[members], end) for members, end in edges] for edges in built.moves]
        self._words = alphabet.words if built.uses_words() else None
        self._living = self._find_living()
        self._states: list[_State] = [_State(frozenset(), False, False)] * 2
        self._numbers: dict[_State, int] = {}
        self._steps: dict[tuple[int, int], int] = {}
        self._ends: dict[int, bool] = {NEVER: False, ALWAYS: True}
        self._nexts: dict[tuple[int, bool], list[tuple[int, int]] | None] = {}
        self.start = self._number(_State(frozenset([built.start]), at_start=True, after_word=False))

    def step(self, state: int, character_class: int) -> int:
        """Return the state behind one character of a class."""
        if state <= ALWAYS:
            return state
        key = (state, character_class)
        if key not in self._steps:
            self._steps[key] = self._make_step(state, character_class)
        return self._steps[key]

    def accepts(self, state: int) -> bool:
        """True if a text that ends in `state` is accepted."""
        if state not in self._ends:
            reached = self._close(self._states[state], at_end=True, before_word=False)
            self._ends[state] = self._built.final in reached
        return self._ends[state]

    def _make_step(self, state: int, character_class: int) -> int:
        word = self._words is not None and self._words >> character_class & 1 == 1
        moves = self._moves_behind(state, word)
        if moves is None:
            return ALWAYS
        self._work.spend(1 + len(moves))
        bit = 1 << character_class
        kernel = frozenset([end for mask, end in moves if mask & bit])
        return self._number(_State(kernel, at_start=False, after_word=word))

    def _moves_behind(self, state: int, word: bool) -> list[tuple[int, int]] | None:
        """Return the moves from `state` to living states, None if the text has been accepted.

        `word`: the next character belongs to a word.
        """
        key = (state, word)
        if key not in self._nexts:
            reached = self._close(self._states[state], at_end=False, before_word=word)
            if self._built.final in reached:
                self._nexts[key] = None
            else:
                living = self._living
                self._nexts[key] = [move for one in reached for move in self._moves[one] if move[1] in living]
        return self._nexts[key]

    def _number(self, state: _State) -> int:
        if not state.kernel:
            return NEVER
        if state not in self._numbers:
            number = len(self._states)
            self._states.append(state)
            is_accepted = self._words is None and self._moves_behind(number, False) is None
            self._numbers[state] = ALWAYS if is_accepted else number
        return self._numbers[state]

    def _close(self, state: _State, *, at_end: bool, before_word: bool) -> set[int]:
        """Return all states that are reached without a further character."""
        boundary = state.after_word != before_word
        holds = {"start": state.at_start, "end": at_end, "boundary": boundary, "no_boundary": not boundary}
        reached = set(state.kernel)
        waiting = list(state.kernel)
        while waiting:
            one = waiting.pop()
            for end in self._built.empty[one]:
                if end not in reached:
                    reached.add(end)
                    waiting.append(end)
            for kind, end in self._built.positions[one]:
                if holds[kind] and end not in reached:
                    reached.add(end)
                    waiting.append(end)
        self._work.spend(len(reached))
        return reached

    def _find_living(self) -> frozenset[int]:
        """Return the states from which a match can be reached behind the start of the text."""
        before: list[list[int]] = [[] for _ in self._built.empty]
        for state, ends in enumerate(self._built.empty):
            for end in ends:
                before[end].append(state)
            for kind, end in self._built.positions[state]:
                if kind != "start":
                    before[end].append(state)
            for mask, end in self._moves[state]:
                if mask:
                    before[end].append(state)
        living = {self._built.final}
        waiting = [self._built.final]
        while waiting:
            for state in before[waiting.pop()]:
                if state not in living:
                    living.add(state)
                    waiting.append(state)
        self._work.spend(len(before))
        return frozenset(living)
