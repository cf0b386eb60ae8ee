"""generate_fortran.py API_FOLDER OUTPUT_FOLDER: makes the Fortran interfaces and the library behind them. See gen/README.md."""

import sys

import fortran_entries
import fortran_modules
from fortran import Forms
from standard import Standard, write


def main(api, output):
    standard, forms = Standard(api), Forms(api)
    write(output, "include/mpif.h", fortran_modules.mpif_h(standard, forms))
    write(output, "fortran/mpi_abi_types.f90", fortran_modules.types_module(standard))
    write(output, "fortran/mpi.f90", fortran_modules.f90_module(standard, forms))
    write(output, "fortran/mpi_f08.f90", fortran_modules.f08_module(standard, forms))
    procedures = {p.name: p for p in standard.procedures()}
    next_names = ["X_" + name for name in standard.next()]
    for chapter in forms.chapters():
        write(output, f"fortran/fortran_{chapter}.c", fortran_entries.entries_c(chapter, forms, procedures, next_names))
    write(output, "fortran/sizeof.c", fortran_entries.sizeof_c())
    write(output, "fortran/operators.c", fortran_entries.operators_c())
    write(output, "fortran/slots.c", fortran_entries.slots_c())
    write(output, "fortran/slots.h", fortran_entries.slots_h())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
