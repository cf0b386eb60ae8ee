"""python.py BIN: `mpiexec --check` and `--advise` name lines of a script in Python, whether the call keeps the interpreter's lock or not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
SCRIPT = """import ctypes
import sys
ctypes.CDLL(sys.argv[2], ctypes.RTLD_GLOBAL)
mpi = (ctypes.PyDLL if sys.argv[1] == "kept" else ctypes.CDLL)(None)  # as for a compiled module, the first library that has the name
WORLD, INT = ctypes.c_void_p(0x101), ctypes.c_void_p(INT_HANDLE)


def make_type():
    new = ctypes.c_void_p()
    mpi.MPI_Type_contiguous(2, INT, ctypes.byref(new))


def exchange(rank):
    value = ctypes.c_int()
    if rank == 0:
        mpi.MPI_Send(ctypes.byref(value), 1, INT, 1, 0, WORLD)
        mpi.MPI_Ssend(ctypes.byref(value), 1, INT, 1, 0, WORLD)
    elif rank == 1:
        for _ in range(2):
            mpi.MPI_Recv(ctypes.byref(value), 1, INT, 0, 0, WORLD, None)


mpi.MPI_Init(None, None)
number = ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(number))
exchange(number.value)
make_type()
mpi.MPI_Finalize()
"""


def line_of(text):
    return 1 + next(i for i, line in enumerate(SCRIPT.splitlines()) if text in line)


class Python(unittest.TestCase):
    def run_script(self, how, option, folder):
        header = (BIN.parent / "generated/include/mpi.h").read_text(encoding="utf-8")
        handle = re.search(r"#define MPI_INT\b.*?(0x[0-9a-fA-F]+)", header)[1]
        (folder / "script.py").write_text(SCRIPT.replace("INT_HANDLE", handle), encoding="utf-8")
        return subprocess.run([BIN / "mpiexec", "-n", "2", option, sys.executable, "script.py", how, BIN.parent / "lib/libmpi_abi.so"],
                              cwd=folder, text=True, check=False, stdin=subprocess.DEVNULL, capture_output=True, env=os.environ)

    def test_leak(self):
        for how in "kept", "released":
            with self.subTest(how), tempfile.TemporaryDirectory() as name:
                done = self.run_script(how, "--check=json:report.json", pathlib.Path(name))
                found = json.loads(pathlib.Path(name, "report.json").read_text(encoding="utf-8"))["findings"]
                self.assertEqual([(f["class"], pathlib.Path(f["where"]["file"]).name, f["where"]["line"], f["where"]["function"])
                                  for f in found], [("leak", "script.py", line_of("Type_contiguous"), "make_type")], done)

    def test_places_of_time(self):
        with tempfile.TemporaryDirectory() as name:
            done = self.run_script("released", "--advise", pathlib.Path(name))
            self.assertRegex(done.stderr, r"inkling advise: \S*script\.py, 2 ranks", done)
            for call, count in ("Ssend", 1), ("Recv", 2):
                self.assertRegex(done.stderr, rf"MPI_{call} +{count} .* script.py:{line_of('MPI_' + call)} \(exchange\)", done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
