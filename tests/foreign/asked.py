"""asked.py BIN ABI: what `inkling can-run` and mpiexec say of programs that the compiler commands of the other library made, as they are:
of each language, and of programs that can never run here. What a machine cannot make is left out, and named."""
import os
import shutil
import subprocess
import sys
import tempfile

BIN, ABI = sys.argv[1:]
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}[ABI]
TITLE = {"openmpi": "Open MPI", "mpich": "MPICH"}
SONAME = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
FORTRAN = {"openmpi": ("libmpi_usempif08.so.40",), "mpich": ("libmpichfort.so.12",)}
CXX = {"openmpi": "libmpi_cxx.so.40", "mpich": "libmpichcxx.so.12"}
EXTENSION = {"openmpi": "OMPI_Affinity_str", "mpich": "MPIX_Grequest_start"}
# What the other library's alone has.
FOREIGN = {"openmpi": "MPIX_Grequest_start", "mpich": "OMPI_Affinity_str"}
C = "#include <mpi.h>\nint main(int argc, char **argv) {{ MPI_Init(&argc, &argv); {} return MPI_Finalize(); }}\n"
F08 = "use mpi_f08\ncall MPI_Init()\ncall MPI_Barrier(MPI_COMM_WORLD)\ncall MPI_Finalize()\nend\n"
BINDINGS = "#include <mpi.h>\nint main(int argc, char **argv) { MPI::Init(argc, argv); MPI::COMM_WORLD.Barrier(); MPI::Finalize(); }\n"
OWN = """#include <mpi.h>
static void last(const void *, void *, int, const MPI::Datatype &) {}
int main(int argc, char **argv) { MPI::Init(argc, argv); MPI::Op own; own.Init(last, false); int rank = MPI::COMM_WORLD.Get_rank(), all = -1;
MPI::COMM_WORLD.Allreduce(&rank, &all, 1, MPI::INT, own); own.Free(); MPI::Finalize(); return all != 1; }
"""
left_out = []


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)


def expect(is_so, what, done):
    if not is_so:
        sys.exit(f"{what}: code {done.returncode}\n{done.stdout}{done.stderr}")


def built(name, compiler, extension, source, *options):
    """The path of the program; None: it cannot be made here."""
    with open(f"{name}.{extension}", "w", encoding="utf-8") as file:
        file.write(source)
    try:
        done = run(compiler, "-w", f"{name}.{extension}", "-o", name, *options)
    except FileNotFoundError:
        left_out.append(f"{name}: there is no {compiler}")
        return None
    if done.returncode:
        left_out.append(f"{name}: {compiler} cannot make it")
        return None
    return os.path.abspath(name)


def can_run(program):
    done = run(os.path.join(BIN, "inkling"), "can-run", program)
    return done, dict(line.split(None, 1) for line in done.stdout.splitlines() if not line.startswith((" ", "can run", "not seen", "looked at")))


def runs(program, language, libraries):
    done, rows = can_run(program)
    expect(done.returncode == 0 and "can run      yes" in done.stdout, f"{program} can run", done)
    expect(rows["gets"].endswith(f"foreign/{ABI}/{rows['needs'].split(',')[0]}"), "the library that it gets", done)
    for library in libraries:
        expect(any(line.startswith(language) and f" {library}: " in line and line.endswith(f"foreign/{ABI}/{library}") for line in done.stdout.splitlines()),
               f"{library} for {language}", done)
    done = run(os.path.join(BIN, "mpiexec"), "-n", 2, program)
    expect(done.returncode == 0 and not done.stderr, f"{program} runs", done)


def refused(program, *says):
    """mpiexec starts nothing and says why in a line, and can-run gives the same reason."""
    done = run(os.path.join(BIN, "mpiexec"), "-n", 2, program)
    expect(done.returncode == 1 and not done.stdout and done.stderr.count("\n") == 1 and all(word in done.stderr for word in says), f"{program} is refused", done)
    asked, _ = can_run(program)
    expect(asked.returncode == 1 and "can run      no: " + done.stderr.removeprefix("mpiexec: ") in asked.stdout, f"{program} cannot run", asked)


def languages():
    if program := built("in_c", f"mpicc.{ABI}", "c", C.format("")):
        runs(program, "", ())
    if program := built("in_fortran", f"mpif90.{ABI}", "f90", F08):
        runs(program, "Fortran", FORTRAN[ABI])
    if program := built("in_cxx", f"mpicxx.{ABI}", "cpp", BINDINGS):
        runs(program, "C++", (CXX[ABI],))
    if program := built("with_own", f"mpicxx.{ABI}", "cpp", OWN):
        runs(program, "C++", (CXX[ABI],))


def other_names():
    """Programs of MPICH's own build, of Intel MPI and of MVAPICH name its libraries otherwise than Debian's."""
    calls = "int MPI_Init(void *, void *); int MPI_Finalize(void); void mpi_barrier_(int *comm, int *error); void _ZN3MPI5WtimeEv(void);"
    stub = "int MPI_Init(void) { return 0; } int MPI_Finalize(void) { return 0; }", "void mpi_barrier_(void) {}", "void _ZN3MPI5WtimeEv(void) {}"
    names = "libmpi.so.12", "libmpifort.so.12", "libmpicxx.so.12"
    stubs = [built(name.split(".")[0], "gcc", "c", text, "-shared", "-fPIC", f"-Wl,-soname,{name}") for name, text in zip(names, stub)]
    main_text = "int main(void) { int world = 0x44000000, error = 1; MPI_Init(0, 0); mpi_barrier_(&world, &error); _ZN3MPI5WtimeEv(); MPI_Finalize(); return error; }"
    if program := built("other_names", "gcc", "c", f"{calls}\n{main_text}\n", *stubs):
        runs(program, "Fortran", names[1:2])
        runs(program, "C++", names[2:])


