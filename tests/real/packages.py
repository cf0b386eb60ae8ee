#!/usr/bin/env python3
"""make check-installed: programs of Debian's packages that were built for Open MPI or MPICH, as they are installed, on Inkling.

    make check-installed                     those that are installed
    make check-installed ONLY="lammps fftw"  some of them
    make check-installed REAL=--record       writes the counts into docs/REAL.md too

Each case runs plain, under mpiexec --check, which may find only what is said here to be so, and under --advise, and must print the same
each time. Programs of libraries are in packages/, and are compiled with the compiler command of the library's MPI. What is not installed
is skipped. The exit code is 0 when something passed and nothing failed.
"""
import argparse
import dataclasses
import glob
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import records

HERE = pathlib.Path(__file__).resolve().parent
RUN = HERE.parent / "run.py"
SOURCES = HERE / "packages"
COLLECTIVES = HERE / "osu"
TESTERS = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack")
SUNDIALS = "core" if pathlib.Path("/usr/lib/x86_64-linux-gnu/libsundials_core.so").exists() else "generic"  # since 7.0
PYTHON = "/usr/bin/python3"  # Debian's, whose modules these are
MODES = {"plain": [], "check": ["--check"], "advise": ["--advise"]}
SKIPPED = 77


@dataclasses.dataclass
class Case:
    """One command. `expected`: a regular expression of its output. `program`: what has to be there for it to run; `source`: a file of
    packages/ and what compiles it; `data`: files that it finds in its folder; `before`: a command that makes more of them.
    `result`: a file that is part of its output. `found`: what the check finds, rightly. `unjudged`: why the
    check is not tried. `options`: of mpiexec, each time."""
    package: str
    name: str
    ranks: int
    command: list
    expected: str
    program: str = ""
    source: tuple = ()
    data: list = dataclasses.field(default_factory=list)
    before: list = dataclasses.field(default_factory=list)
    result: str = ""
    found: str = "^$"
    unjudged: str = ""
    limit: int = 240
    options: list = dataclasses.field(default_factory=list)


def compiled(package, name, mpi, options, expected, **more):
    return Case(package, f"{name}/{mpi}", 3, [f"./{name}"], expected, program=f"mpicc.{mpi}", source=(f"{name}.c", options), **more)


def measured(package, mpi, call):
    """A collective as OSU's benchmarks measure it. The persistent ones, which Open MPI 4.1 has not, are not called."""
    return Case(package, f"{call}/{mpi}", 2, ["./collectives", call, "nonblocking"], r"\n1048576 ", program=f"mpicc.{mpi}",
                source=(COLLECTIVES / "collectives.c", [COLLECTIVES / "calls.c", SOURCES / "not_persistent.c"]), found="tolerance: MPI_Iallreduce: MPI_CHAR is in no group of types|^$")


def benchmarks():
    for mpi in ("openmpi", "mpich"):
        for call in ("bcast", "allreduce"):
            yield measured(f"lib{mpi}-dev", mpi, call)
        yield Case(f"lib{mpi}-dev", f"own/{mpi}", 3, ["./own", "100"], r"own functions: all well", program=f"mpicxx.{mpi}", source=(HERE.parent / "foreign/own.cpp", []))
        yield Case(f"lib{mpi}-dev", f"latency/{mpi}", 2, ["./latency"], r"\n1048576 ", program=f"mpicc.{mpi}", source=("latency.c", []))
    yield Case("netpipe-openmpi", "pingpong", 2, ["NPopenmpi", "-u", "4096", "-n", "20"], r"4096 bytes +20 times", program="NPopenmpi")
    yield Case("netpipe-mpich2", "pingpong", 2, ["NPmpich2", "-u", "4096", "-n", "20"], r"4096 bytes +20 times", program="NPmpich2")


