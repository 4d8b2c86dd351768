"""Build this workspace with the real Bazel, and count the actions that ran: `make bazel`.

Three builds share one cache: the first runs every action; the second, a clean build in another folder,
runs none; the third, after one spec was edited, runs the action of that spec and the index. A fourth build is
refused, because its spec refers to a file that is not declared.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples.bazel.toolchain import make

HERE = Path(__file__).parent
SPECS = sorted((HERE / "specs").glob("*.yaml"))
EVERYTHING = len(SPECS) + len(list((HERE / "specs" / "schemas").glob("*.yaml"))) + 1  # the index
_SUMMARY = re.compile(r"^INFO: \d+ process(?:es)?: (.*)\.$", re.MULTILINE)
_FAULT = re.compile(r"^\S+: error\[dangling-ref\].*$", re.MULTILINE)
_ELAPSED = re.compile(r"^INFO: (Elapsed time: .*)$", re.MULTILINE)


class Workspace:
    """A copy of the workspace with its own output base."""

    def __init__(self, bazel: str, root: Path, toolchain: Path) -> None:
        self.root = root / "workspace"
        shutil.copytree(HERE, self.root, ignore=shutil.ignore_patterns("__pycache__", "bazel-*"))
        shutil.copytree(toolchain, self.root / "toolchain", symlinks=True)
        self._bazel = [bazel, f"--output_user_root={root / 'output'}"]

    def build(self, cache: Path) -> dict[str, int]:
        """Build the package; count the actions that ran, came from the cache, or were Bazel's own."""
        done = self._run(cache)
        summary, elapsed = _SUMMARY.search(done.stderr), _ELAPSED.search(done.stderr)
        if done.returncode or not summary or not elapsed:
            sys.exit(f"bazel failed:\n{done.stderr}")
        print(f"   {summary[0]}\n   {elapsed[1]}")
        counts = {"run": 0, "cached": 0, "internal": 0}
        for part in summary[1].split(", "):
            number, kind = part.split(" ", 1)
            counts["cached" if "cache hit" in kind else kind if kind == "internal" else "run"] += int(number)
        return counts

    def refusal(self, cache: Path) -> str:
        """Build the package, which must fail because of a spec; return toolgen's message."""
        done = self._run(cache)
        found = _FAULT.search(done.stderr)
        if not done.returncode or not found:
            sys.exit(f"bazel should have failed for a fault in a spec:\n{done.stderr}")
        return found[0]

    def _run(self, cache: Path) -> subprocess.CompletedProcess[str]:
        words = ["build", f"--disk_cache={cache}", "--color=no", "--curses=no", "//:generated"]
        return subprocess.run(
            [*self._bazel, *words], cwd=self.root, capture_output=True, text=True, check=False
        )

    def stop(self) -> None:
        """Stop the server that Bazel leaves running."""
        subprocess.run([*self._bazel, "shutdown"], cwd=self.root, capture_output=True, check=False)


def main() -> None:
    """Run the builds; end with exit code 1 if one of them is not as expected."""
    bazel = shutil.which("bazel")
    if bazel is None:
        sys.exit("bazel was not found on PATH; on Debian: apt-get install bazel-bootstrap")
    with tempfile.TemporaryDirectory(prefix="toolgen-bazel-") as folder, stopping() as started:
        top = Path(folder)
        print("making the toolchain: a virtual environment with toolgen[cli]")
        make(top / "toolchain")
        cache = top / "cache"

        print(f"1. first build: {EVERYTHING} actions, nothing in the cache")
        started.append(first := Workspace(bazel, top / "first", top / "toolchain"))
        _expect(first.build(cache), run=EVERYTHING, cached=0)

        print("2. the same in another folder, from nothing: everything comes from the cache")
        started.append(second := Workspace(bazel, top / "second", top / "toolchain"))
        _expect(second.build(cache), run=0, cached=EVERYTHING)

        print(f"3. after {SPECS[0].name} was edited: its action, and the index")
        _edit(second.root / "specs" / SPECS[0].name, "description: ", "description: If you must. ")
        _expect(second.build(cache), run=2, cached=0)

        print("4. what Bazel built is what `toolgen generate` makes, byte for byte")
        _toolgen(second.root, "generate")
        _expect_same(_files(second.root / "bazel-bin" / "generated"), _files(second.root / "generated"))

        print("5. a spec that refers to a file which its action is not declared to read: refused")
        _edit(second.root / "BUILD", '"specs/quote_delivery.yaml": []', '"specs/get_order.yaml": []')
        print(f"   {second.refusal(cache)}")


def _expect(found: dict[str, int], run: int, cached: int) -> None:
    if (found["run"], found["cached"]) != (run, cached):
        sys.exit(f"expected {run} to run and {cached} to come from the cache")


def _expect_same(built: dict[str, bytes], made: dict[str, bytes]) -> None:
    differing = sorted(path for path in built.keys() | made.keys() if built.get(path) != made.get(path))
    if differing:
        sys.exit(f"these differ: {', '.join(differing)}")
    print(f"   {len(built)} files, all the same")


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    path.unlink()
    path.write_text(text.replace(old, new, 1))


def _files(top: Path) -> dict[str, bytes]:
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def _toolgen(root: Path, *words: str) -> None:
    environment = {**os.environ, "TOOLGEN_CACHE_DIR": str(root / "cache")}
    command = [sys.executable, "-m", "toolgen", "-C", str(root), *words]
    subprocess.run(command, env=environment, check=True, capture_output=True)


@contextmanager
def stopping() -> Iterator[list[Workspace]]:
    """Yield workspaces, and stop their servers afterwards."""
    started: list[Workspace] = []
    try:
        yield started
    finally:
        for workspace in started:
            workspace.stop()


if __name__ == "__main__":
    main()
