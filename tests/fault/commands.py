"""The n-th allocation of a command fails, for n = 1, 2, 3... It does without, or says so in a line about memory: never by a signal, never by
a hang. What a command passes to libraries (of elfutils, of terminals) does not count."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import BIN, MPIEXEC, STEPS, Case, environment, main, run  # noqa: E402

TESTS = os.path.dirname(STEPS)
FOLDER = tempfile.TemporaryDirectory()  # LD_PRELOAD takes no path with a space
PRELOAD = os.path.join(FOLDER.name, "libfault_allocation.so")
os.symlink(os.path.join(TESTS, "libfault_allocation.so"), PRELOAD)
INKLING = os.path.join(BIN, "inkling")
WAITING = os.path.join(TESTS, "situations")  # a program that hangs where it is told
MOST = 3000  # allocations of a command; more, and it does not end
GROWTH = 40  # from this one on not each is tried


class Commands(Case):
    def sweep(self, *command, name=None):
        """How many allocations the command has, or the one of that name that it becomes, and how many of them it cannot do without."""
        n, failed, name = 0, 0, name or os.path.basename(command[0])
        preload = {"LD_PRELOAD": PRELOAD, "FAULT_PROGRAM": name}
        with tempfile.NamedTemporaryFile() as report:
            usual = run(command, **preload, FAULT_REPORT=report.name)
            count = int(report.read() or 0)
        self.assertLess(count, MOST, command)
        while n < count:
            n += 1 + n // GROWTH
            result = run(command, **preload, FAULT_ALLOCATION=str(n))
            with self.subTest(command=command, allocation=n):
                self.assertGreaterEqual(result.code, 0, "ended by a signal")
                self.assertNotIn(result.code, (124, 134, 139), result.err)
                if result.code != usual.code:
                    failed += 1
                    more = [line for line in result.err.splitlines() if line not in usual.err.splitlines()]
                    self.assertEqual(len(more), 1, result.err)
                    self.assertIn("memory", more[0])
        return count, failed

    def test_commands(self):
        for words in (["hints"], ["hints", "no_locks"], ["hints", "--json"], ["vars"], ["coll"], ["coll", "--json"], ["io"], ["status"],
                      ["status", "MPI_Send"], ["info"], ["can-run", STEPS], ["explain", "mpirun", "-np", "2", "--bind-to", "core", STEPS],
                      ["where"], ["where", "--json"]):
            self.sweep(INKLING, *words)

    def test_wrappers(self):
        for name in "mpicc", "mpicxx", "mpifort":
            self.sweep(os.path.join(BIN, name), "-show", "a.c")

    def test_simulate(self):
        for words in ["--chosen"], ["--json", "bcast"]:
            count, _ = self.sweep(INKLING, "simulate", "--ranks", "8", "--hosts", "4", "--bytes", "8", *words, name="simulate")
            self.assertGreater(count, 10)

    def test_where(self):
        with subprocess.Popen([MPIEXEC, "-n", "3", WAITING, "circle"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=environment()) as job:
            try:
                time.sleep(1)
                if "cannot be told" in (said := run([INKLING, "where", str(job.pid)]).out) or "may not be" in said:
                    self.skipTest("no stacks here: " + said)
                for words in ([], ["--json"]):
                    count, _ = self.sweep(INKLING, "where", str(job.pid), *words)
                    self.assertGreater(count, 10)
            finally:
                job.terminate()

    def test_mpiexec(self):
        for words in (["-n", "2", "true"], ["-n", "2", "--stats", "true"], ["-n", "1", "true", ":", "-n", "1", "env"], ["--help"],
                      ["-n", "2", "--hints-report", "--hint", "no_locks=true", "true"], ["-n", "2", "--label", "echo", "a"],
                      ["-n", "2", "--output-filename", FOLDER.name + "/out", "--print-all-exitcodes", "echo", "a"],
                      ["-n", "2", "--check", STEPS, "init", "finalize"], ["-n", "2", "--advise=" + FOLDER.name, STEPS, "init", "finalize"],
                      ["-n", "2", "--bind-to", "core", "--report-bindings", "-x", "A=1", "--timeout", "20", STEPS, "init", "finalize"]):
            self.sweep(MPIEXEC, *words)


if __name__ == "__main__":
    main()
