#!/usr/bin/env python3
"""make bench: Inkling beside MPICH and Open MPI (Debian's packages), and beside what the machine itself can do.

Every round runs every program on every library, one after the other, so that what disturbs the machine disturbs
all alike, and begins with another library than the round before; a number is the median over the rounds. A full run writes its table to
bench/results; docs/BENCH.md and its picture show the chief lines of all systems that were measured (page.py).
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import before
import page
import report
import rooted

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build/bench"
PROGRAMS = ["latency", "rate", "self", "bandwidth", "matching", "barrier", "idle", "hello", "comms", "coll", "forms", "overlap", "overlap_coll",
            "types", "ops", "threads", "polling", "rma", "rma_many", "windows", "files"]
TIMEOUT = 120


class Library:
    """A library's compiler and launcher; is_ours: an Inkling. pinned and crowded are the launcher's options for two ranks on two cores
    of their own, and for more ranks than cores; network (options, environment): what makes two ranks of this host
    talk over tcp, as if they were on two. The Fortran compiler is mpicc's neighbour."""

    def __init__(self, name, mpicc, mpiexec, pinned, crowded, network, environment=None, is_ours=False):
        self.name, self.mpicc, self.mpiexec, self.is_ours = name, mpicc, mpiexec, is_ours
        self.mpifort = str(mpicc).replace("mpicc", "mpifort")
        self.pinned, self.crowded, self.network = pinned, crowded, network
        self.environment = {**os.environ, **(environment or {})}

    def is_there(self):
        return all(subprocess.run(["sh", "-c", f"command -v {tool}"], stdout=subprocess.DEVNULL, check=False
                                  ).returncode == 0 for tool in (self.mpicc, self.mpiexec))

    def program(self, name):
        return BUILD / self.name.replace(" ", "") / name

    def build(self, programs=PROGRAMS):
        for name in programs:
            target = self.program(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.mpicc, "-std=gnu11", "-O2", "-w", "-pthread", "-o", target, HERE / f"{name}.c",
                            *(HERE / f"{part}.c" for part in ("measure", "calls"))], check=True)
        target = self.program("fortran")
        target.unlink(missing_ok=True)
        if shutil.which(self.mpifort):  # which may be without a compiler
            subprocess.run([self.mpifort, "-O2", "-w", f"-J{target.parent}", "-o", target,
                            *(HERE / part for part in ("fortran.f90", "trips.c", "measure.c"))], check=False)

    def run(self, name, *arguments, ranks, cores=None, environment=None, options=()):
        """Runs a program of bench/; (values by name, wall time in seconds)."""
        options = [*(self.pinned if ranks == 2 else self.crowded), *options]
        command = [self.mpiexec, *options, "-n", str(ranks), self.program(name), *map(str, arguments)]
        if cores:
            command = ["taskset", "-c", cores, *command]
        start = time.perf_counter()
        done = subprocess.run(list(map(str, command)), env={**self.environment, **(environment or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        spent = time.perf_counter() - start
        if done.returncode:
            said = "\n".join(done.stderr.splitlines()[:4])
            raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{said}")
        for line in done.stderr.splitlines():
            if line.startswith(f"{name}: "):  # said by the program itself
                print(f"{self.name}: {line}", file=sys.stderr)
        return self.read(done.stdout, name), spent

    def read(self, output, program):
        values = {}
        for words in map(str.split, output.splitlines()):
            if words[:1] == ["cpus"]:
                if "-1" in words[1:] or len(set(words[1:])) < len(words[1:]):
                    raise RuntimeError(f"{self.name}: {program}: the ranks are not pinned, or to the same core: {words}")
            elif len(words) == 2:
                values[words[0]] = float(words[1])
        return values


def inkling(name, build):
    return Library(name, build / "bin/mpicc", build / "bin/mpiexec", ["--bind-to", "core"], [],
                   ([], {"INKLING_TRANSPORT": "ofi", "INKLING_OFI_PROVIDER": "tcp;ofi_rxm"}), is_ours=True)


def libraries():
    # Without osc/rdma, which Debian's takes first for windows, and which crashes in MPI_Compare_and_swap; osc/sm is faster too.
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_osc": "^rdma"}
    return [
        inkling("Inkling", ROOT / "build"),
        Library("MPICH", "mpicc.mpich", "mpiexec.mpich", ["-bind-to", "core"], [],
                ([], {"UCX_TLS": "tcp", "MPIR_CVAR_NOLOCAL": "1"})),  # Debian's knows no libfabric
        # Open MPI yields while it waits only if asked to, or if its launcher counts more ranks than slots.
        Library("Open MPI", "mpicc.openmpi", "mpiexec.openmpi", ["--bind-to", "core"],
                ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
                (["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp;ofi_rxm"], {}),
                settings),
    ]


# How each measure is made: measure(library, quick) -> values by name.

def handoff():
    """The time that a cache line takes at this moment. On virtual machines it changes: by four where their cores move apart."""
    done = subprocess.run([BUILD / "limits", "20", "1"], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[1])


def latency(library, quick):
    """Beside the handoffs just before and after it."""
    before = handoff()
    values = library.run("latency", 300 if quick else 3000, ranks=2)[0]
    return {**values, "latency_hand": (before + handoff()) / 2}


def fortran(library, quick):
    """Where there is a Fortran compiler: mpi_f08 beside C, an array section beside a datatype."""
    return library.run("fortran", 300 if quick else 3000, ranks=2)[0] if library.program("fortran").exists() else {}


def rate(library, quick):
    """Also under MPI_THREAD_MULTIPLE, with one thread; beside it is shown what MPI_THREAD_SINGLE gives. Both in short turns,
    so that both are measured while the cores are equally far from each other."""
    windows, turns = (1000, 3) if quick else (3000, 7)
    runs = [[library.run("rate", windows, level, ranks=2)[0]["rate"] for level in (0, 1)] for _ in range(turns)]
    single, multiple = sorted(runs, key=lambda pair: pair[1] / pair[0])[turns // 2]
    return {"rate": statistics.median(pair[0] for pair in runs), "rate_multiple": multiple, "rate_multiple_loop": single}


def to_self(library, quick):
    """A process that sends to itself, in four forms, under MPI_THREAD_SINGLE and, with one thread, MPI_THREAD_MULTIPLE."""
    values = {}
    for level, name in enumerate(("single", "multiple")):
        for form, value in library.run("self", level, 10 if quick else 60, ranks=1)[0].items():
            values[f"self_{form}_{name}"] = value
    return values


def bandwidth(library, quick):
    return library.run("bandwidth", 100 if quick else 1000, ranks=2)[0]


def across(library, quick):
    """Between two processes of this host over tcp."""
    options, environment = library.network
    how = {"ranks": 2, "options": options, "environment": environment}
    values = library.run("latency", 30 if quick else 300, **how)[0]
    values.update(library.run("bandwidth", 20 if quick else 100, 1024, **how)[0])
    return {f"across_{name}": values[name] for name in ("latency", "bandwidth_1024K")}


def matching(library, quick):
    return library.run("matching", 1 if quick else 3, ranks=2)[0]


def idle(library, quick):
    milliseconds = 200 if quick else 1000
    return {**library.run("idle", milliseconds, ranks=2)[0],
            **library.run("idle", milliseconds, ranks=4, cores=two_cores())[0]}


def types(library, quick):
    return library.run("types", 200 if quick else 1000, ranks=2)[0]


def ops(library, _quick):
    return library.run("ops", ranks=2)[0]


def two_cores():
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))


def barrier(library, quick):
    """1000 barriers of 8 ranks on 2 cores, in ms; fewer, scaled, where a try of 10 says that 1000 take over 2 s."""
    trial = library.run("barrier", 10, ranks=8, cores=two_cores())[0]["barrier"] / 1e6
    count = max(10, min(1000, int((0.5 if quick else 2) / max(trial, 1e-9))))
    # Few barriers after the start are slower than many: only a library that is slow throughout is scaled.
    if trial < 0.01:
        count = 1000
    return {"barrier": library.run("barrier", count, ranks=8, cores=two_cores())[0]["barrier"]}


def hello(library, _quick):
    wall = library.run("hello", ranks=8)[1] * 1e3
    return {"hello": wall, **library.run("hello", 1, ranks=8)[0]}


def comms(library, quick):
    """Starting in both models, in turn: medians, since ranks may miss the moment at which the others begin."""
    runs = {}
    for _ in range(3 if quick else 7):
        for model in ("world", "sessions"):
            for name, value in library.run("comms", model, ranks=2)[0].items():
                runs.setdefault(name, []).append(value)
    values = {name: statistics.median(all_) for name, all_ in runs.items()}
    if "init_sessions" in values:
        values["sessions_ratio"] = values["init_sessions"] / values["init_world"]
    return values


def coll(library, quick):
    """Collectives of 2 pinned ranks, and of 4 and 8 ranks on 2 cores, whose names get a 4 or an 8."""
    batches = 10 if quick else 60
    values = library.run("coll", batches, "bnps", 4096 if quick else 4 << 20, ranks=2)[0]
    if library.name == "MPICH":  # it spins: minutes for what takes others milliseconds
        return values
    for ranks in 4, 8:
        how = {"ranks": ranks, "cores": two_cores()}
        crowd = library.run("coll", 5 if quick else 20, "bnps", 64 if quick else 32768, **how)[0]
        if not quick:  # each call takes milliseconds; the peer has no persistent ones
            crowd.update(library.run("coll", 6, "bn", 2 << 20, 256 << 10, **how)[0])
            crowd.update(library.run("coll", 6, "b", 1 << 20, 512 << 10, "alltoall", 2, **how)[0])
        values.update({f"{ranks}_{name}": value for name, value in crowd.items()})
    return values


def forms(library, quick):
    """The other collectives, of 2 pinned ranks and of 4 on 2 cores."""
    values = library.run("forms", 4 if quick else 10, "bn", 4096 if quick else 1 << 20, ranks=2)[0]
    if library.name != "MPICH":  # it spins
        crowd = library.run("forms", 4, "bn", 4096 if quick else 65536, ranks=4, cores=two_cores())[0]
        values.update({f"4_{name}": value for name, value in crowd.items()})
    return values


def growth(library, quick):
    """Barriers and small allreduces of ever more ranks on 2 cores."""
    values = {}
    for ranks in (2, 4, 8) if quick else (2, 4, 8, 16, 32, 64):
        if library.is_ours:
            found = library.run("coll", 10, "b", 8, ranks=ranks, cores=two_cores())[0]
            values.update({f"growth_{ranks}_{name}": found[name] for name in ("barrier_b_8", "allreduce_b_8")})
    return values


def overlap(library, quick):
    """How much of an allreduce computing hides, and how long a sender waits for a receiver that computes; ours also
    with the progress thread."""
    rounds = 20 if quick else 200
    values = library.run("overlap_coll", rounds, ranks=2)[0]
    values["wait"] = library.run("overlap", "mpi_assert_exact_length", rounds, ranks=2)[0]["off"]
    if library.is_ours:
        thread = {"INKLING_PROGRESS_THREAD": "true"}
        values["thread_wait"] = library.run("overlap", "mpi_assert_exact_length", rounds, ranks=2, environment=thread)[0]["off"]
    return values


def threads(library, _quick):
    """Message rates of one and of two threads: of a process to itself, and of two pinned ones, whose threads share
    their cores. Each thread has a tag of its own, on one communicator without and with the hint, or a communicator."""
    values = {}
    for ranks in (1, 2):
        for how, name in enumerate(("tags", "hint", "comms")):
            windows = 2000 if ranks == 1 else 400  # few say more of the threads' start
            rates = library.run("threads", how, windows, ranks=ranks)[0]
            values[f"threads_{ranks}_{name}"] = rates["two_threads"]
            values[f"threads_{ranks}_{name}_loop"] = rates["one_thread"]  # beside which two are shown
    return values


def polling(library, quick):
    """Hops of a message between programs that poll, beside those of MPI_Recv: 2 pinned ranks, 4 and 8 on 2 cores."""
    values = {}
    for ranks in (2, 4, 8):
        hops = 2000 if quick else 20000
        if library.name == "MPICH" and ranks > 2:  # it spins: milliseconds a hop
            hops = 100
        found = library.run("polling", hops, ranks=ranks, cores=None if ranks == 2 else two_cores())[0]
        values[f"polling_{ranks}_tested"] = found["tested"]
        for how in ("iprobe", "test"):
            values[f"polling_{ranks}_{how}"] = found[f"hop_{how}"]
            values[f"polling_{ranks}_{how}_loop"] = found["hop_recv"]
    return values


def rma(library, quick):
    """Operations on windows of 2 pinned ranks; epochs and a contended counter of 2, 4 and 8 ranks on 2 cores."""
    values = {f"rma_{name}": value for name, value in library.run("rma", 20 if quick else 100, ranks=2)[0].items()}
    for ranks in (2, 4, 8):
        if library.name == "MPICH" and ranks > 2:  # it spins
            continue
        found = library.run("rma_many", 50 if quick else 300, ranks=ranks, cores=None if ranks == 2 else two_cores())[0]
        values.update({f"rma_{ranks}_{name}": value for name, value in found.items()})
    return values


def windows(library, quick):
    """Making windows, without hints and with same_size and same_disp_unit."""
    values = {}
    for ranks in (2, 4, 8) if quick else (2, 4, 8, 16, 32, 64):
        if not library.is_ours and ranks > (2 if library.name == "MPICH" else 8):  # minutes
            continue
        found = library.run("windows", 50 if quick or ranks > 8 else 300, ranks=ranks, cores=two_cores())[0]
        values.update({f"windows_{ranks}_{name}": value for name, value in found.items()})
    return values


FILES = {"contiguous": 2, "cube": 4, "blocks": 8, "sieve": 2, "shared": 4, "open": 2, "tiny_4K": 2, "tiny_1M": 2, "tiny_16M": 2}  # and how many ranks


def files(library, quick):
    """Accesses to files in memory and on the disk, all of them in the page cache."""
    values = {}
    for place, folder in (("memory", "/dev/shm"), ("disk", BUILD)):
        for what, ranks in FILES.items():
            rounds = 1 if quick or (library.name == "MPICH" and ranks > 2) else 7  # it spins
            found = library.run("files", what, folder, rounds, ranks=ranks, cores=None if ranks == 2 else two_cores())[0]
            values.update({f"files_{place}_{name}": value for name, value in found.items()})
    return values


def heat_step(library, *options):
    """us per step of examples/heat, 2 pinned ranks."""
    with tempfile.TemporaryDirectory() as folder:
        command = [library.mpiexec, *library.pinned, *options, "-n", "2", library.program("heat"), "heat.png", "800", "600"]
        done = subprocess.run(list(map(str, command)), cwd=folder, env=library.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
    if done.returncode:
        raise RuntimeError(f"heat {' '.join(options)}: exit code {done.returncode}\n{done.stderr}")
    return float(re.search(r"time per step: ([0-9.]+) us", done.stdout + done.stderr).group(1))


def insight(library, quick):
    """What mpiexec --check and --advise cost, and tools that hold variables and hear of events, ours alone: medians of pairs, with and
    without."""
    if not library.is_ours:
        return {}
    for name, sources in ("heat", (ROOT / "examples/heat").glob("*.c")), ("watching", (HERE / "watching.c", HERE / "measure.c")), \
            ("outstanding", (HERE / "outstanding.c", HERE / "measure.c")):
        subprocess.run([library.mpicc, "-O2", "-w", "-o", library.program(name), *sources, "-lm"], check=True)
    batches, turns = (100, 3) if quick else (1000, 7)
    windows, gets = (500, 10000) if quick else (5000, 100000)
    sizes = {"check_rate": (8, windows), "check_rate_16K": (16 << 10, windows // 10), "check_rate_64K": (64 << 10, windows // 25),
             "check_rate_1024K": (1 << 20, windows // 100)}
    ratios = {name: [] for name in sizes} | {"check_latency": [], "check_gets": [], "check_rgets": [], "check_heat": [], "advise_heat": []}
    for _ in range(turns):
        checked, plain = (library.run("latency", batches, ranks=2, options=how)[0]["latency"] for how in (["--check"], []))
        ratios["check_latency"].append(checked / plain)
        for name, (size, many) in sizes.items():
            checked, plain = (library.run("rate", many, 0, size, ranks=2, options=how)[0]["rate"] for how in (["--check"], []))
            ratios[name].append(plain / checked)
        checked = library.run("outstanding", gets, ranks=2, options=["--check"])[0]
        ratios["check_gets"].append(checked["gets"])
        ratios["check_rgets"].append(checked["rgets"])
        plain = heat_step(library)
        ratios["check_heat"].append(heat_step(library, "--check") / plain)
        ratios["advise_heat"].append(heat_step(library, "--advise=advice") / plain)
    watched = library.run("watching", 20 if quick else 200, ranks=2)[0]
    ratios |= {f"watch_{how}": [watched[f"watch_{how}"] / watched["watch_none"]] for how in ("held", "started", "heard", "after")}
    return {name: statistics.median(all_) for name, all_ in ratios.items()}


MEASURES = {"latency": latency, "fortran": fortran, "rate": rate, "self": to_self, "bandwidth": bandwidth, "across": across, "matching": matching,
            "barrier": barrier, "idle": idle, "hello": hello, "comms": comms, "coll": coll, "forms": forms, "growth": growth,
            "overlap": overlap, "types": types, "ops": ops, "threads": threads, "polling": polling,
            "rma": rma, "windows": windows, "files": files, "insight": insight}
SLOW = ["threads"]  # a short run of these would say something else, so a quick one leaves them out unless they are named


def wanted(only, quick):
    """Which measures are made; says which a quick run leaves out."""
    if only:
        return only
    if quick:
        print(f"left out, since short runs falsify it: {', '.join(SLOW)} (--only {SLOW[0]})")
    return [measure for measure in MEASURES if not quick or measure not in SLOW]


def limits(mpicc, quick):
    """What the machine can do, from a program without MPI (mpicc only finds a header for it)."""
    target = BUILD / "limits"
    if not target.exists() or target.stat().st_mtime < (HERE / "limits.c").stat().st_mtime:
        subprocess.run([mpicc, "-std=gnu11", "-O2", "-o", target, HERE / "limits.c", HERE / "measure.c"], check=True)
    done = subprocess.run([target, "50" if quick else "500"], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


def available(candidates):
    """The libraries of these that can be compared, built; says why one is left out."""
    found = []
    for library in candidates:
        if not library.is_there():
            print(f"{library.name} is left out: {library.mpicc} or {library.mpiexec} is missing")
            continue
        try:
            library.build()
            found.append(library)
        except subprocess.CalledProcessError as error:
            print(f"{library.name} is left out: its programs do not build ({error})")
    return found


def turned(found, number):
    """The libraries in the order of this round: one that always ran behind another that spins looked up to 1.3 times as fast."""
    first = number % len(found)
    return found[first:] + found[:first]


def run_round(found, number, measures, quick, results):
    """Adds what this round gives to results[library name][value name]."""
    for measure in measures:
        print(f" {measure}", end="", flush=True)
        for library in turned(found, number):
            try:
                values = MEASURES[measure](library, quick)
            except (RuntimeError, KeyError, subprocess.TimeoutExpired) as error:
                print(f"\n{library.name}: {measure} failed: {error}")
                continue
            for name, value in values.items():
                results.setdefault(library.name, {}).setdefault(name, []).append(value)


def gather(found, measures, rounds, quick):
    """results[library name, or "limit"][value name] = the values of all rounds that gave one."""
    results = {}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", end="", flush=True)
        for name, value in limits(found[0].mpicc, quick).items():
            results.setdefault("limit", {}).setdefault(name, []).append(value)
        run_round(found, number, measures, quick, results)
        print()
    return results


def gather_pairs(found, measure, rounds, quick):
    """The same of one measure, without the machine's limits."""
    results = {}
    for number in range(rounds):
        run_round(found, number, [measure], quick, results)
    return results


def middle(results, found):
    """medians[library name][value name] of what was gathered."""
    medians = {who: {name: statistics.median(all_) for name, all_ in values.items()} for who, values in results.items()}
    # What our own process measured by hand beside the library's calls, in the same run.
    for name, value in medians.get(found[0].name, {}).items():
        if name.endswith(("_hand", "_loop")):
            medians["limit"][name] = value
    return medians


def main():
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round; docs/BENCH.md stays as it is")
    parser.add_argument("--only", action="append", choices=list(MEASURES), help="one measure (may be repeated)")
    parser.add_argument("--rounds", type=int, default=5, help="how many rounds (5)")
    parser.add_argument("--root", metavar="SUITE", help="on a bare system of this Debian suite (bookworm, trixie), made in build/roots; needs root")
    parser.add_argument("--before", metavar="FOLDER", type=pathlib.Path,
                        help="another build of Inkling (a folder with bin/mpicc): ours beside it alone, and which lines became slower or faster")
    args = parser.parse_args()
    if args.root:
        status = rooted.run(args.root, [f"--rounds={args.rounds}", *["--quick"] * args.quick, *(f"--only={one}" for one in args.only or ())])
        page.write(ROOT)
        return status
    if len(os.sched_getaffinity(0)) < 2:
        print("bench: needs two cores")
        return 1
    rounds = 1 if args.quick else args.rounds
    if args.before:
        found = available([inkling("Inkling", ROOT / "build"), inkling("before", args.before.resolve())])
        if len(found) < 2:
            return 1
        limits(found[0].mpicc, True)  # which latency asks
        return before.compare(wanted(args.only, args.quick), lambda measure: gather_pairs(found, measure, rounds, args.quick))
    found = available(libraries())
    if not found:
        return 1
    medians = middle(gather(found, wanted(args.only, args.quick), rounds, args.quick), found)
    rows = report.rows(medians)
    print(report.table(rows))
    print(report.collectives(medians))
    if not args.quick and not args.only and found[0].name == "Inkling":
        report.publish(rows, report.collectives(medians), rounds, ROOT)
        page.write(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