def trees():
    """Programs that find the tree of the sequences in dna.phy."""
    yield Case("examl", "tree", 3, ["/usr/lib/examl/bin/examl-sse3", "-s", "dna.binary", "-t", "dna.tree", "-m", "GAMMA", "-n", "tree"], r"Likelihood +: -1740\.",
               program="parse-examl", before=["parse-examl", "-s", "dna.phy", "-m", "DNA", "-n", "dna"], result="ExaML_info.tree")
    yield Case("garli-mpi", "tree", 3, ["garli-mpi", "-2", SOURCES / "garli.conf"], r"all processes completed", program="garli-mpi")
    yield Case("phyml", "bootstrap", 3, ["phyml-mpi", "-i", "dna.phy", "-b", "6", "--r_seed", "3", "--quiet"], r"Completed the bootstrap analysis successfully",
               program="phyml-mpi")
    yield Case("iqtree", "tree", 2, ["iqtree2-mpi", "-s", "dna.phy", "-m", "JC", "-seed", "3", "-nt", "1", "-redo"], r"Maximum-likelihood tree: +dna\.phy\.treefile",
               program="iqtree2-mpi")


def assemblies():
    """Programs that put the reads in reads.fa together."""
    yield Case("abyss", "reads", 3, ["/usr/lib/abyss/ABYSS-P", "-k31", "-o", "contigs.fa", "reads.fa"], r"Assembled 9\d\d k-mer in 1 contigs", program="/usr/lib/abyss/ABYSS-P",
               found=r"request: a request of MPI_Irecv is still active")  # of 20,000 bases its ranks wait for each other, with Open MPI, too: for a buffer of more than its 4 KiB
    yield Case("ray", "reads", 2, ["Ray", "-disable-network-test", "-k", "31", "-s", "reads.fa", "-o", "assembly-{mode}"], r"Computing neighbourhoods", program="Ray",
               found=r"request: a request of MPI_Isend is still active|lost-message: the message of rank 0 to rank 0")  # a trace of its calls says the same


def python(package, name, expected, **more):
    return Case(package, name, 3, [PYTHON, SOURCES / f"{name}.py"], expected, program=PYTHON, **more)


def scalapack():
    """The testers in double precision, and those of PBLAS."""
    for mpi in ("openmpi", "mpich"):
        folder = TESTERS / f"{mpi}-tests"
        data = [*folder.glob("*.dat"), *(folder / "PBLAS").glob("*.dat"), *pathlib.Path("/usr/share/scalapack").glob("*.dat"),
                *pathlib.Path("/usr/share/scalapack/PBLAS").glob("*.dat")]
        for program in sorted([*folder.glob("xd*"), *(folder / "PBLAS").glob("dpb?tst")]):
            yield Case("scalapack-mpi-test", f"{program.name}/{mpi}", 4, [program], FAILED_NONE, program=program, data=data,
                       found=r"buffer: (MPI_Send reads memory that|the program used the buffer of) MPI_Irecv, which is not complete")


# No tester says that a test failed, nor has a table with a number in its column FAILED; they end in different words.
FAILED_NONE = r"(?s)^(?!.*\bFAILED\b(?! +SKIPPED))(?!.*\| +P\w+ +\d+ +\d+ +[1-9])(?!.*\b[1-9]\d* tests (completed and )?failed)(?=.*END OF|.*[Ee]nd of [Tt]est|.*TESTS? ENDED|.*[Ff]inished|.*passed|.*PASSED)"


def images():
    """Fortran's coarrays, by OpenCoarrays: its own tests."""
    for mpi in ("openmpi", "mpich"):
        for name, found in (("teams_coarray_sendget", "communicator of MPI_Comm_split"), ("co_reduce_test", "operation of MPI_Op_create"), ("atomics", "window")):
            path = glob.glob(f"/usr/lib/x86_64-linux-gnu/open-coarrays/{mpi}/bin/*/{name}")
            yield Case(f"libcoarrays-{mpi}-dev", f"{name}/{mpi}", 4, path or [name], r"(?i)test passed", program=path[0] if path else name,
                       found=f"lost-message: .* with tag 424242 |leak: an? {found} was never freed")  # the message that wakes the threads of failed images


