"""Files: read within limits, written atomically, and never outside the folder that they belong to.

Three kinds of paths have three entries:

- Paths of a project, or that a tool returns: strangers may have put links there. `Folder` reads and lists
  them, `WritableFolder` writes them; a link is followed only as long as it stays below the folder.
- Paths that an operator names on the command line or in the environment, among them mounted secrets, which
  are often links: `read_named`, `open_named`, `write_named`, `read_secret` (`secret_files.py`), and
  `DeclaredFolder` for a whole folder.
- Temporary files: the standard library's `tempfile`, and the functions for named paths.

Only regular files of limited size are read, and no call waits for the other end of a pipe.
"""

from toolgen.base.files.folder import DeclaredFolder, Entry, FileKind, Folder
from toolgen.base.files.reading import (
    MAX_BYTES,
    IrregularFileError,
    OutsideError,
    OversizedFileError,
    open_named,
    read_named,
)
from toolgen.base.files.writable_folder import (
    WritableFolder,
    make_named,
    remove_empty,
    write_named,
)

__all__ = [
    "MAX_BYTES",
    "DeclaredFolder",
    "Entry",
    "FileKind",
    "Folder",
    "IrregularFileError",
    "OutsideError",
    "OversizedFileError",
    "WritableFolder",
    "make_named",
    "open_named",
    "read_named",
    "remove_empty",
    "write_named",
]
