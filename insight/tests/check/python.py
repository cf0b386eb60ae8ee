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


def lose(rank):
    if rank == 0:
        mpi.MPI_Send(ctypes.byref(number), 1, INT, 1, 7, WORLD)


mpi.MPI_Init(None, None)
number = ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(number))
exchange(number.value)
if sys.argv[3:]:
    lose(number.value)
make_type()
mpi.MPI_Finalize()
"""


# A compiled module that keeps objects to the end, as mpi4py does: some that it makes when it is imported, and for a communicator
# a duplicate and an attribute, whose key it makes at the first such call.
BINDING = """#include <mpi.h>
#include <stddef.h>
void *PyModule_Create2(void *definition, int version);

static int key = MPI_KEYVAL_INVALID;
static struct {
    long head[2];
    void *init;
    long index;
    void *copy;
    const char *name, *doc;
    long size;
    void *rest[5];
} definition = {.head = {1}, .name = "binding", .size = -1};

void cache(MPI_Comm comm)
{
    MPI_Comm kept;

    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &key);
    MPI_Comm_dup(comm, &kept);
}

void *PyInit_binding(void)
{
    MPI_Datatype pair;
    MPI_Group group;

    MPI_Init(NULL, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    return PyModule_Create2(&definition, 1013);
}
"""
USER = """import ctypes
import sys
import binding
library = getattr(ctypes, sys.argv[1])
mpi, kept = library(None), library(binding.__file__)
WORLD, SELF, KEY, NEW = ctypes.c_void_p(0x101), ctypes.c_void_p(0x102), ctypes.c_int(), ctypes.c_void_p()
kept.cache(WORLD)
kept.cache(SELF)
if sys.argv[2] == "leaks":
    mpi.MPI_Comm_create_keyval(None, None, ctypes.byref(KEY), None)  # key
    mpi.MPI_Comm_set_attr(WORLD, KEY, None)
    mpi.MPI_Comm_dup(WORLD, ctypes.byref(NEW))  # dup
mpi.MPI_Finalize()
"""


def line_of(text, script=SCRIPT):
    return 1 + next(i for i, line in enumerate(script.splitlines()) if text in line)


class Python(unittest.TestCase):
    def run_script(self, how, option, folder, *words):
        header = (BIN.parent / "generated/include/mpi.h").read_text(encoding="utf-8")
        handle = re.search(r"#define MPI_INT\b.*?(0x[0-9a-fA-F]+)", header)[1]
        (folder / "script.py").write_text(SCRIPT.replace("INT_HANDLE", handle), encoding="utf-8")
        return subprocess.run([BIN / "mpiexec", "-n", "2", option, sys.executable, "script.py", how, BIN.parent / "lib/libmpi_abi.so", *words],
                              cwd=folder, text=True, check=False, stdin=subprocess.DEVNULL, capture_output=True, env=os.environ)

    def test_leak(self):
        for how in "kept", "released":
            with self.subTest(how), tempfile.TemporaryDirectory() as name:
                done = self.run_script(how, "--check=json:report.json", pathlib.Path(name))
                found = json.loads(pathlib.Path(name, "report.json").read_text(encoding="utf-8"))["findings"]
                self.assertEqual([(f["class"], pathlib.Path(f["where"]["file"]).name, f["where"]["line"], f["where"]["function"])
                                  for f in found], [("leak", "script.py", line_of("Type_contiguous"), "make_type")], done)

    def test_what_the_receiver_knows_of_the_sender(self):
        with tempfile.TemporaryDirectory() as name:
            done = self.run_script("released", "--check=json:report.json", pathlib.Path(name), "lose")
            found = json.loads(pathlib.Path(name, "report.json").read_text(encoding="utf-8"))["findings"]
            self.assertIn(("lost-message", "script.py", line_of("1, 7, WORLD"), "lose"),
                          [(f["class"], pathlib.Path(f["where"].get("file", "")).name, f["where"].get("line"), f["where"].get("function"))
                           for f in found], done)

    def run_user(self, how, what, folder, *options):
        (folder / "binding.c").write_text(BINDING, encoding="utf-8")
        (folder / "user.py").write_text(USER, encoding="utf-8")
        subprocess.run([BIN / "mpicc", "-shared", "-fPIC", "binding.c", "-o", "binding.so"], cwd=folder, check=True)
        return subprocess.run([BIN / "mpiexec", "-n", "2", *options, sys.executable, "user.py", how, what], cwd=folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, env=os.environ)

    def test_what_bindings_keep_is_no_leak(self):
        for how in "PyDLL", "CDLL":
            with self.subTest(how), tempfile.TemporaryDirectory() as name:
                done = self.run_user(how, "none", pathlib.Path(name), "--check")
                self.assertEqual((done.returncode, done.stderr), (0, "inkling check: nothing was found\n"))
                done = self.run_user(how, "leaks", pathlib.Path(name), "--check=json:report.json")
                found = json.loads(pathlib.Path(name, "report.json").read_text(encoding="utf-8"))["findings"]
                self.assertEqual([(f["class"], f["where"]["line"]) for f in found],
                                 [("leak", line_of(mark, USER)) for mark in ("# key", "# dup")], done)

    def test_suppressions(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for lines, left in ("leak@user.py\n", 0), ("# mine\nleak@user.py:%d\n" % line_of("# key", USER), 1), ("request\nleak@*.c\n", 2):
                (folder / "mine").write_text(lines, encoding="utf-8")
                done = self.run_user("CDLL", "leaks", folder, "--check=suppress:mine,json:report.json")
                report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
                self.assertEqual((len(report["findings"]), report["suppressed"], done.returncode), (left, 2 - left, 66 if left else 0), done)
            self.assertIn("2 findings in report.json\n", done.stderr)
            (folder / "mine").write_text("leak\n", encoding="utf-8")
            done = self.run_user("CDLL", "leaks", folder, "--check", "--check=suppress:mine")
            self.assertEqual((done.returncode, done.stderr), (0, "inkling check: nothing was found; 2 suppressed\n"))
            (folder / "mine").write_text("leaks\n", encoding="utf-8")
            done = self.run_user("CDLL", "leaks", folder, "--check=suppress:mine")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('--check=suppress:mine: line 1: there is no class "leaks"', done.stderr)

    def test_places_of_time(self):
        with tempfile.TemporaryDirectory() as name:
            done = self.run_script("released", "--advise", pathlib.Path(name))
            self.assertRegex(done.stderr, r"inkling advise: \S*script\.py, 2 ranks", done)
            for call, count in ("Ssend", 1), ("Recv", 2):
                self.assertRegex(done.stderr, rf"MPI_{call} +{count} .* script.py:{line_of('MPI_' + call)} \(exchange\)", done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
