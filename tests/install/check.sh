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
    "$@" >said || die "exit code of: $*"
    said=$(sort said)
    [ "$said" = "$wanted" ] || die "'$*' said '$said', not '$wanted'"
}
hello='hello from 0 of 2
hello from 1 of 2'

step "an install under DESTDIR"
DESTDIR="$scratch/stage" "$cmake" --install "$build" --prefix /opt/inkling >stage.log
for file in bin/mpicc bin/mpicxx bin/mpic++ bin/mpiCC bin/mpiexec bin/mpirun bin/inkling lib/libmpi_abi.so lib/libmpi_abi.so.1 \
    include/mpi.h lib/pkgconfig/inkling.pc \
    lib/pkgconfig/mpi.pc lib/pkgconfig/mpi-c.pc lib/pkgconfig/mpi-cxx.pc share/man/man1/mpiexec.1 \
    share/man/man3/MPI_Send.3 share/man/man3/MPI_Send_c.3 share/man/man3/MPI_Sizeof.3 share/doc/inkling/LICENSE \
    share/doc/inkling/docs/HINTS.md share/doc/inkling/docs/STATUS.md share/doc/inkling/docs/PROCEDURES.md \
    share/inkling/gains.json share/inkling/inkling.supp; do
    [ -e "stage/opt/inkling/$file" ] || die "$file is not installed"
done
for link in libmpi_abi.so.0 libmpi.so; do
    [ "$(readlink "stage/opt/inkling/lib/$link")" = libmpi_abi.so.1 ] || die "$link is no link beside libmpi_abi.so.1"
done
[ "$(ls stage)" = opt ] || die "something was installed outside the prefix: $(ls stage)"

