"""Make an MCP bundle (MCPB): a zip file with the server, by which a client installs and starts it.

It has the generated package and the implementations in `app/`, toolgen in `vendor/`, a manifest, and a
pyproject.toml with the dependencies, which uv installs on the user's machine.

https://github.com/modelcontextprotocol/mcpb
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import requires, version
from typing import Any, Final

import tomlkit

import toolgen
from toolgen.base import MIB
from toolgen.base.files import DeclaredFolder, FileKind, Folder
from toolgen.base.suggestions import quoted
from toolgen.compile.publishing.documents import ENTRY_POINT
from toolgen.language.targets.documents import DocumentTarget
from toolgen.project import PYPROJECT, Project, UnableError, kind_of, load_targets, read_text
from toolgen.project.files.reading import file_errors
from toolgen.project.inputs.configuration import project_metadata
from toolgen.project.output.manifest import NAME as OUTPUT_MANIFEST

MANIFEST: Final = "mcpb/manifest.json"  # below the output folder
MAX_BYTES: Final = 100 * MIB  # of all files: the archive is made in memory
_SKIPPED: Final = (".", "__pycache__")
_PRIVATE: Final = re.compile(
    r"(?i)(.*\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ovpn|tfstate|env|mcpb)(\.(bak|old|orig|backup))?"
    r"|id_(rsa|dsa|ecdsa|ed25519).*|(secrets?|credentials?)(\..*)?|kubeconfig|\.?htpasswd"
    r"|(service[-_]account|client[-_]secret).*\.json)(?<!\.py)"
)
"""Names of files that hold secrets, and of bundles: they are packed only if `include` names them."""
# at the start of a file, or a value in JSON: service accounts have any name
_PRIVATE_KEY: Final = re.compile(rb'\s*(\{[^{}]*:\s*")?-----BEGIN [A-Z ]*PRIVATE KEY-----')
_EXTRAS: Final = ("mcp", "http")  # what servers run with
_MAIN: Final = """\
\"\"\"Start the server over stdio. `toolgen bundle` wrote this file.\"\"\"

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "app"), str(HERE / "vendor")]

from toolgen import serving

from {package}.mcp_server import build_server

sys.exit(serving.main(build_server))
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that has been made, and not been written."""

    name: str  # of the file
    content: bytes
    files: int
    left_out: tuple[str, ...]  # files that may be secret

    @property
    def sha256(self) -> str:
        """Return the hash by which a registry's clients check what they download."""
        return sha256(self.content).hexdigest()


def make_bundle(project: Project) -> Bundle:
    """Return the bundle of a project whose output is up to date. Raises `UnableError`."""
    text = read_text(project.root, f"{project.output}/{MANIFEST}")
    if text is None:
        raise UnableError(
            "bundle", f"there is no {project.output}/{MANIFEST}", "run `toolgen generate` first"
        )
    manifest = _named(text, f"{project.output}/{MANIFEST}")
    app, left_out = _app_files(project)
    release = version("toolgen")
    files = {
        "manifest.json": text.encode(),
        PYPROJECT: _pyproject(project, manifest).encode(),
        ENTRY_POINT: _MAIN.format(package=project.package).encode(),
        **{f"app/{path}": content for path, content in app.items()},
        **{f"vendor/toolgen/{path}": content for path, content in _own_files().items()},
        # the record of a start asks for it
        f"vendor/toolgen-{release}.dist-info/METADATA": f"Name: toolgen\nVersion: {release}\n".encode(),
    }
    return Bundle(f"{manifest['name']}-{manifest['version']}.mcpb", _zipped(files), len(files), left_out)


def with_recorded_hash(project: Project, sha256: str) -> str:
    """Return the text of the configuration with the hash of the bundle that was made last.

    Raises `UnableError` if the configuration is a link, which would be replaced.
    """
    if kind_of(project.root, project.file) is not FileKind.FILE:
        hint = f'write `bundle_sha256 = "{sha256}"` below [publish] yourself, then run `toolgen bundle` again'
        raise UnableError("bundle", f"cannot write the hash of the bundle to {project.file}", hint)
    document: Any = tomlkit.parse(project.text)
    settings = document["tool"]["toolgen"] if project.file == PYPROJECT else document
    settings["publish"]["bundle_sha256"] = sha256
    text = tomlkit.dumps(document).replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in project.text else text


