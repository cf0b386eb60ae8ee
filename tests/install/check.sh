#!/bin/sh
# check.sh CMAKE BUILD SCRATCH: installs BUILD below SCRATCH, moves the tree, and uses it in every way it offers.
set -eu
cmake=$1 build=$2 scratch=$3
source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

die() {
    echo "FAILED: $*"
    exit 1
}
step() { echo "== $*"; }
says() { # what it should print, command...
    wanted=$1
    shift
    said=$("$@" | sort) || die "exit code of: $*"
    [ "$said" = "$wanted" ] || die "'$*' said '$said', not '$wanted'"
}
hello='hello from 0 of 2
hello from 1 of 2'

step "an install under DESTDIR"
DESTDIR="$scratch/stage" "$cmake" --install "$build" --prefix /opt/inkling >stage.log
for file in bin/mpicc bin/mpicxx bin/mpic++ bin/mpiexec bin/mpirun bin/inkling lib/libmpi_abi.so lib/libmpi_abi.so.0 \
    include/mpi.h lib/pkgconfig/inkling.pc share/man/man1/mpiexec.1 share/doc/inkling/LICENSE; do
    [ -e "stage/opt/inkling/$file" ] || die "$file is not installed"
done
[ "$(ls stage)" = opt ] || die "something was installed outside the prefix: $(ls stage)"

step "an install, moved to another place, with a space"
"$cmake" --install "$build" --prefix "$scratch/first" >first.log
mv first "second place"
second="$scratch/second place"
bin=$second/bin
for file in "$bin"/* "$second/lib/libmpi_abi.so.0"; do
    if readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -F "$build"; then
        die "$file looks for libraries in the build folder"
    fi
done

step "mpicc and mpiexec"
"$bin/mpicc" -o hello "$source/hello.c"
says "$hello" "$bin/mpiexec" -n 2 ./hello
says "$hello" "$bin/mpirun" -n 2 ./hello
ldd ./hello | grep -q "$second/.*libmpi_abi.so.0" || die "hello uses another libmpi_abi: $(ldd ./hello)"

step "mpicxx"
cp "$source/hello.c" hello++.cpp
"$bin/mpicxx" -o hello++ hello++.cpp
says "$hello" "$bin/mpiexec" -n 2 ./hello++

step "pkg-config"
export PKG_CONFIG_PATH="$second/lib/pkgconfig"
pkg-config --validate inkling
eval "cc -o hello.pc '$source/hello.c' $(pkg-config --cflags --libs inkling)" # which are quoted for a shell
says "$hello" env LD_LIBRARY_PATH="$second/lib" "$bin/mpiexec" -n 2 ./hello.pc

step "CMake's FindMPI"
mkdir project
cp "$source/hello.c" project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello C)
find_package(MPI REQUIRED COMPONENTS C)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE MPI::MPI_C)
message(STATUS "launcher: ${MPIEXEC_EXECUTABLE}")
END
"$cmake" -S project -B project/build -DMPI_HOME="$second" >project.log || die "$(cat project.log)"
grep -q "launcher: $bin/mpiexec" project.log || die "FindMPI found another launcher: $(cat project.log)"
"$cmake" --build project/build >>project.log || die "$(cat project.log)"
says "$hello" "$bin/mpiexec" -n 2 project/build/hello

rm -rf "$scratch"
