#!/bin/sh
# other_compiler.sh BUILD SCRATCH: the modules and the tests, compiled with flang (LLVM 19 or later), over the library of this build, and
# the calls of every procedure over the mock.
set -eu
build=$1 scratch=$2
tests=$(cd "$(dirname "$0")" && pwd)
for flang in flang flang-new flang-new-22 flang-22 flang-new-19 flang-19 none; do
    ! command -v $flang >/dev/null || break
done
if [ $flang = none ] || ! $flang --version | grep -Eq 'version (19|[2-9][0-9])'; then
    echo "skipped: there is no flang of LLVM 19 or later (Debian: flang-19)"
    exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
for module in mpi_abi_types mpi mpi_f08; do
    $flang -c "$build/generated/fortran/$module.f90" -o $module.o
done
try() { # program flags...
    program=$1
    shift
    $flang "$@" -w -I. -I"$tests" -I"$build/generated/include" "$tests/$program" "$tests/expect.f90" -o program \
        -L"$build/lib" -lmpifort_abi -lmpi_abi "-Wl,-rpath,$build/lib"
    echo "$program $*"
    "$build/bin/mpiexec" -n 2 ./program
}
for interface in MPI_F08 MPI MPIF_H; do
    for program in arrays callbacks hints kinds others; do
        try $program.F90 -cpp -D$interface
    done
done
try sections.f90
try copies.f90
try large.f90

calls=$build/tests/fortran/calls
for interface in mpi_f08 mpi mpif_h; do
    $flang -O0 -w -I. -I"$build/generated/include" "$calls/calls_$interface.f90" -o program "$calls/libmpi_abi.so.1" -L"$build/lib" -lmpifort_abi \
        "-Wl,-rpath,$calls,-rpath,$build/lib"
    echo "calls_$interface"
    LD_LIBRARY_PATH="$calls" ./program
done
