"""The script with which `check` is compared: hash the same files, compare with recorded hashes."""

import sys
from hashlib import sha256

with open(sys.argv[1]) as record:
    for line in record:
        digest, path = line.rstrip("\n").split("  ", 1)
        with open(path, "rb") as file:
            if sha256(file.read()).hexdigest() != digest:
                sys.exit(f"{path} changed")
