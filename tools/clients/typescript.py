"""Clients in TypeScript, read by `tsc --strict` in one process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tools.corpus.score import Tally

from .live import PACKAGES

_OPTIONS: Final = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUnusedLocals": True,
    "verbatimModuleSyntax": True,
    "module": "nodenext",
    "target": "esnext",
    "skipLibCheck": True,
    "noEmit": True,
    "types": ["node"],
}


def compile_typescript(folder: Path, environment: Mapping[str, str], score: Tally) -> None:
    """Check the client of each package below `folder`."""
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": _OPTIONS}))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(PACKAGES / "node_modules")
    done = subprocess.run(
        [str(PACKAGES / "node_modules/.bin/tsc"), "-p", str(folder)],
        capture_output=True,
        text=True,
        env=dict(environment),
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if "error TS" in line]
    if done.returncode and not errors:
        errors = [done.stdout + done.stderr]
    for package in sorted(each.name for each in folder.glob("*_*") if each.is_dir()):
        if package != "node_modules":
            own = [error for error in errors if error.startswith(f"{package}/") or "error TS" not in error]
            score.note(package, own[0] if own else None)
    if errors and not score.misses:
        score.note("tsc", errors[0])
