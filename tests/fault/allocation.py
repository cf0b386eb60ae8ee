"""The n-th allocation of one rank fails, for n = 1, 2, 3... Either nobody notices, or the job ends with an error that
speaks of memory (with one rank; with several, another may speak first): never by a signal, never by a hang.

As many n as fit into FAULT_SECONDS (default 30); `make soak` gives it an hour. FAULT_ONLY: programs by name."""
import glob
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, STEPS, run  # noqa: E402

TESTS = os.path.dirname(STEPS)
FOLDER = tempfile.TemporaryDirectory()  # LD_PRELOAD takes no path with a space
PRELOAD = os.path.join(FOLDER.name, "libfault_allocation.so")
os.symlink(os.path.join(TESTS, "libfault_allocation.so"), PRELOAD)
SECONDS = float(os.environ.get("FAULT_SECONDS", "30"))
QUICK = ["mpi_comm_dup", "mpi_coll_reduce", "mpi_info_objects", "mpi_attribute", "mpi_errhandler", "mpi_comm_split",
         "mpi_comm_create", "mpi_group", "hints_r28_hints_on_world", "hints_r45_info_env", "mpi_comm_idup",
         "mpi_coll_alltoall", "coll_persistent", "mpi_win_lock", "mpi_win_create", "mpi_win_dynamic", "mpi_win_pscw",
         "mpi_win_shared", "mpi_win_fence", "mpi_win_flush", "mpi_rma_ops", "mpi_rma_types", "mpi_rma_requests", "mpi_dist_graph",
         "mpi_comm_split_type"]
# Without CMA their windows' memory is reached through agents, if it is not the library's.
AGENTS = ["mpi_win_create", "mpi_win_dynamic", "mpi_win_fence", "mpi_win_flush", "mpi_win_lock", "mpi_win_pscw", "mpi_rma_ops",
          "mpi_rma_types", "mpi_rma_requests"]
LIMIT = 60  # seconds for one run


class Sweep:
    """One program, with one number of ranks, one victim, and one way to fail."""

    def __init__(self, program, ranks, victim, later, has_cma=True):
        self.program, self.ranks, self.victim, self.later, self.has_cma = program, ranks, victim, later, has_cma
        self.n = 0
        self.count = None  # allocations of the victim; 0 if the program does not end well or allocates nothing

    def command(self, n, report=None):
        setting = {"LD_PRELOAD": PRELOAD, "FAULT_ALLOCATION": n, "FAULT_RANK": self.victim}
        if self.later:
            setting["FAULT_AND_LATER"] = 1
        if not self.has_cma:
            setting["INKLING_CMA"] = "false"
        if report:
            setting["FAULT_REPORT"] = report
        # Not by env(1): a program asks for the command that started it.
        given = [word for name, value in setting.items() for word in ("-env", name, str(value))]
        return [MPIEXEC, "--timeout", str(LIMIT), "-n", str(self.ranks), *given, os.path.join(TESTS, self.program)]

    def measure(self):
        with tempfile.NamedTemporaryFile() as report:
            result = run(self.command(0, report.name))
            text = report.read()
        return int(text) if result.code == 0 and text else 0

    def step(self):
        """Runs the next n, after a run without failures the first time. Returns what is wrong, else None."""
        if self.count is None:
            self.count = self.measure()
        if self.is_over():
            return None
        self.n += 1 if self.n < 100 else 1 + self.n // 20
        result = run(self.command(self.n))
        return verdict(result)

    def is_over(self):
        return self.n >= self.count

    def __str__(self):
        later = " and all later ones" if self.later else ""
        without = "" if self.has_cma else ", without CMA"
        return f"{self.program} on {self.ranks}: allocation {self.n} of rank {self.victim}{later}{without}"


def verdict(result):
    """A program that ignores an error code may stumble over it later and complain of something else."""
    said = result.out + result.err
    if result.code == 0:
        return None
    if result.code == 124:
        return "hung"
    if result.code >= 128 or re.search(r"died of signal", said):
        return f"ended by a signal ({result.code})"
    if not result.err:
        return f"exit code {result.code} and not a word"
    return None


def programs():
    only = os.environ.get("FAULT_ONLY")
    if only:
        return only.split()
    if SECONDS < 1000:
        return QUICK
    # pthread_create, too, takes memory, and programs of several threads do not expect that it has none
    found = glob.glob(os.path.join(TESTS, "mpi_*")) + glob.glob(os.path.join(TESTS, "hints_*"))
    return sorted(os.path.basename(path) for path in found
                  if os.access(path, os.X_OK) and not re.search(r"threads|error_codes|large", path))


def main():
    deadline = time.monotonic() + SECONDS
    kinds = [(1, 0, False), (1, 0, True), (2, 1, False), (2, 0, False)]
    sweeps = [Sweep(program, *kind) for kind in kinds for program in programs()]
    sweeps += [Sweep(program, 2, victim, False, False) for victim in (0, 1) for program in AGENTS if program in programs()]
    every = list(sweeps)
    runs, bad = 0, 0
    while sweeps and time.monotonic() < deadline:
        for sweep in list(sweeps):
            if time.monotonic() > deadline:
                break
            wrong = sweep.step()
            runs += sweep.count > 0
            if wrong:
                bad += 1
                print(f"{sweep}: {wrong}", " ".join(sweep.command(sweep.n)), sep="\n  ", flush=True)
            if sweep.is_over():
                sweeps.remove(sweep)
    never = set(programs()) - {sweep.program for sweep in every if sweep.count != 0}
    for program in sorted(never):
        bad += 1
        print(f"{program} does not end well, or allocates nothing, with one rank and with two")
    rest = f"; time was up before the end of {len(sweeps)} sweeps" if sweeps else ""
    print(f"{runs} runs, {bad} bad{rest}")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
