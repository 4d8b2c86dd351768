"""Search for texts that satisfy a formula of patterns: the shortest ones, or random ones."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from toolgen.proof.containment.regular.automaton import (
    ALWAYS,
    NEVER,
    Alphabet,
    Automaton,
    Nondeterministic,
    build_search,
)
from toolgen.proof.containment.regular.character_sets import CharacterSet
from toolgen.proof.containment.regular.formula import Formula, evaluate, patterns_in
from toolgen.proof.containment.regular.syntax import Node
from toolgen.proof.work import BudgetSpentError, WorkBudget

STEPS: Final = 300_000
"""Budget of a search: about half a second."""
_PREFERRED: Final = (
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_ .,:/@+!?=#&%*()[]{}<>;'\"$^~|`\\éß漢😀"
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text has led in each automaton, and its length up to the least one."""

    states: tuple[int, ...]
    length: int


@dataclass(frozen=True, slots=True)
class _Edge:
    """One more character, of any of these classes, and where it leads."""

    classes: tuple[int, ...]
    place: _Place


@dataclass(frozen=True, slots=True)
class _Path:
    """The last edge of a way through the places, and the way to it."""

    edge: _Edge
    before: _Path | None


@dataclass(slots=True)
class Words:
    """Texts of a language in order of length. `is_complete`: there are no more than those."""

    texts: list[str] = field(default_factory=list)
    is_complete: bool = False


