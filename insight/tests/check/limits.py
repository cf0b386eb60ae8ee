"""limits.py BIN: where `mpiexec --check` has no room for more, it says what it leaves out; and what it leaves to the program."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
LEAKS = 300
KEPT = 256
HEAD = """#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
"""
TAIL = """
    MPI_Finalize();
    return 0;
}
"""
WINDOWS = """
    static MPI_Win win[6000]; /* more than the board has room for */
    static int slot;
    for (int i = 0; i < 6000; i++)
        MPI_Win_create(&slot, sizeof slot, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win[i]);
    for (int i = 0; i < 6000; i++)
        MPI_Win_free(&win[i]);
"""


class Limits(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_program(self, body, ranks, *options):
        source = self.folder / "program.c"
        source.write_text(HEAD + body + TAIL, encoding="utf-8")
        subprocess.run([BIN / "mpicc", "-g", source, "-o", self.folder / "program"], check=True)
        return subprocess.run([BIN / "mpiexec", "-n", str(ranks), *options, "./program"], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def test_findings(self):
        leaks = "".join(f"{{ MPI_Datatype type; MPI_Type_contiguous({i + 1}, MPI_INT, &type); }}\n" for i in range(LEAKS))
        done = self.run_program(leaks, 1, "--check=json:report.json")
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        self.assertEqual(len(report["findings"]), KEPT, done)
        self.assertEqual(report["left_out"], [f"{LEAKS - KEPT} more findings were not kept: there is room for {KEPT}"])
        done = self.run_program(leaks, 1, "--check=sarif:report.sarif")
        run = json.loads((self.folder / "report.sarif").read_text(encoding="utf-8"))["runs"][0]
        told = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
        self.assertEqual(told, report["left_out"])

    def test_room(self):
        done = self.run_program(WINDOWS, 1, "--check")
        self.assertEqual(done.returncode, 0, done)
        lines = [line for line in done.stderr.splitlines() if "accesses to some windows were not compared" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("inkling check: nothing was found\n", done.stderr)

    def test_traps_of_the_program(self):
        """A watchpoint tells by SIGTRAP; one that the program raises ends it all the same."""
        done = self.run_program("int a = 0; MPI_Request r; MPI_Irecv(&a, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r); raise(SIGTRAP);", 1, "--check")
        self.assertEqual(done.returncode, 128 + signal.SIGTRAP, done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