def _named(text: str, path: str) -> dict[str, Any]:
    """Return a manifest as data. Raises `UnableError` if its name or version is none of a file."""
    try:
        data = json.loads(text)
        names = [data["name"], data["version"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UnableError("bundle", f"{path} is no manifest: {error}") from error
    for name in map(str, names):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,99}", name):
            raise UnableError("bundle", f"{path}: {quoted(name)} cannot be part of a file's name")
    return dict(data)


def _app_files(project: Project) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of the packages and of `include` by their path below `app/`, and those left out.

    Documents are left out: `server.json` has the hash of the bundle, and the manifest that of `server.json`.
    """
    documents = _documents(project)
    folders = tuple(each for each in documents if each.endswith("/"))
    tops = {each.partition(".")[0] for each in (project.package, project.implementations) if each}
    prefix = project.import_root.relative_to(project.root).as_posix()
    prefix = "" if prefix == "." else f"{prefix}/"
    found: dict[str, bytes] = {}
    private: list[str] = []
    size = 0
    with file_errors(project.root, "read", code="bundle"):
        folder = Folder(project.root)
        for top in [*(prefix + each for each in sorted(tops)), *project.publish.include]:
            paths = list(_paths(folder, top.rstrip("/")))
            if not paths and top in project.publish.include:
                raise UnableError("bundle", f"there is no {top}, which 'include' names")
            for path in paths:
                if path in documents or path.startswith(folders):
                    continue
                if path == project.file and project.publish.bundle is not None:
                    message = f"'include' has {path}, in which the hash of the bundle is recorded"
                    raise UnableError("bundle", message, "leave it out, or `bundle` of [publish]")
                content = folder.read(path)
                name = path.rpartition("/")[2]
                if path not in project.publish.include and (
                    _PRIVATE.fullmatch(name) or _PRIVATE_KEY.match(content)
                ):
                    private.append(path)
                    continue
                size += len(content)
                if size > MAX_BYTES:
                    raise UnableError("bundle", f"the files have more than {MAX_BYTES:,} bytes")
                found[path.removeprefix(prefix)] = content
    return dict(sorted(found.items())), tuple(dict.fromkeys(private))


def _documents(project: Project) -> tuple[str, ...]:
    """Return the files that a running server does not need, and folders of them, which end in a slash."""
    written = {
        path.partition("/")[0].removesuffix(".jinja") + ("/" if "/" in path else "")
        for target in load_targets(project)
        if isinstance(target.definition, DocumentTarget) and target.name != "skill"  # which is served
        for path in target.templates
    }
    return tuple(f"{project.output}/{path}" for path in (*written, OUTPUT_MANIFEST))


def _paths(folder: Folder, top: str) -> Iterator[str]:
    """Yield the paths of the files at or below `top`, or of the module of this name."""
    if folder.kind(top) is FileKind.FOLDER:
        for entry in folder.walk(top, skipped=_SKIPPED):
            if not entry.name.endswith(".pyc"):
                yield entry.path
    else:
        yield from (path for path in (top, f"{top}.py") if folder.kind(path) is FileKind.FILE)


def _own_files() -> dict[str, bytes]:
    """Return the files of this toolgen, without its templates."""
    folder = DeclaredFolder(toolgen.__path__[0])
    return {
        entry.path: folder.read(entry.path)
        for entry in folder.walk(skipped=(*_SKIPPED, "templates"))
        if entry.name.endswith((".py", ".toml", ".json", ".typed"))
    }


def _pyproject(project: Project, manifest: Mapping[str, Any]) -> str:
    """Return the text of the bundle's pyproject.toml: dependencies of the project, and of toolgen."""
    declared = project_metadata(read_text(project.root, PYPROJECT)).get("dependencies")
    own = [each for each in declared if isinstance(each, str)] if isinstance(declared, list) else []
    wanted = sorted({*_requirements(), *(each for each in own if not re.match(r"toolgen\b", each))})
    lines = "".join(f"    {json.dumps(each, ensure_ascii=False)},\n" for each in wanted)
    return (
        f'[project]\nname = "{manifest["name"]}"\nversion = "{manifest["version"]}"\n'
        f'requires-python = ">=3.11"\ndependencies = [\n{lines}]\n\n[tool.uv]\npackage = false\n'
    )


def _requirements() -> Iterator[str]:
    """Yield what toolgen's runtime and its MCP server require."""
    for each in requires("toolgen") or ():
        requirement, _, marker = each.partition(";")
        extra = re.search(r'extra\s*==\s*["\']([^"\']+)', marker)
        if extra is None or extra[1] in _EXTRAS:
            yield requirement.strip()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            info = zipfile.ZipInfo(path)  # of 1980: the same files give the same bytes
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            archive.writestr(info, content)
    return target.getvalue()
