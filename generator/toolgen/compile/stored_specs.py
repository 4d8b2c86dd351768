"""Compiled specs in a cache: packs with their code, and one index with what linking needs of each of them.

One edit of a large project needs the code of one spec, and names, digests and warnings of all: these are in
one entry of the cache. An entry that is missing or damaged costs time and nothing else: specs that are not in
the index are compiled, and one whose pack cannot be read is compiled again when its code is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass
from hashlib import sha256

_LEAST_OTHERS = 500  # lines of specs as they were, or are in another project with the same options


@dataclass(frozen=True, slots=True)
class StoredSpec:
    """One spec of the index: what linking needs, and where its code is."""

    head: bytes
    pack: str  # its hash
    start: int
    end: int


class StoredSpecs:
    """The compiled specs in a cache that were compiled with the same options, by keys without spaces."""

    def __init__(self, cache: MutableMapping[str, bytes], options: str) -> None:
        self._cache = cache
        self._index = f"index {options}"
        self._lines = self._read_index()
        self._added: dict[str, bytes] = {}
        self._known: dict[str, bool] = {}  # pack → whether the cache has it
        self._packs: dict[str, bytes | None] = {}  # those that were read; None: damaged

    def get(self, key: str) -> StoredSpec | None:
        """Return the spec with this key; None if the index or the pack is missing."""
        line = self._lines.get(key)
        if line is None:
            return None
        try:
            pack, start, end, head = line.split(b" ", 3)
            found = StoredSpec(head, pack.decode(), int(start), int(end))
        except ValueError:
            return None
        # the pack may be pruned by now, without which the line is worth nothing
        if found.pack not in self._known:
            self._known[found.pack] = _entry(found.pack) in self._cache
        return found if self._known[found.pack] else None

    def code(self, spec: StoredSpec) -> bytes | None:
        """Return the code of a spec; None if its pack is missing or damaged."""
        if spec.pack not in self._packs:
            found = self._cache.get(_entry(spec.pack))
            # packs hold code: one that somebody changed must not be used
            is_intact = found is not None and sha256(found).hexdigest() == spec.pack
            self._packs[spec.pack] = found if is_intact else None
        pack = self._packs[spec.pack]
        return None if pack is None else pack[spec.start : spec.end]

    def add(self, batch: Mapping[str, tuple[bytes, bytes]]) -> None:
        """Store specs: key → head and code, one line and any bytes. `save` adds them to the index."""
        pack = b"".join(code for _, code in batch.values())
        name = sha256(pack).hexdigest()
        self._cache[_entry(name)] = pack
        start = 0
        for key, (head, code) in batch.items():
            end = start + len(code)
            self._added[key] = b"%s %d %d %s" % (name.encode(), start, end, head)
            start = end

    def save(self, used: Collection[str]) -> None:
        """Write the index: the specs in `used`, then as many others, those that were used last first."""
        if not self._added:
            return
        known = {**self._lines, **self._read_index(), **self._added}  # another run may have written meanwhile
        own = dict.fromkeys(key for key in used if key in known)
        others = [key for key in known if key not in own][: max(len(own), _LEAST_OTHERS)]
        lines = (b"%s %s" % (key.encode(), known[key]) for key in (*own, *others))
        self._cache[self._index] = b"\n".join(lines)
        self._added.clear()

    def _read_index(self) -> dict[str, bytes]:
        """Return key → the rest of the line."""
        lines = self._cache.get(self._index, b"").split(b"\n")
        split = (line.partition(b" ") for line in lines)
        return {key.decode("ascii", "replace"): rest for key, _, rest in split}


def _entry(pack: str) -> str:
    """Return the cache key of a pack."""
    return f"pack {pack}"