step "an install, moved to another place, with a space"
"$cmake" --install "$build" --prefix "$scratch/first" >first.log
mv first "second place"
second="$scratch/second place"
bin=$second/bin
for file in "$bin"/* "$second/lib/libmpi_abi.so.1"; do
    if readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -F "$build"; then
        die "$file looks for libraries in the build folder"
    fi
done

step "manual pages of procedures, which man finds by the path of the commands"
for page in MPI_Send MPI_Send_c MPI_Sizeof; do
    [ "$(head -c 3 "$second/share/man/man3/$page.3")" = .Dd ] || die "$page.3 is no page"
    if man --version 2>/dev/null | grep -q '^man '; then # man-db: another one, or a stand-in for it, does not look there
        PATH="$bin:$PATH" MANPATH= man -w 3 "$page" | grep -qF "$second/share/man/man3/MPI_" || die "man does not find $page"
    fi
done

step "mpicc and mpiexec"
"$bin/mpicc" -o hello "$source/hello.c"
says "$hello" "$bin/mpiexec" -n 2 ./hello
says "$hello" "$bin/mpirun" -n 2 ./hello
ldd ./hello | grep -q "$second/.*libmpi_abi.so.1" || die "hello uses another libmpi_abi: $(ldd ./hello)"

if [ -d "$build/lib/inkling/stand-in" ]; then # not without libfabric
    step "what takes the places of libraries of devices that are not here"
    INKLING_TRANSPORT=ofi LD_DEBUG=files "$bin/mpiexec" -n 2 ./hello >said 2>loaded || die "exit code over libfabric: $(grep -v '^ *[0-9]*:' loaded)"
    for pair in hfi1:psm2 ipath:psm; do
        set -- /dev/"${pair%:*}"*
        [ -e "$1" ] || grep -q "calling init: .*/second place/lib/inkling/stand-in/${pair#*:}_stand_in.so" loaded ||
            die "${pair#*:}_stand_in.so is not installed beside the library, or not loaded"
    done
fi

if [ -e "$second/lib/libinkling_insight.so" ]; then # not in the preset library
    step "mpiexec --check and --advise"
    "$bin/mpicc" -g -o leak "$source/leak.c"
    says "$hello" "$bin/mpiexec" -n 2 --check ./hello
    code=0
    "$bin/mpiexec" -n 2 --check ./leak 2>said || code=$?
    [ $code = 66 ] || die "--check of a leak ends with code $code: $(cat said)"
    for line in "inkling check: leak: a datatype of MPI_Type_contiguous was never freed" "  at leak.c:12 (main), rank 1"; do
        grep -qxF "$line" said || die "--check does not say '$line' but: $(cat said)"
    done
    "$bin/mpiexec" -n 2 --advise=advice ./leak 2>said || die "exit code of --advise: $(cat said)"
    grep -q "^inkling advise: .*/leak, 2 ranks, " said || die "--advise says: $(cat said)"
    if grep -q "inkling check" said; then
        die "--advise checks: $(cat said)"
    fi
    grep -q "<title>" advice/advice.html || die "--advise writes no page"
    "$bin/inkling" advise advice >again || die "exit code of inkling advise"
    grep -q "^inkling advise: .*/leak, 2 ranks, " again || die "inkling advise says: $(cat again)"
fi

step "inkling new-program"
for language in c python; do
    "$bin/inkling" new-program "first-$language" --language $language >said || die "exit code of inkling new-program: $(cat said)"
    PATH="$bin:$PATH" make -s -C "first-$language" run RANKS=2 >said 2>&1 || die "make run of a new program: $(cat said)"
    grep -qx 'pi is about 3.141593, by 2 ranks' said || die "a new program in $language says: $(cat said)"
done

step "completion in bash, which looks for it by the command's name"
complete() { # function, words: what is offered for the last word
    bash -c 'source "$1"; shift; function=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        "$function" "$1" "${@: -1}" "${@: -2:1}"; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$second/share/bash-completion/completions/$(basename "$2")" "$@" | sort | tr '\n' ' '
}
if command -v bash >/dev/null; then
    offered=$(complete _mpiexec "$bin/mpiexec" --ch)
    [ "$offered" = "--check " ] || die "bash completes mpiexec --ch to '$offered'"
    offered=$(complete _mpiexec "$bin/mpiexec" --check_)
    [ "$offered" = "--check_mpi " ] || die "bash completes mpiexec --check_ to '$offered'"
    offered=$(complete _mpiexec "$bin/mpirun" --adv)
    [ "$offered" = "--advise " ] || die "bash completes mpirun --adv to '$offered'"
    offered=$(complete _inkling "$bin/inkling" adv)
    [ "$offered" = "advise " ] || die "bash completes inkling adv to '$offered'"
fi

step "mpicxx and mpiCC"
cp "$source/hello.c" hello++.cpp
for wrapper in mpicxx mpiCC; do
    "$bin/$wrapper" -o hello++ hello++.cpp
    says "$hello" "$bin/mpiexec" -n 2 ./hello++
done

step "pkg-config, and what it links finds the library"
export PKG_CONFIG_PATH="$second/lib/pkgconfig"
for name in inkling mpi mpi-c mpi-cxx; do
    pkg-config --validate "$name"
    compiler="cc '$source/hello.c'"
    [ "$name" != mpi-cxx ] || compiler="c++ hello++.cpp"
    eval "$compiler -o hello.pc $(pkg-config --cflags --libs "$name")" # flags that are quoted for a shell
    says "$hello" env -u LD_LIBRARY_PATH "$bin/mpiexec" -n 2 ./hello.pc
done

step "CMake's FindMPI"
mkdir project
cp "$source/hello.c" hello++.cpp project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE MPI::MPI_C)
add_executable(hello++ hello++.cpp)
target_link_libraries(hello++ PRIVATE MPI::MPI_CXX)
message(STATUS "launcher: ${MPIEXEC_EXECUTABLE}")
message(STATUS "version: ${MPI_C_VERSION} and ${MPI_CXX_VERSION}")
END
found() { # build folder, command that configures...
    folder=$1
    shift
    "$@" -S project -B "$folder" >project.log || die "$(cat project.log)"
    grep -q "launcher: $bin/mpiexec" project.log || die "FindMPI found another launcher: $(cat project.log)"
    grep -q "version: 5.0 and 5.0" project.log || die "FindMPI found another version: $(cat project.log)"
    "$cmake" --build "$folder" >>project.log || die "$(cat project.log)"
    says "$hello" "$bin/mpiexec" -n 2 "$folder/hello"
    says "$hello" "$bin/mpiexec" -n 2 "$folder/hello++"
}
found project/told "$cmake" -DMPI_HOME="$second"
found project/path env PATH="$bin:$PATH" "$cmake"

step "find_package(Inkling)"
mkdir config
cp "$source/hello.c" hello++.cpp config
cat >config/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello C CXX)
find_package(Inkling ${WANTED} REQUIRED COMPONENTS C CXX)
add_executable(hello hello.c)
add_executable(hello++ hello++.cpp)
target_link_libraries(hello PRIVATE Inkling::MPI)
target_link_libraries(hello++ PRIVATE Inkling::MPI)
message(STATUS "launcher: ${INKLING_MPIEXEC}")
END
version=$(pkg-config --modversion inkling)
"$cmake" -DInkling_ROOT="$second" -DWANTED="${version%.*}" -S config -B config/built >config.log 2>&1 || die "$(cat config.log)"
grep -q "launcher: $bin/mpiexec" config.log || die "find_package(Inkling) names another launcher: $(cat config.log)"
"$cmake" --build config/built >>config.log || die "$(cat config.log)"
says "$hello" "$bin/mpiexec" -n 2 config/built/hello
says "$hello" "$bin/mpiexec" -n 2 config/built/hello++
if "$cmake" -DInkling_ROOT="$second" -DWANTED=$((${version%%.*} + 1)).0 -S config -B config/other >config.log 2>&1; then
    die "find_package(Inkling) of the next major version is content: $(cat config.log)"
fi

if [ -e "$bin/mpifort" ]; then
    . "$source/check_fortran.sh"
else
    step "without Fortran"
fi

rm -rf "$scratch"