TOOL = """#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends += type == MPI_INT && comm == MPI_COMM_WORLD;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Finalize(void)
{
    printf("the tool has seen %d sends\\n", sends);
    return PMPI_Finalize();
}
"""
SENDS = C.format("""int rank, one = 1; MPI_Comm_rank(MPI_COMM_WORLD, &rank);
for (int i = 0; i < 3; i++) if (rank == 0) MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
else MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);""")


def profiled():
    """A tool of the program's world, that is preloaded or linked to the program, sees its calls with its handles."""
    tool, program = built("tool", f"mpicc.{ABI}", "c", TOOL, "-shared", "-fPIC"), built("sends", f"mpicc.{ABI}", "c", SENDS)
    linked = built("sends_linked", f"mpicc.{ABI}", "c", SENDS, tool, "-Wl,-rpath,$ORIGIN") if tool else None
    if not linked:
        return
    for words in (["-x", f"LD_PRELOAD={tool}", "-n", 2, program], ["-n", 2, linked]):
        done = run(os.path.join(BIN, "mpiexec"), *words)
        expect(done.returncode == 0 and sorted(done.stdout.splitlines()) == ["the tool has seen 0 sends", "the tool has seen 3 sends"], "a tool", done)


def unsupported():
    """A program that calls an extension, and one that does nothing else."""
    declared = "extern int OMPI_Affinity_str();" if ABI == "openmpi" else ""
    declared += f" ((int (*)(void)){EXTENSION[ABI]})();"
    if program := built("extension", f"mpicc.{ABI}", "c", C.format(declared + " MPI_Barrier(MPI_COMM_WORLD);")):
        done, rows = can_run(program)
        expect(done.returncode == 0 and rows["unsupported"] == EXTENSION[ABI], "an extension is named", done)
    if program := built("extension_alone", f"mpicc.{ABI}", "c", C.format(declared)):
        done, rows = can_run(program)
        expect(done.returncode == 1 and "it calls only what Inkling does not support" in done.stdout, "nothing else is called", done)


def both():
    here, there = (f"/usr/lib/x86_64-linux-gnu/{SONAME[abi]}" for abi in (ABI, OTHER))
    if not os.path.exists(there):
        left_out.append(f"two MPI libraries in one process: there is no {there}")
        return
    if program := built("both", f"mpicc.{ABI}", "c", C.format(""), "-Wl,--no-as-needed", there):
        refused(program, f"'{program}' needs {SONAME[ABI]}", f"needs {SONAME[OTHER]}", "two MPI libraries cannot be in one process")
    opens = f'extern void *dlopen(); if (!dlopen("{SONAME[OTHER]}", 2)) return 3;'
    if program := built("opens_other", f"mpicc.{ABI}", "c", C.format(opens), "-ldl"):
        folder = os.path.join(os.path.dirname(BIN), "lib/foreign", OTHER)
        done = run(os.path.join(BIN, "mpiexec"), "-x", f"LD_LIBRARY_PATH={folder}", "-n", 1, program)
        expect(done.returncode == 1 and f"the library of {TITLE[OTHER]} and {SONAME[ABI]} are in this process, and two MPI libraries cannot be" in done.stderr
               and done.stderr.count("\n") <= 2, "a library of the other ABI is opened", done)
    whole = f"int MPI_Init(void) {{ return 0; }} int MPI_Finalize(void) {{ return 0; }} int {FOREIGN[ABI]}(void) {{ return 0; }}"
    stub = built("stub", "gcc", "c", whole, "-shared", "-fPIC", f"-Wl,-soname,{SONAME[ABI]}")
    calls = f"int MPI_Init(); int MPI_Finalize(); int {FOREIGN[ABI]}(); int main() {{ MPI_Init(); {FOREIGN[ABI]}(); return MPI_Finalize(); }}"
    if program := built("of_both_worlds", "gcc", "c", calls, stub):
        done, rows = can_run(program)
        expect(done.returncode == 1 and rows["missing"] == FOREIGN[ABI] and f"it was built for {TITLE[ABI]} and uses {FOREIGN[ABI]}, which only {TITLE[OTHER]} has"
               in done.stdout, "symbols of both worlds", done)


def impossible():
    options = [word for word in run(f"mpicc.{ABI}", "-show").stdout.split() if word.startswith("-I")]
    library = f"/usr/lib/x86_64-linux-gnu/{SONAME[ABI]}"
    if program := built("of_musl", "musl-gcc", "c", C.format(""), *options, library, "-Wl,--unresolved-symbols=ignore-all", "-Wl,--allow-shlib-undefined"):
        refused(program, f"'{program}' is built for the C library musl, and Inkling for glibc")
    archive = "/usr/lib/x86_64-linux-gnu/libmpich.a"
    if ABI == "mpich" and os.path.exists(archive):
        program = built("static_mpi", "gcc", "c", C.format(""), *options, archive, *"-lucp -luct -lucs -lucm -lfabric -lhwloc -lrt -lpthread -lm -lpmix".split())
        if program:
            refused(program, f"'{program}' has an MPI library in it, linked statically")


def main():
    if not shutil.which(f"mpicc.{ABI}"):
        print(f"skipped: there is no mpicc.{ABI} (Debian: lib{ABI}-dev)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (languages, profiled, unsupported, both, impossible):
            test()
        if ABI == "mpich":
            other_names()
        os.chdir("/")
    print("\n".join(f"left out: {line}" for line in left_out) or "all of it ran")


if __name__ == "__main__":
    BIN = os.path.abspath(BIN)
    main()
