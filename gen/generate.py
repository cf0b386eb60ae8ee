"""generate.py API_FOLDER OUTPUT_FOLDER VERSION: makes what C cannot express. See gen/README.md."""

import sys

import entries
import header
from standard import Standard, write


def main(api, output, version):
    standard = Standard(api)
    write(output, "include/mpi.h", header.mpi_h(standard, version))
    for chapter in standard.chapters:
        write(output, f"entry_{chapter.file}.c", entries.entries_c(chapter))
    write(output, "handle_names.c", entries.handle_names_c(standard.constants))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
