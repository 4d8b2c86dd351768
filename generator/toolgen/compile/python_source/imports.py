"""Print imports and lists of exported names, in the order and the layout of the formatter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolgen.compile.python_source.layout import INDENT, WIDTH

_NaturalKey = list[Any]  # texts and numbers in turn
_NUMBER = re.compile(r"(\d+)")
_STANDARD_LIBRARY = frozenset(
    """
    __future__ _abc _aix_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn
    _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _compat_pickle
    _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _elementtree
    _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _io _json _locale
    _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _operator _osx_support
    _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydecimal _pyio _queue _random _scproxy _sha1
    _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string
    _strptime _struct _symtable _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid
    _warnings _weakref _weakrefset _winapi _zoneinfo abc aifc antigravity argparse array ast asynchat
    asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb
    chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib
    contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils
    doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions
    ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
    http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache
    locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
    multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
    pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile
    pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
    sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
    termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc
    tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref
    webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    """.split()  # noqa: SIM905
)
"""Of Python 3.11, which generated code is written for; the list of `sys` depends on the version that runs."""


def natural_order(names: Iterable[str]) -> list[str]:
    """Return class names or modules in the formatter's order: numbers in them count as numbers."""
    return sorted(names, key=_natural_key)


def member_order(names: Iterable[str]) -> list[str]:
    """Return imported names in the formatter's order: constants, classes and others, each without case."""
    return sorted(names, key=lambda name: (_kind(name), *module_order(name)))


def _kind(name: str) -> int:
    if len(name) > 1 and name.isupper():
        return 0
    return 1 if name[:1].isupper() else 2


def _natural_key(name: str) -> _NaturalKey:
    """Numbers that begin with zero come first, and are compared as text."""
    return [
        (0, 0, part) if part.startswith("0") else (1, len(part), part) if part.isdigit() else part
        for part in _NUMBER.split(name)
    ]


def import_from(module: str, names: Iterable[str], indent: int = 0) -> str:
    """Return `from module import names`, on as many lines as it needs; all but the first are indented."""
    ordered, margin = member_order(names), " " * indent
    line = f"from {module} import {', '.join(ordered)}"
    if indent + len(line) <= WIDTH:
        return line
    inner = "".join(f"{margin}{' ' * INDENT}{name},\n" for name in ordered)
    return f"from {module} import (\n{inner}{margin})"


def all_statement(names: Iterable[str]) -> str:
    """Return `__all__ = [names]`, on as many lines as it needs."""
    quoted = [f'"{name}"' for name in natural_order(names)]
    line = f"__all__ = [{', '.join(quoted)}]"
    if len(line) <= WIDTH:
        return line
    comma = "," if len(quoted) > 1 else ""
    inner = "".join(f"{' ' * INDENT}{name}{comma}\n" for name in quoted)
    return f"__all__ = [\n{inner}]"


def import_groups(modules: Mapping[str, str | None], members: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the lines of imports, those of the standard library and those of other packages.

    `modules` are imported as a whole, by an alias or None; from `members`, names are imported.
    """
    plain = {module: f"import {module}{f' as {alias}' if alias else ''}" for module, alias in modules.items()}
    named = {module: import_from(module, names, INDENT) for module, names in members.items() if names}
    standard: list[str] = []
    others: list[str] = []
    # `import a` before `from a import b`, as ruff sorts by default
    for lines in (plain, named):
        for module in sorted(lines, key=module_order):
            (standard if module.partition(".")[0] in _STANDARD_LIBRARY else others).append(lines[module])
    return [group for group in (standard, others) if group]


def module_order(module: str) -> tuple[_NaturalKey, _NaturalKey]:
    """Return the key by which the formatter sorts imports of modules."""
    return _natural_key(module.lower()), _natural_key(module)
