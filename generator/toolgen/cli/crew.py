"""Work shared among processes: forked, because a fork has everything imported and costs next to nothing."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector

from toolgen.pipeline import Made

Make = Callable[[Sequence[str]], Made]

_MOST = 100  # specs at a time: enough to make a formatter's start cheap, few enough to show progress
_FEW = 24  # specs that one process does sooner than two
_SIZE = struct.Struct("<I")


def crew(make: Make, paths: Sequence[str]) -> Iterator[Made]:
    """`make` with all `paths`, some at a time: on all processors, where there is enough to do."""
    workers = min(_processors(), len(paths) * 2 // _FEW)
    size = max(1, min(_MOST, -(-len(paths) // max(1, workers))))
    parts = [paths[start : start + size] for start in range(0, len(paths), size)]
    if workers < 2 or not _can_fork():
        for part in parts:
            yield make(part)
            gc.collect()  # the engine leaves much behind
        return
    from toolgen.engine.run import load_engine

    load_engine()
    yield from _forked(make, parts, workers)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_fork() -> bool:
    """A process of several threads cannot be copied; nor, with all its system libraries, one of macOS."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _forked(make: Make, parts: Sequence[Sequence[str]], workers: int) -> Iterator[Made]:
    """What a worker fails at is done again here, so that an error is raised where it is shown."""
    left = set(range(len(parts)))
    sys.stdout.flush()
    gc.freeze()  # what is there now is shared: a collector that looks at it would copy it
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch, DefaultSelector() as waiting:
        children: list[int] = []
        try:
            for number in range(workers):
                reader, writer = os.pipe()
                child = os.fork()
                if not child:
                    os.close(reader)
                    _work(make, parts, range(number, len(parts), workers), writer, scratch)
                os.close(writer)
                children.append(child)
                waiting.register(os.fdopen(reader, "rb"), EVENT_READ)
            while waiting.get_map():
                for key, _ in waiting.select():
                    found = _received(key.fileobj)
                    if found is None:
                        waiting.unregister(key.fileobj)
                        key.fileobj.close()  # type: ignore[union-attr]
                        continue
                    left.discard(found[0])
                    yield found[1]
        finally:
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            gc.unfreeze()
    yield from (make(parts[index]) for index in sorted(left))


def _work(make: Make, parts: Sequence[Sequence[str]], mine: range, writer: int, scratch: str) -> None:
    """All of a worker's life. Its temporary files lie in `scratch`, which outlives it."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the parent, which ends us
        tempfile.tempdir = scratch
        gc.disable()
        with os.fdopen(writer, "wb") as pipe:
            for index in mine:
                data = pickle.dumps((index, make(parts[index])))
                pipe.write(_SIZE.pack(len(data)) + data)
                pipe.flush()
                gc.collect()  # what the engine leaves behind, and nothing older
                gc.freeze()
    finally:
        os._exit(0)


def _received(pipe: object) -> tuple[int, Made] | None:
    """The next result of a worker; None after its last."""
    head = pipe.read(_SIZE.size)  # type: ignore[attr-defined]
    if len(head) < _SIZE.size:
        return None
    size = _SIZE.unpack(head)[0]
    data = pipe.read(size)  # type: ignore[attr-defined]
    return pickle.loads(data) if len(data) == size else None
