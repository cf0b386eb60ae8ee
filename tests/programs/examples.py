#!/usr/bin/env python3
"""examples.py BUILD SOURCE: each program of examples/ but heat prints the right result on 1 to 4 ranks, and heat is right when it exits with 0."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
STEPS = 849666  # of all numbers from 1 to 10,000, by 3n+1


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, ranks, *words, **environment):
        done = subprocess.run([BUILD / "bin/mpiexec", "-n", str(ranks), *words], cwd=self.folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return sorted(done.stdout.splitlines())

    def example(self, name):
        path = BUILD / "examples" / name
        if not path.exists():
            self.skipTest(f"this build has no {name}")
        return path

    def test_hello(self):
        lines = self.run_it(4, self.example("hello"))
        self.assertEqual([line.split(" on ")[0] for line in lines], [f"hello from rank {rank} of 4" for rank in range(4)] + ["the ranks add up to 6"])

    def test_heat(self):
        self.run_it(4, self.example("heat"), "heat.png", "100", "100")
        self.assertTrue(os.path.exists(f"{self.folder}/heat.png"))

    def test_workers(self):
        for ranks in 2, 4:
            self.assertEqual(self.run_it(ranks, self.example("workers")), [f"10000 tasks took {STEPS} steps"])

    def test_workers_alone(self):
        done = subprocess.run([BUILD / "bin/mpiexec", "-n", "1", self.example("workers")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a manager needs workers: mpiexec -n 2 or more", done.stdout)

    def test_onesided(self):
        for ranks in 1, 4:
            self.assertEqual(self.run_it(ranks, self.example("onesided")), [f"{10000 * ranks} numbers are in {16 * ranks} bins"])

    def test_file(self):
        for ranks in 1, 3:
            self.assertEqual(self.run_it(ranks, self.example("file")), [f"{512 * ranks} of {512 * ranks} values are right"])
        self.assertEqual(os.listdir(self.folder), [], "its file is gone")

    def test_sessions(self):
        self.assertEqual(self.run_it(4, self.example("sessions")), ["the largest number of 4 processes is 30"])

    def test_mixed(self):
        self.assertEqual(self.run_it(4, self.example("mixed")), ["C adds the ranks of 4 up to 6"])

    def test_python(self):
        if "SANITIZER" in os.environ:
            self.skipTest("python is not linked with the sanitizer")
        library = str(BUILD / "lib/libmpi_abi.so.1")
        self.assertEqual(self.run_it(4, sys.executable, SOURCE / "examples/python/ring.py", MPI_LIBRARY=library), ["round 4 ranks: 6"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