# Product of automata: Rabin and Scott, "Finite Automata and Their Decision Problems", IBM Journal 3(2), 1959.
class TextSearch:
    """The texts of `least` to `most` characters that satisfy a formula."""

    def __init__(
        self, formula: Formula, *, least: int = 0, most: int | None = None, work: WorkBudget | None = None
    ) -> None:
        self._formula = formula
        self._least = least
        self._most = most
        self._work = work or WorkBudget(STEPS)
        numbers: dict[Node, int] = {}
        # by identity: a hash looks at the whole pattern each time
        self._numbers = {id(node): numbers.setdefault(node, len(numbers)) for node in patterns_in(formula)}
        built = [self._build(node) for node in numbers]
        alphabet = Alphabet(built, _rank, self._work)
        self._classes = alphabet.classes
        self._automata = [Automaton(one, alphabet, self._work) for one in built]
        self._edges: dict[_Place, list[_Edge]] = {}
        self._accepted: dict[_Place, bool] = {}
        self._open: dict[tuple[int, ...], bool] = {}
        self._spelled: dict[tuple[int, ...], list[str]] = {}
        self._start = _Place(tuple(one.start for one in self._automata), 0)

    def _build(self, node: Node) -> Nondeterministic:
        built = build_search(node)
        self._work.spend(len(built.empty))
        return built

    def shortest(self) -> str | None:
        """Return a shortest text; None: there is none. Raises `BudgetSpentError`."""
        came: dict[_Place, _Path | None] = {self._start: None}
        waiting = deque([(self._start, 0)])
        while waiting:
            place, length = waiting.popleft()
            if self._accepts(place):
                return next(self._texts(came[place], 1))
            if length == self._most:
                continue
            for edge in self._following(place):
                if edge.place not in came:
                    came[edge.place] = _Path(edge, came[place])
                    waiting.append((edge.place, length + 1))
        return None

    def words(self, count: int) -> Words:
        """Return up to `count` different texts, or those that were found when the budget was spent."""
        found = Words()
        try:
            distances = self._distances()
            seen: set[str] = set()
            for path in self._paths(distances):
                for text in self._texts(path, count):
                    if text not in seen:
                        seen.add(text)
                        found.texts.append(text)
                    if len(seen) == count:
                        return found
        except BudgetSpentError:
            return found
        found.is_complete = True
        return found

    def random_words(self, count: int, random: Random, longest: int) -> list[str]:
        """Return `count` random texts, mostly up to `longest` characters; none if the budget is spent."""
        try:
            distances = self._distances()
        except BudgetSpentError:
            return []
        if self._start not in distances:
            return []
        return [self._walk(distances, random, longest) for _ in range(count)]

    def _walk(self, distances: dict[_Place, int], random: Random, longest: int) -> str:
        place = self._start
        text: list[str] = []
        stop = random.random() * 0.5
        limit = longest if self._most is None else min(longest, self._most)
        while True:
            if self._accepts(place) and (len(text) >= limit or random.random() < stop):
                return "".join(text)
            rest = max(limit - len(text) - 1, distances[place] - 1)
            edges = [edge for edge in self._following(place) if distances.get(edge.place, rest + 1) <= rest]
            if not edges:
                return "".join(text)
            edge = random.choice(edges)
            text.append(_random_character(self._classes[random.choice(edge.classes)], random))
            place = edge.place

    def _accepts(self, place: _Place) -> bool:
        if place not in self._accepted:
            self._accepted[place] = place.length >= self._least and self._holds(place.states)
        return self._accepted[place]

    def _holds(self, states: tuple[int, ...]) -> bool:
        def known(node: Node) -> bool:
            number = self._numbers[id(node)]
            return self._automata[number].accepts(states[number])

        return evaluate(self._formula, known) is True

    def _following(self, place: _Place) -> list[_Edge]:
        """Return the edges to places that may still lead to a text."""
        if place not in self._edges:
            ends: dict[tuple[int, ...], list[int]] = {}
            for character_class in range(len(self._classes)):
                states = tuple(
                    one.step(state, character_class)
                    for one, state in zip(self._automata, place.states, strict=True)
                )
                ends.setdefault(states, []).append(character_class)
            self._work.spend(len(self._classes) * (1 + len(self._automata)))
            length = min(place.length + 1, self._least)
            self._edges[place] = [
                _Edge(tuple(classes), _Place(states, length))
                for states, classes in ends.items()
                if self._is_open(states)
            ]
        return self._edges[place]

    def _is_open(self, states: tuple[int, ...]) -> bool:
        """True if the formula may still come to hold."""

        def known(node: Node) -> bool | None:
            state = states[self._numbers[id(node)]]
            return True if state == ALWAYS else False if state == NEVER else None

        if states not in self._open:
            self._open[states] = evaluate(self._formula, known) is not False
        return self._open[states]

    def _distances(self) -> dict[_Place, int]:
        """Return how many characters are missing to a text, for each place that leads to one."""
        before: dict[_Place, list[_Place]] = {self._start: []}
        waiting = deque([(self._start, 0)])
        while waiting:
            place, length = waiting.popleft()
            if length == self._most:
                continue
            for edge in self._following(place):
                if edge.place not in before:
                    before[edge.place] = []
                    waiting.append((edge.place, length + 1))
                before[edge.place].append(place)
        distances = {place: 0 for place in before if self._accepts(place)}
        places = deque(distances)
        while places:
            place = places.popleft()
            for one in before[place]:
                if one not in distances:
                    distances[one] = distances[place] + 1
                    places.append(one)
        return distances

    # A*: Hart and others, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths", 1968.
    def _paths(self, distances: dict[_Place, int]) -> Iterator[_Path | None]:
        """Yield the ways to all texts, the shortest first."""
        numbers = itertools.count()
        # by the length of the shortest text that begins so, then the longest way so far
        heap: list[tuple[int, int, int, _Place, _Path | None]] = []
        if self._start in distances:
            heap.append((distances[self._start], 0, next(numbers), self._start, None))
        while heap:
            _, minus, _, place, path = heapq.heappop(heap)
            self._work.spend(1)
            if self._accepts(place):
                yield path
            if -minus == self._most:
                continue
            for edge in self._following(place):
                distance = distances.get(edge.place)
                if distance is not None and (self._most is None or 1 - minus + distance <= self._most):
                    entry = (1 - minus + distance, minus - 1, next(numbers), edge.place, _Path(edge, path))
                    heapq.heappush(heap, entry)

    def _texts(self, path: _Path | None, count: int) -> Iterator[str]:
        """Yield the texts of one way, at least `count` of them if it has as many."""
        edges: list[_Edge] = []
        while path is not None:
            edges.append(path.edge)
            path = path.before
        options = [self._characters(edge.classes, count) for edge in reversed(edges)]
        for characters in itertools.product(*options):
            self._work.spend(1)
            yield "".join(characters)

    def _characters(self, classes: tuple[int, ...], count: int) -> list[str]:
        """Return `count` characters of these classes, or all if there are fewer, plain ones first."""
        known = self._spelled.get(classes)
        if known is None or len(known) < count:
            sets = [self._classes[one] for one in classes]
            found = dict.fromkeys(sorted(map(_first_character, sets), key=_order))
            plain = (character for character in _PREFERRED if any(ord(character) in one for one in sets))
            others = (chr(one.at(index)) for one in sets for index in range(len(one)))
            for character in itertools.chain(plain, others):
                if len(found) >= count:
                    break
                found[character] = None
            known = self._spelled[classes] = list(found)
        return known[:count]


def _first_character(members: CharacterSet) -> str:
    """Return the plainest character of a set."""
    for character in _PREFERRED:
        if ord(character) in members:
            return character
    plain = (first for first, _ in members.ranges if first > 0xA0)
    return chr(next(plain, members.at(0)))


def _order(character: str) -> tuple[int, str]:
    at = _PREFERRED.find(character)
    return (at if at >= 0 else len(_PREFERRED), character)


def _rank(members: CharacterSet) -> tuple[int, str]:
    return _order(_first_character(members))


def _random_character(members: CharacterSet, random: Random) -> str:
    """Return a member of a set, mostly one that people would write."""
    plain = [character for character in _PREFERRED if ord(character) in members]
    if plain and random.random() < 0.8:
        return random.choice(plain)
    return chr(members.at(random.randrange(len(members))))
