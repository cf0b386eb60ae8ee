"""spawned.py BIN: jobs that a program spawns are checked with it under `mpiexec --check`, and not under `mpiexec --advise`."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Datatype type;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Barrier(children);
        MPI_Comm_disconnect(&children);
    } else {
        MPI_Barrier(parent);
        if (rank == 1 && argc > 1 && strcmp(argv[1], "leak") == 0)
            MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    puts("ended");
    return 0;
}
"""
LEAK = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "MPI_Type_contiguous" in line)
CODE_FOUND = 66


class Spawned(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        source = cls.folder / "program.c"
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run([BIN / "mpicc", "-g", source, "-o", cls.folder / "program"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_program(self, *options, deed="leak", **settings):
        done = subprocess.run([BIN / "mpiexec", "-n", "2", *options, "./program", deed], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **settings})
        self.assertEqual(done.stdout.count("ended"), 4, done)
        return done

    def check_report(self, done):
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        (self.folder / "report.json").unlink()
        found = [(f["class"], f["ranks"], f.get("job"), f["where"]["line"]) for f in report["findings"]]
        self.assertEqual(found, [("leak", "1", "spawned", LEAK)], done)
        self.assertEqual(done.stderr.count("inkling check: "), 1, done.stderr)
        self.assertEqual(done.returncode, CODE_FOUND, done)

    def test_advise(self):
        done = self.run_program("--advise=advice")
        self.assertNotIn("inkling check", done.stderr)
        self.assertRegex(done.stderr, "inkling advise: .*/program, 2 ranks")
        self.assertEqual(done.returncode, 0, done)

    def test_check(self):
        done = self.run_program("--check")
        self.assertIn("rank 1 of a spawned job", done.stderr)
        self.assertEqual(done.stderr.count("inkling check: 1 finding\n"), 1, done.stderr)
        self.assertEqual(done.returncode, CODE_FOUND, done)

    def test_check_in_a_file(self):
        self.check_report(self.run_program("--check=json:report.json"))

    def test_check_by_a_setting(self):
        self.check_report(self.run_program(INKLING_CHECK=f"json:{self.folder}/report.json"))

    def test_check_and_advise(self):
        done = self.run_program("--check=json:report.json", "--advise=advice")
        self.assertRegex(done.stderr, "inkling advise: .*/program, 2 ranks")
        self.check_report(done)

    def test_clean(self):
        done = self.run_program("--check", deed="nothing")
        self.assertEqual(done.stderr, "inkling check: nothing was found\n")
        self.assertEqual(done.returncode, 0, done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
