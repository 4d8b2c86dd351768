"""A running `toolgen generate --watch`, and how long it takes to notice an edit and to write its code."""

from __future__ import annotations

import subprocess
import time
from types import TracebackType

from .process import Wrong
from .project import TOOLGEN, Project

_PATIENCE = 60.0  # seconds


class Watch:
    """The process, from its first complete `generate` until the block ends."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._manifest = project.folder / "generated" / "toolgen.manifest.json"

    def __enter__(self) -> Watch:
        """Start it and wait until it watches."""
        self._process = subprocess.Popen(
            [TOOLGEN, "generate", "--watch"],
            cwd=self._project.folder,
            env=self._project.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            self._wait_until_it_watches()
        except Wrong:
            self.__exit__(None, None, None)
            raise
        self._state = self._manifest.stat()
        return self

    def until_fresh(self) -> float:
        """Return seconds until the manifest, which is written last, is another one."""
        began = time.perf_counter()
        while (now := self._manifest.stat()).st_ino == self._state.st_ino:
            if time.perf_counter() - began > _PATIENCE or self._process.poll() is not None:
                raise Wrong("generate --watch does not see that a spec changed")
            time.sleep(0.001)
        seconds = time.perf_counter() - began
        self._state = now
        self._wait_until_it_watches()
        return seconds

    def _wait_until_it_watches(self) -> None:
        assert self._process.stderr
        lines: list[str] = []
        while "watching for changes" not in (line := self._process.stderr.readline()):
            if not line:
                raise Wrong(f"generate --watch says {''.join(lines)!r}, and ends")
            lines.append(line)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
