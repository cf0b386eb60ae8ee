"""generate.py API_FOLDER OUTPUT_FOLDER VERSION: makes what C cannot express. See gen/README.md."""

import os
import sys

import coverage
import entries
import header
from standard import Standard


def write(folder, name, text):
    """Leaves an unchanged file alone, so that nothing that includes it is rebuilt."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    with open(path, "w", encoding="utf-8") as new:
        new.write(text)


def main(api, output, version):
    standard = Standard(api)
    write(output, "include/mpi.h", header.mpi_h(standard, version))
    for chapter in standard.chapters:
        write(output, f"entry_{chapter.file}.c", entries.entries_c(chapter))
    write(output, "names.c", entries.names_c(standard.constants))
    write(output, "coverage.h", coverage.HEADER)
    write(output, "coverage.c", coverage.coverage_c(standard))
    write(output, "STATUS.md", coverage.status_md(standard))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