def physics():
    """Fields, particles, molecules and nerves."""
    yield Case("meep-openmpi", "waveguide", 2, ["meep", "waveguide.ctl"], r"field -0\.0249870466", program="meep", data=[SOURCES / "waveguide.ctl"])
    yield Case("liggghts", "grains", 4, ["liggghts", "-in", SOURCES / "in.grains"], r"Loop time .* 300 steps", program="liggghts")
    yield Case("getdp", "magnet", 2, ["getdp", "demos/magnet", "-msh", "demos/magnet.msh", "-solve", "Magnetostatics_phi", "-pos", "phi", "-v", "3"],
               r"1554 Dofs[\s\S]*E n d   P o s t", program="getdp", before=["cp", "-r", "/usr/share/doc/getdp/examples/demos", "/usr/share/doc/getdp/examples/templates", "."])
    yield Case("neuron", "potential", 3, ["nrniv", "-mpi", SOURCES / "potential.hoc"], r"sum 6 of 3[\s\S]*potential -194\.555", program="nrniv",
               found=r"leak: (a communicator of MPI_Comm_dup|a datatype of MPI_Type_create_struct|an operation of MPI_Op_create) was never freed"
                     r"|lost-message: the message of rank \d to rank 0 of MPI_COMM_WORLD with tag 15")  # of 8.2.6: nobody receives with that tag
    yield Case("gpaw", "hydrogen", 2, ["gpaw", "python", SOURCES / "hydrogen.py"], r"energy -29\.8", program="gpaw", options=["--abi", "openmpi"],
               found=r"leak: a group of MPI_Comm_group was never freed")
    yield Case("elk-lapw", "aluminium", 2, ["elk-lapw"], r"Elk code stopped", program="elk-lapw", found=r"leak: a communicator of MPI_Comm_dup was never freed",
               before=["sh", "-c", "sed \"s:'../../../species/':'/usr/share/elk-lapw/species/':; s/^  4  4  4/  2  2  2/\" /usr/share/doc/elk-lapw/examples/basic/Al/elk.in >elk.in"])
    yield Case("starpu-examples", "stencil5", 2, ["/usr/lib/x86_64-linux-gnu/starpu/mpi/stencil5"], r"", program="/usr/lib/x86_64-linux-gnu/starpu/mpi/stencil5",
               found=r"thread-level: (MPI_Comm_(rank|size) is called while|\w+ is called while another thread is in MPI_Comm_(rank|size))")  # at the level MPI_THREAD_SERIALIZED


