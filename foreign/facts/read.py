"""read.py NAME PACKAGE VERSION INCLUDE_FOLDER LIBRARY... : prints the facts of an installed MPI library's ABI, in the format of
merge.py. They are values, sizes and names of symbols alone: a probe that is compiled against its mpi.h prints what each name
that the header has is worth, and nm lists what the libraries export.

    read.py openmpi libopenmpi-dev "$(dpkg-query -W -f '${Version}' libopenmpi-dev)" INCLUDE libmpi.so.40 libmpi_mpifh.so.40 ...
"""

import os
import re
import subprocess
import sys
import tempfile

PROBE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

static void show(const char *name, long long value, int is_pointer)
{
    Dl_info info;

    if (is_pointer && value && dladdr((void *)value, &info) && info.dli_sname && info.dli_saddr == (void *)value)
        printf("symbol %s %s\\n", name, info.dli_sname);
    else if (!is_pointer || value >> 32 == 0 || value == -1) /* no address that is another one next time */
        printf("value %s %lld\\n", name, value);
}

#define SIZE(type) printf("size " #type " %zu\\n", sizeof(type))
#define AT(member) printf("status " #member " %zu %zu\\n", offsetof(MPI_Status, member), sizeof(((MPI_Status *)0)->member))

void probe(void)
{
    SIZE(MPI_Status); SIZE(MPI_Aint); SIZE(MPI_Offset); SIZE(MPI_Count); SIZE(MPI_Fint);
    SIZE(MPI_Comm); SIZE(MPI_Group); SIZE(MPI_Datatype); SIZE(MPI_Op); SIZE(MPI_Errhandler); SIZE(MPI_Info); SIZE(MPI_Request);
    SIZE(MPI_Message); SIZE(MPI_Win); SIZE(MPI_File); SIZE(MPI_T_enum); SIZE(MPI_T_cvar_handle); SIZE(MPI_T_pvar_handle);
    AT(MPI_SOURCE); AT(MPI_TAG); AT(MPI_ERROR);
@
    fflush(stdout);
}
"""

# The symbols that programs refer to; without the PMPI_ names, which all have; of Fortran's those
# with one underscore behind, as all its compilers on Linux have.
OF_PROGRAMS = re.compile(r"^(MPIX?_[A-Z]\w*[a-z]\w*|MPI_T_PVAR_ALL_HANDLES|MPI_(UNWEIGHTED|WEIGHTS_EMPTY)|MPI_F\w*_STATUS(ES)?_IGNORE|MPIR_(Dup_fn|[CF]\w*)|MPII_[A-Z][a-z]\w*_set_\w+"
                         r"|OMPI_(C_)?\w+|ompi_(op_set_cxx_callback|mpi_\w+|\w+_null|message_\w+)|mpix?r?_\w*[a-z0-9]_|_Z\w*MPI\w*"
                         r"|__mpi_(?:f08_types|f08_callbacks|f08_link_constants|constants|types|sizeofs)_MOD_[a-z]\w+)$")

# Other members of a status, which hold the count and the cancelled flag.
HIDDEN = {"openmpi": ("_cancelled", "_ucount"), "mpich": ("count_lo", "count_hi_and_cancelled")}


def names_of(include):
    text = ""
    for file in os.listdir(include):
        if file in ("mpi.h", "mpio.h"):
            with open(os.path.join(include, file), encoding="utf-8", errors="replace") as lines:
                text += lines.read()
    return sorted(set(re.findall(r"\bMPIX?_[A-Z0-9][A-Z0-9_]+\b", text)))


def compile_probe(folder, include, names, hidden):
    """Leaves out, time after time, the names of which the compiler complains: types, and what needs arguments."""
    source, library = os.path.join(folder, "probe.c"), os.path.join(folder, "probe.so")
    while True:
        lines = [f"    AT({m});" for m in hidden]
        first = PROBE[:PROBE.index("@")].count("\n") + 1 + len(lines)
        lines += [f'    show("{n}", (long long)({n}), __builtin_classify_type({n}) == 5 || sizeof({n}) > 8);' for n in names]
        with open(source, "w", encoding="utf-8") as out:
            out.write(PROBE.replace("@", "\n".join(lines)))
        done = subprocess.run(["gcc", "-w", "-fPIC", "-shared", "-fmax-errors=0", "-I", include, source, "-o", library],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            return library
        bad = {int(n) - first for n in re.findall(r"probe\.c:(\d+):\d+: (?:error|note: in expansion)", done.stderr)}
        if not bad or any(b < 0 for b in bad):
            sys.exit(done.stderr)
        names = [n for i, n in enumerate(names) if i not in bad]


FORTRAN = """program probe
  implicit none
  include 'mpif.h'
