"""no_memory.py BIN PROGRAMS PRELOAD [NAME...]: programs without a fault are blamed for nothing, and none hangs, when an allocation of the
checks or of the library fails in a rank: each one of rank 0 in turn. All programs: `all`. An error that ends a program is told all the same."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS, PRELOAD = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
HERE = pathlib.Path(__file__).parent
FEW = ["ok_acc_operations", "ok_any_then_answer", "ok_columns", "ok_master_worker", "ok_partitions_several_rounds", "ok_shared_message", "ok_wildcards_types"]
NAMES = sorted(path.stem for path in HERE.glob("clean/ok_*.c")) if sys.argv[4:] == ["all"] else sys.argv[4:] or FEW
TIMED_OUT = 124  # of mpiexec --timeout
GROWTH = 30  # from this allocation on not each is tried
FINDING = re.compile(r"^inkling check: (?!crash:)([a-z-]+: .*)", re.M)  # neither what was left out, nor that a rank ended for want of memory


class NoMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()  # LD_PRELOAD takes no path with a space
        cls.addClassCleanup(cls.holder.cleanup)
        cls.preload = os.path.join(cls.holder.name, "libfault_allocation.so")
        os.symlink(PRELOAD, cls.preload)

    def run_program(self, name, number):
        ranks = re.search(r"ranks: (\d+)", next(HERE.glob(f"*/{name}.c")).read_text(encoding="utf-8")).group(1)
        return subprocess.run([BIN / "mpiexec", "--check", "--timeout", "30", "-n", ranks, "-env", "FAULT_ALLOCATION", str(number), "-env", "FAULT_RANK", "0",
                               "-env", "FAULT_REPORT", f"{self.holder.name}/count", "sh", "-c", f'LD_PRELOAD=$LD_PRELOAD:{self.preload} exec "$0" {name}',
                               PROGRAMS], capture_output=True, text=True, check=False, cwd=self.holder.name, stdin=subprocess.DEVNULL)

    def count(self, name):
        self.run_program(name, 0)
        return int(pathlib.Path(self.holder.name, "count").read_text(encoding="ascii"))

    def runs(self, name, count):
        """Each allocation in turn, and how the program ends without it."""
        number = 0
        self.assertGreater(count, 10)
        while number < count:
            number += 1 + number // GROWTH
            yield number, self.run_program(name, number)

    def test_nobody_is_blamed(self):
        for name in NAMES:
            for number, done in self.runs(name, self.count(name)):
                with self.subTest(name, allocation=number):
                    self.assertNotEqual(done.returncode, TIMED_OUT, done.stderr)
                    for finding in FINDING.findall(done.stderr):
                        self.assertIn("memory", finding)
                    if done.returncode:
                        self.assertIn("memory", done.stderr)

    def test_errors_are_told(self):
        for number, done in self.runs("arg_count", self.count("ok_zero_messages")):  # it has as many when MPI_Init is over
            with self.subTest(allocation=number):
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "MPI_ERR_COUNT|no memory|memory is exhausted")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
