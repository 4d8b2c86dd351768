"""TOML files that an operator names by a flag, and that nobody else may have written."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from toolgen.base import MIB
from toolgen.base.files import IrregularFileError, open_named
from toolgen.base.files.secret_files import writer_fault

from .settings import SettingError

MAX_BYTES: Final = MIB
Tables = TypeVar("Tables", bound=BaseModel)


def read_operator_file(flag: str, path: str, model: type[Tables]) -> tuple[Tables, os.stat_result, bytes]:
    """Return the tables of a file, its status, and its bytes.

    Raises SettingError, whose message names `flag` and contains no value of the file.
    """
    try:
        with open_named(path) as file:
            status = os.fstat(file.fileno())
            data = file.read(MAX_BYTES + 1)
        # one more byte than the limit was read
        if len(data) > MAX_BYTES:
            raise IrregularFileError(path)
        tables = model.model_validate(tomllib.loads(data.decode()))
    except IrregularFileError:
        raise SettingError(f"{flag}: {path} is not a file of at most {MAX_BYTES} bytes") from None
    except OSError as error:
        raise SettingError(f"{flag}: cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        where = ".".join(map(str, fault["loc"])) or "the file"
        tables_of = next(iter(model.model_fields.values())).alias or next(iter(model.model_fields))
        raise SettingError(
            f"{flag}: {path} must have [[{tables_of}]] tables: {where}: {fault['msg']}"
        ) from None
    except (ValueError, RecursionError) as error:
        place = re.search(r"\(at [^()]*\)$", str(error))  # the rest may be a part of a secret
        raise SettingError(f"{flag}: {path} is not TOML in UTF-8{f' {place[0]}' if place else ''}") from None
    if fault_of_writer := writer_fault(path, status):
        raise SettingError(f"{flag}: {fault_of_writer}")
    return tables, status, data
