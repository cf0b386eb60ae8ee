"""generate.py API_FOLDER OUTPUT_FOLDER: makes what C cannot express. See gen/README.md."""

import os
import sys

import header
from standard import Standard


def write(path, text):
    """Leaves an unchanged file alone, so that nothing that includes it is rebuilt."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    with open(path, "w", encoding="utf-8") as new:
        new.write(text)


def main(api, output):
    standard = Standard(api)
    write(os.path.join(output, "include", "mpi.h"), header.mpi_h(standard))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