def cases():
    yield Case("python3-mpi4py", "helloworld", 3, [PYTHON, "-m", "mpi4py.bench", "helloworld"], r"process 2 of 3", program=PYTHON)
    yield Case("python3-mpi4py", "ringtest", 4, [PYTHON, "-m", "mpi4py.bench", "ringtest", "-n", "1000"], r"4 processes", program=PYTHON)
    yield python("python3-mpi4py", "objects", r"objects: all well")
    yield python("python3-h5py-mpi", "parallel_h5", r"h5py: all well")
    yield python("python3-petsc4py-real", "solve", r"petsc: all well")
    yield python("python3-slepc4py-real", "eigen", r"slepc: all well")
    yield Case("lammps", "melt", 4, ["lmp", "-in", SOURCES / "in.melt"], r"Loop time .* 100 steps", program="lmp")
    yield Case("quantum-espresso", "silicon", 2, ["pw.x", "-in", SOURCES / "silicon.in"], r"total energy +=  +-15\.6143[\s\S]*JOB DONE", program="pw.x",
               found=r"leak: a communicator of MPI_Comm_(split|dup|create) was never freed")  # its own; those of blacs_gridmap's grids
    yield Case("gromacs", "argon", 2, ["gmx_mpi", "mdrun", "-s", "argon.tpr", "-ntomp", "1"], r"Writing final coordinates[\s\S]*Performance:", program="gmx_mpi",
               data=[SOURCES / "argon.top", SOURCES / "argon.mdp"], before=["gmx", "grompp", "-f", "argon.mdp", "-c", "argon.gro", "-p", "argon.top", "-o", "argon.tpr"],
               found=r"leak: a (communicator of MPI_Comm_split|datatype of MPI_Type_contiguous) was never freed")  # the type in 2025.2 alone
    for mpi in ("openmpi", "mpich"):
        yield Case(f"nwchem-{mpi}", "water", 2, [f"nwchem.{mpi}", "water.nw"], r"Total SCF energy = +-74\.96", program=f"nwchem.{mpi}",
                   data=[SOURCES / "water.nw"], found=r"leak: a communicator of MPI_Comm_create was never freed", limit=600)
    yield Case("hpcc", "small", 2, ["hpcc"], r"(?s)^(?!.*FAILED).*\bPASSED\b.*Success=1", program="hpcc", data=["/usr/share/doc/hpcc/examples/_hpccinf.txt"],
               before=["sed", "s/^1000  *Ns/200 Ns/; s/^2  *Ps/1 Ps/; w hpccinf.txt", "_hpccinf.txt"], result="hpccoutf.txt")
    yield Case("ptscotch", "dgtst", 3, ["dgtst", "grid.grf"], r"Edge\s+nbr=1740", program="dgtst")
    yield Case("ptscotch", "dgpart", 3, ["dgpart", "4", "grid.grf", "grid.map", "-vmt"], r"Processors 4/4", program="dgpart")
    yield compiled("libfftw3-mpi-dev", "transform", "openmpi", ["-lfftw3_mpi", "-lfftw3", "-lm"], r"fftw: all well")
    yield compiled("libpnetcdf-dev", "parallel_nc", "openmpi", ["-lpnetcdf"], r"pnetcdf: all well")
    for mpi in ("openmpi", "mpich"):
        yield compiled(f"libhdf5-{mpi}-dev", "parallel_h5", mpi, [f"-I/usr/include/hdf5/{mpi}", f"-L/usr/lib/x86_64-linux-gnu/hdf5/{mpi}", "-lhdf5"],
                       r"hdf5: all well")
    yield compiled("libhypre-dev", "laplace", "openmpi", ["-I/usr/include/hypre", "-lHYPRE", "-lm"], r"hypre: all well")
    yield compiled("libmumps-dev", "direct", "openmpi", ["-ldmumps", "-lm"], r"mumps: all well")
    yield compiled("libsuperlu-dist-dev", "sparse", "openmpi", ["-I/usr/include/superlu-dist", "-lsuperlu_dist", "-lm"], r"superlu: all well")
    yield compiled("libnetcdf-mpi-dev", "parallel_nc4", "openmpi", ["-I/usr/lib/x86_64-linux-gnu/netcdf/mpi/include", "-lnetcdf_mpi"], r"netcdf: all well")
    yield compiled("libp4est-dev", "forest", "openmpi", ["-lp4est", "-lsc"], r"p4est: all well",
                   found=r"leak: (memory of MPI_Alloc_mem|an attribute key of MPI_Comm_create_keyval)")  # of sc_mpi_comm_attach_node_comms
    yield compiled("libsundials-dev", "vectors", "openmpi", ["-lsundials_nvecparallel", f"-lsundials_{SUNDIALS}", "-lm"], r"sundials: all well")
    for mpi in ("openmpi", "mpich"):
        yield compiled("libarmci-mpi-dev", "remote_copy", mpi, [f"-larmci-{mpi}", "-lm"], r"armci: all well")
        yield compiled("libglobalarrays-dev", "global_array", mpi, [f"-lga-{mpi}", f"-larmci-{mpi}", f"-lscalapack-{mpi}", "-llapack", "-lblas", "-lgfortran", "-lm"],
                       r"ga: all well", found=r"leak: a communicator of MPI_Comm_create was never freed")  # of ARMCI_Group_create_child
    yield Case("libelpa-dev", "eigenvalues", 4, ["./eigenvalues"], r"elpa: all well", program="mpif90.openmpi",
               source=("eigenvalues.F90", ["-I/usr/include/elpa/modules", "-lelpa", "-lscalapack-openmpi"]))
    yield Case("mplrs", "cube", 4, ["mplrs", "cube.ine"], r"Totals: vertices=64 ", program="mplrs", data=[SOURCES / "cube.ine"],  # it ends with receives open
               found=r"request: a request of MPI_Irecv is still active|buffer: .* the buffer of MPI_Irecv, which is not complete")
    yield Case("form", "sum", 3, ["parform", "sum.frm"], r"244140625", program="parform", data=[SOURCES / "sum.frm"],  # it loses the request of one of its sends
               found=r"request: a request of MPI_Isend is still active|buffer: .* MPI_Isend, which is not complete")
    yield Case("hyphy-mpi", "squares", 3, ["/usr/lib/hyphy/bin/HYPHYMPI", SOURCES / "squares.bf"], r"sum of squares 5", program="HYPHYMPI")
    yield Case("cp2k", "hydrogen", 2, ["cp2k.psmp", "-i", "hydrogen.inp"], r"PROGRAM ENDED AT", program="cp2k.psmp", data=[SOURCES / "hydrogen.inp"],
               found=r"buffer: (MPI_Irecv writes memory that MPI_Irecv|the program wrote to the buffer of MPI_Isend"  # of DBCSR: one place for five integers of two ranks
                     r"|MPI_Send reads memory that MPI_Irecv)")  # of ScaLAPACK
    yield Case("r-cran-rmpi", "spawned", 1, ["R", "--no-save", "-q", "-f", SOURCES / "spawned.R"], r"rmpi: all well", program="R", options=["--abi", "openmpi"],
               found=r"leak: a communicator of MPI_Intercomm_merge was never freed")  # by what it spawns
    yield Case("ffindex", "lines", 3, ["ffindex_apply_mpi", "-d", "lines.data", "-i", "lines.index", "texts.data", "texts.index", "--", "/usr/bin/wc", "-l"], r"\b6\b",
               program="ffindex_apply_mpi", before=["sh", "-c", "mkdir texts; for n in 1 2 3 4 5 6; do seq $n >texts/$n; done; ffindex_build -s texts.data texts.index texts"],
               result="lines.data")
    yield python("python3-dolfinx-real", "poisson", r"dolfinx: all well",  # a buffer goes out of scope in build_local_dual_graph, and nothing completes an Isend of 0.9
                 found=r"buffer: (the program wrote to the buffer of MPI_(Iexscan|Isend)|MPI_\w+ writes memory that MPI_Isend)|request: a request of MPI_Isend is still active|leak: (a communicator of MPI_Comm_dup|a request of MPI_(Send|Recv)_init) was"
                       r"|tolerance: the arrays of counts, displacements or datatypes of MPI_Ineighbor_allgatherv")
    yield python("python3-vtk9", "spheres", r"vtk: all well")
    yield Case("yorick-mpy-openmpi", "testmp", 3, ["mpy.openmpi", "-batch", "testmp.i"], r"", program="mpy.openmpi",
               before=["sh", "-c", "zcat /usr/share/doc/yorick-mpy-common/examples/testmp.i.gz >testmp.i"], found=r"leak: a communicator of MPI_Comm_dup was never freed")
    yield from images()
    yield from physics()
    yield from trees()
    yield from assemblies()
    yield from benchmarks()
    yield from scalapack()