@
end program
"""


def fortran_constants(folder, include, names):
    """The integer constants of mpif.h, which a Fortran program prints."""
    source, program = os.path.join(folder, "probe.f90"), os.path.join(folder, "probe")
    while True:
        first = FORTRAN[:FORTRAN.index("@")].count("\n") + 1
        lines = [f"  block; integer, parameter :: p = {n}; print '(a,1x,i0)', 'fortran {n}', p; end block" for n in names]
        with open(source, "w", encoding="utf-8") as out:
            out.write(FORTRAN.replace("@", "\n".join(lines)))
        done = subprocess.run(["gfortran", "-w", "-ffree-line-length-none", "-fmax-errors=0", "-I", include, "-c", source, "-o", program + ".o"],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            break
        bad = {int(n) - first for n in re.findall(r"probe\.f90:(\d+):", done.stderr)}
        if not bad or any(b < 0 for b in bad):
            sys.exit(done.stderr)
        names = [n for i, n in enumerate(names) if i not in bad]
    subprocess.run(["gfortran", program + ".o", "-Wl,--unresolved-symbols=ignore-all", "-o", program], check=True)
    return [line.strip() for line in subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]


# Constants of Fortran that are addresses: variables of COMMON blocks, with their shapes.
SENTINELS = ["MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_ERRCODES_IGNORE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY",
             "MPI_ARGV_NULL", "MPI_ARGVS_NULL"]
SHOW = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void show_(const char *name, void *at)
{
    Dl_info info;
    int length = (int)strcspn(name, " ");

    if (dladdr(at, &info) && info.dli_sname)
        printf("common %.*s %s %ld\\n", length, name, info.dli_sname, (long)((char *)at - (char *)info.dli_saddr));
}
"""


def sentinels(folder, include, libraries):
    """The symbol and offset of each, as a program sees them that is linked to the libraries."""
    source, c, program = (os.path.join(folder, n) for n in ("sentinels.f90", "show.c", "sentinels"))
    calls = "\n".join(f"  call show('{n} ', {n})" for n in SENTINELS)
    with open(source, "w", encoding="utf-8") as out:
        out.write(f"program sentinels\n  implicit none\n  include 'mpif.h'\n  external :: show\n{calls}\nend program\n")
    with open(c, "w", encoding="utf-8") as out:
        out.write(SHOW)
    subprocess.run(["gfortran", "-w", "-fallow-argument-mismatch", "-rdynamic", "-I", include, source, c, *libraries, "-o", program], check=True)
    return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def probe(name, include, libraries):
    with tempfile.TemporaryDirectory() as folder:
        names = names_of(include)
        path = compile_probe(folder, include, names, HIDDEN[name])
        call = ("import ctypes, sys; [ctypes.CDLL(l, ctypes.RTLD_GLOBAL | 1) for l in sys.argv[2:]]; "
                "ctypes.CDLL(sys.argv[1], 1).probe()")
        done = subprocess.run([sys.executable, "-c", call, path, *libraries], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines() + fortran_constants(folder, include, names + ["MPI_STATUS_SIZE", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]) \
            + sentinels(folder, include, libraries)


def exports(library):
    soname = re.search(r"SONAME.*\[(.*)\]", subprocess.run(["readelf", "-Wd", library], stdout=subprocess.PIPE, text=True, check=True).stdout)[1]
    yield f"library {soname}"
    table = subprocess.run(["nm", "-DS", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in table.splitlines():
        words = line.split()
        if len(words) != 4:
            continue
        _, size, kind, symbol = words
        symbol = symbol.split("@")[0]
        if kind in "TW" and OF_PROGRAMS.match(symbol):
            yield f"function {symbol}"
        elif kind in ("BDVC" if "_MOD_" in symbol else "BDRVC") and OF_PROGRAMS.match(symbol):
            yield f"data {symbol} {int(size, 16)}"


def slots(library):
    """The tables of virtual functions of the C++ bindings: which function is where."""
    table = subprocess.run(["nm", "-DS", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    places = [(int(w[0], 16), int(w[1], 16), w[3]) for w in map(str.split, table.splitlines()) if len(w) == 4 and w[3].startswith("_ZTVN3MPI")]
    moved = subprocess.run(["readelf", "-rW", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    for words in sorted(w for w in map(str.split, moved.splitlines()) if len(w) > 4 and "_64" in w[2]):
        at, symbol = int(words[0], 16), words[4].split("@")[0]
        for start, size, owner in places:
            if start <= at < start + size and OF_PROGRAMS.match(symbol) and not symbol.startswith("_ZTI"):
                yield f"slot {owner} {(at - start) // 8} {symbol}"


def main(name, package, version, include, *libraries):
    print(f"# {name}\nversion {package} {version}")
    print("\n".join(probe(name, include, libraries[:2])))
    for library in libraries:
        print("\n".join([*exports(library), *slots(library)]))


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
