"""Build what a release publishes, check it, and write its notes: `make release`.

Nothing is uploaded. `dist/` then holds the wheel, the source distribution, an SBOM in the format CycloneDX,
SHA256SUMS and NOTES.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
UNRELEASED = "Unreleased"


class NotReadyError(Exception):
    """A reason why the checkout cannot be released; the message says what to do."""


def release_notes(changelog: str, section: str) -> str:
    """Return the text below the heading `## <section>`, up to the next heading of that level.

    A date may follow the version: `## 1.2.0 - 2026-11-22`. Raises NotReadyError if there is no such section.
    """
    heading = rf"^## {re.escape(section)}(?: [-(][^\n]*)?\n"
    found = re.search(rf"{heading}(?P<notes>.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        raise NotReadyError(f"CHANGELOG.md has no section '## {section}': rename '## {UNRELEASED}' to it")
    return found["notes"].strip() + "\n"


def refuse_uncommitted(root: Path) -> None:
    """Raise NotReadyError if tracked files differ from the commit, or files are untracked."""
    if changed := _git(root, "status", "--porcelain"):
        raise NotReadyError(f"commit these files first, only committed files are released:\n{changed}")


def build(root: Path, target: Path) -> list[Path]:
    """Build the wheel and the source distribution from the committed files into `target`.

    Times in the wheel are those of the commit: the same commit gives the same wheel. A source distribution
    has the time of the build, by setuptools.
    """
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _git(root, "log", "-1", "--format=%ct")}
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "source.tar")
        _git(root, "archive", "--format=tar", f"--output={archive}", "HEAD")
        shutil.unpack_archive(archive, Path(folder, "source"))
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target)]
        subprocess.run([*command, f"{folder}/source"], check=True, env=environment, stdout=subprocess.DEVNULL)
    return sorted([*target.glob("*.whl"), *target.glob("*.tar.gz")])


def check(files: list[Path]) -> None:
    """Check metadata and contents of the distributions, as the index and users' tools do."""
    wheels = [str(file) for file in files if file.suffix == ".whl"]
    subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True, cwd=ROOT
    )
    subprocess.run([sys.executable, "-m", "check_wheel_contents", *wheels], check=True, cwd=ROOT)


def describe(wheel: Path, target: Path) -> Path:
    """Write the bill of materials of the wheel, with every extra, as it is installed today. Return its path.

    It has no time and no serial number: the same packages give the same text.
    """
    path = target / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", f"{wheel}[all]"], check=True)
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
        project = ["--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library"]
        subprocess.run([*command, *project, "--output-file", str(path), str(python)], check=True, cwd=folder)
    return path


def write_sums(files: list[Path], path: Path) -> None:
    """Write the SHA-256 of each file, in the format of `sha256sum --check`."""
    sums = (f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    path.write_text("".join(sums))


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument(
        "--draft", action="store_true", help=f"take the notes from '## {UNRELEASED}': nothing to publish yet"
    )
    options = parser.parse_args()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    dist = ROOT / "dist"
    try:
        refuse_uncommitted(ROOT)
        changelog = (ROOT / "CHANGELOG.md").read_text()
        notes = release_notes(changelog, UNRELEASED if options.draft else version)
    except NotReadyError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    shutil.rmtree(dist, ignore_errors=True)
    files = build(ROOT, dist)
    check(files)
    files.append(describe(next(file for file in files if file.suffix == ".whl"), dist))
    write_sums(files, dist / "SHA256SUMS")
    (dist / "NOTES.md").write_text(notes)
    print(f"toolgen {version}:", *(f"  dist/{file.name}" for file in sorted(dist.iterdir())), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