def write_argon(folder):
    """Atoms for GROMACS, on a grid of 6 x 6 x 6."""
    atoms = [(0.4 * i, 0.4 * j, 0.4 * k) for i in range(6) for j in range(6) for k in range(6)]
    lines = [f"{n:5d}{'AR':5}{'AR':>5}{n:5d}{x:8.3f}{y:8.3f}{z:8.3f}" for n, (x, y, z) in enumerate(atoms, 1)]
    (folder / "argon.gro").write_text("\n".join(["argon", str(len(atoms)), *lines, "   2.40000   2.40000   2.40000"]) + "\n", encoding="utf-8")


def write_grid(folder):
    """A graph for PT-Scotch: a grid of 30 x 30."""
    n = 30
    near = [[a * n + b for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)) if 0 <= a < n and 0 <= b < n] for i in range(n) for j in range(n)]
    lines = ["0", f"{n * n} {sum(map(len, near))}", "0 000", *(" ".join(map(str, [len(each), *each])) for each in near)]
    (folder / "grid.grf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_sequences(folder):
    """Sequences of DNA that descend from one, dna.phy, and in which order they do, dna.tree."""
    chance = random.Random(5)
    leaves = []

    def descend(sequence, depth, name):
        if depth == 0:
            leaves.append(f"{name:10}{sequence}")
            return name
        children = ["".join(chance.choice("ACGT") if chance.random() < 0.1 else base for base in sequence) for _ in "ab"]
        return f"({','.join(descend(child, depth - 1, name + letter) for letter, child in zip('ab', children))})"

    tree = descend("".join(chance.choices("ACGT", k=300)), 3, "t")
    (folder / "dna.phy").write_text(f"{len(leaves)} 300\n" + "\n".join(leaves) + "\n", encoding="utf-8")
    (folder / "dna.tree").write_text(f"{tree};\n", encoding="utf-8")


def write_reads(folder):
    """Reads of a sequence of 1,000 bases, every second one of the other strand."""
    sequence = "".join(random.Random(4).choices("ACGT", k=1000))
    reads = [sequence[at:at + 100] for at in range(0, 901, 5)]
    reads = [read[::-1].translate(str.maketrans("ACGT", "TGCA")) if at % 2 else read for at, read in enumerate(reads)]
    (folder / "reads.fa").write_text("".join(f">{at}\n{read}\n" for at, read in enumerate(reads)), encoding="utf-8")


def version(package):
    """None: it is not installed."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package], capture_output=True, text=True, check=False)
    return done.stdout[3:].strip() if done.returncode == 0 and done.stdout.startswith("ii") else None


def modules():
    """Where Debian has the modules of PETSc and SLEPc."""
    return ":".join(str(p) for p in pathlib.Path("/usr/lib").glob("*dir/*/*-real/lib/python3/dist-packages"))


def run(case, mode, mpiexec, folder):
    """(passed, seconds, output)."""
    command = [sys.executable, "-B", RUN, "--timeout", case.limit, "--", mpiexec, *MODES[mode], *case.options, "-n", case.ranks, *(str(word).replace("{mode}", mode) for word in case.command)]
    if case.result:
        (folder / case.result).unlink(missing_ok=True)
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=folder, env=os.environ | {"PYTHONPATH": modules(), "OMP_NUM_THREADS": "1"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    result = folder / case.result if case.result else None
    output = done.stdout + (result.read_text(encoding="utf-8") if result and result.exists() else "")
    found = "\n".join(line[15:] for line in done.stdout.splitlines()
                      if line.startswith("inkling check: ") and not re.match(r"inkling check: (\d+ findings?(, \d+ notes?)?|nothing was found)$", line))
    is_found = bool(found) and all(re.search(case.found, line) for line in found.splitlines())  # for which mpiexec fails
    well = (is_found if found else done.returncode == 0) and re.search(case.expected, output)
    return bool(well), time.monotonic() - began, done.stdout


def prepare(case, folder):
    """None, or why it cannot run."""
    write_argon(folder)
    write_grid(folder)
    write_sequences(folder)
    write_reads(folder)
    for path in case.data:
        shutil.copy(path, folder)
    if case.before and subprocess.run(case.before, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        return "what it works on cannot be made: " + " ".join(case.before)
    if not case.source:
        return None
    file, options = case.source
    command = [case.program, "-w", "-O1", SOURCES / file, "-o", case.command[0], *options]
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"{case.program} cannot compile it: {(done.stderr.splitlines() or ['?'])[0]}"


def try_case(case, mpiexec):
    """Counts of passed and failed; prints a line."""
    label = f"{case.package} {case.name}"
    here = version(case.package)
    if not here or not shutil.which(case.program):
        print(f"{label:50} skipped: {'there is no ' + str(case.program) if here else 'it is not installed'}", flush=True)
        return 0, 0
    with tempfile.TemporaryDirectory(prefix="packages-") as folder:
        why = prepare(case, pathlib.Path(folder))
        if why:
            print(f"{label:50} skipped: {why}", flush=True)
            return 0, 0
        words, passed, failed = [], 0, 0
        for mode in MODES:
            if mode == "check" and case.unjudged:
                continue
            well, seconds, output = run(case, mode, mpiexec, pathlib.Path(folder))
            words.append(f"{mode} {seconds:.1f} s" if well else f"{mode} FAILED")
            passed, failed = passed + well, failed + (not well)
            if not well:
                print("\n".join(f"        {line}" for line in output.splitlines()[-12:]))
        without = f"; no check: {case.unjudged}" if case.unjudged else ""
        print(f"{label:50} {', '.join(words)}  ({here}{without})", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="where our mpiexec is")
    parser.add_argument("only", nargs="*", help="words of the packages' or cases' names (default: all)")
    parser.add_argument("--record", action="store_true", help="write the counts into docs/REAL.md; takes whole packages")
    args = parser.parse_args()
    counts = {}  # by package
    for case in cases():
        if not args.only or any(word in f"{case.package} {case.name}" for word in args.only):
            was = counts.get(case.package, (0, 0))
            counts[case.package] = tuple(a + b for a, b in zip(was, try_case(case, args.bin.resolve() / "mpiexec")))
    passed, failed = (sum(column) for column in zip((0, 0), *counts.values()))
    for package, (well, not_well) in counts.items():
        if args.record and well + not_well:
            records.write("package", package, version(package), well, not_well)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
