"""inkling where of Python programs: lines and functions of the script. Run as: python3 python.py BIN LIBRARY ASKING."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import page  # noqa: E402
from launching import LIMIT, MPIEXEC, STEPS as LIBRARY, Case, environment, main, run, wait_for  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
ASKING = sys.argv[3]
HAS_OFFSETS = sys.version_info[:2] == (3, 13)
LACKS = r"which lines of Python the ranks are at cannot be told: "
BEGIN = f"""import ctypes
import sys
ctypes.CDLL({os.path.abspath(LIBRARY)!r}, ctypes.RTLD_GLOBAL)
mpi = (ctypes.PyDLL if sys.argv[1] == "kept" else ctypes.CDLL)(None)
WORLD, INT = ctypes.c_void_p(0x101), ctypes.c_void_p(INT_HANDLE)
"""
END = """

mpi.MPI_Init(None, None)
value, number = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(number))
rank = number.value
"""
GRID = BEGIN + """

class Halo:
    def receive(self,
                source):
        mpi.MPI_Recv(
            ctypes.byref(value), 1, INT,  # the call's first line is said
            source, 7, WORLD, None)


def smooth():
    while True:
        pass  # smooths


def glätte():
    words = {}
    while True:
        for i in range(1000):
            words[i] = i  # glättet
""" + END + """if rank == 0:
    Halo().receive(1)
elif rank == 1:
    smooth()
elif rank == 2:
    glätte()
while True:
    pass  # outside functions
"""
LIBRARIES = BEGIN + """import json
import threading
import time


def generate():
    while True:
        yield json.loads("[" + "1, " * 200000 + "1]")  # in a library


def exchange():
    mpi.MPI_Recv(ctypes.byref(value), 1, INT, 1, 9, WORLD, None)  # in a thread
""" + END.replace("MPI_Init(None, None)", "MPI_Init_thread(None, None, THREAD_MULTIPLE, ctypes.byref(ctypes.c_int()))") + """
if rank == 0:
    waiting = threading.Thread(target=exchange)
    waiting.start()
    waiting.join()
elif rank == 1:
    for _ in generate():
        pass
time.sleep(1000)  # sleeps
"""
# Requests that are posted by a C library of the program's own, by a function with a name that Cython makes, and by ctypes.
HALO = """#include <mpi.h>

void post(int *value, MPI_Request *request)
{
    MPI_Irecv(value, 1, MPI_INT, 1, 61, MPI_COMM_WORLD, request);
}

void __pyx_pw_6mpi4py_3MPI_4Comm_47Isend(int *value, MPI_Request *request)
{
    MPI_Issend(value, 1, MPI_INT, 1, 62, MPI_COMM_WORLD, request);
}
"""
POSTS = BEGIN + END + """
halo = ctypes.CDLL("HALO_PATH")
requests = (ctypes.c_void_p * 3)()
at = [ctypes.byref(requests, 8 * i) for i in range(3)]
if rank == 0:
    halo.post(ctypes.byref(value), at[0])
    mpi.MPI_Irecv(ctypes.byref(value), 1, INT, 1, 63, WORLD, at[1])
    halo["__pyx_pw_6mpi4py_3MPI_4Comm_47Isend"](ctypes.byref(value), at[2])
    mpi.MPI_Wait(at[2], None)
while True:
    pass
"""
# Each line that may be said of it is known beforehand. Frames and threads come and go all the time.
BUSY = BEGIN + """import random
import threading


def leaf(n):
    total = 0
    for i in range(n % 7):
        total += i
    return total


class Tree:
    def __init__(self, depth):
        self.children = [] if depth == 0 else [
            Tree(depth - 1)
            for _ in range(2)
        ]

    def count(self):
        return 1 + sum(
            child.count()
            for child in self.children)


def walk(n):
    try:
        if n % 5 == 0:
            raise ValueError(n)
        yield leaf(n)
    except ValueError:
        yield from (
            leaf(k)
            for k in range(3))
    exec("def made(): return 1\\nmade()", {})


def other():
    for n in range(200):
        leaf(n)
""" + END + """mpi.MPI_Barrier(WORLD)
if rank == 0:
    print("ready", flush=True)
for step in range(10 ** 9):
    Tree(3).count()
    for _ in walk(step):
        mpi.MPI_Barrier(ctypes.c_void_p(0x102))
    if step % 10 == 0:
        threading.Thread(target=other).start()
"""


def constant(name):
    with open(os.path.join(os.path.dirname(MPIEXEC), "..", "generated", "include", "mpi.h"), encoding="utf-8") as header:
        found = re.search(rf"#define {name}\b.*?(0x[0-9a-fA-F]+)|\b{name} = (\d+)", header.read())
        return found[1] or found[2]


def line_of(script, text):
    return 1 + next(i for i, line in enumerate(script.splitlines()) if text in line)


def shorten(name):
    """Without the functions around it; of a lambda or comprehension what encloses it."""
    while name.endswith(">"):
        name = name[:name.rindex("<")].removesuffix(".<locals>.")
    return name.split(".<locals>.")[-1]


def known_places(code):
    """All that may be said of a code object, and of those in it: the function, and the line."""
    places = {(shorten(code.co_qualname), line) for _, _, line in code.co_lines() if line is not None}
    for inner in code.co_consts:
        if hasattr(inner, "co_lines"):
            places |= known_places(inner)
    return places


class Python(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="where of ")
        self.addCleanup(self.folder.cleanup)

    def start(self, script, ranks, how="released"):
        path = os.path.join(self.folder.name, "grid größer.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script.replace("INT_HANDLE", constant("MPI_INT")).replace("THREAD_MULTIPLE", constant("MPI_THREAD_MULTIPLE")))
        job = subprocess.Popen([MPIEXEC, "-n", str(ranks), sys.executable, path, how], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(self.end, job)
        return job

    @staticmethod
    def end(job):
        job.terminate()
        job.communicate(timeout=LIMIT)

    def assert_said(self, job, *patterns):
        """Asks until each is a line."""
        result = None

        def is_said():
            nonlocal result
            result = run([INKLING, "where", str(job.pid)])
            self.skip_if_impossible(result.out)
            return all(re.search(f"(?m)^{p}", result.out) for p in patterns)

        if wait_for(is_said, 30) is None:
            self.fail(f"{patterns} are not said in:\n{result.out}{result.err}")
        return result.out

    def skip_if_impossible(self, said):
        if "may not be looked at" in said:
            self.skipTest("ptrace is not permitted here")
        if "which calls the ranks are in cannot be told" in said:
            self.skipTest("this build or this machine has no elfutils (Debian: libdw-dev)")

    def assert_lack(self, job):
        said = self.assert_said(job, LACKS)
        version = "%d.%d" % sys.version_info[:2]
        self.assertRegex(said, f"(?m)^{LACKS}.*{re.escape(version)}")
        self.assertNotIn(".py:", said)

    def test_calls_and_work(self):
        for how in "released", "kept":
            with self.subTest(how):
                job = self.start(GRID, 4, how)
                if not HAS_OFFSETS:
                    self.assert_lack(job)
                    continue
                file = "grid größer\\.py"
                self.assert_said(
                    job, rf"rank 0 waits for rank 1, which computes in smooth\(\) at {file}:\d+", f"rank 0: MPI_Recv from 1, tag 7, on 'MPI_COMM_WORLD' at {file}:{line_of(GRID, 'mpi.MPI_Recv(')}, waits for rank 1; ",
                    rf"rank 1: computes in smooth\(\) at {file}:({line_of(GRID, '# smooths')}|{line_of(GRID, '# smooths') - 1})$",
                    rf"rank 2: computes in glätte\(\) at {file}:({line_of(GRID, '# glättet')}|{line_of(GRID, '# glättet') - 1})",
                    rf"rank 3: computes at {file}:({line_of(GRID, '# outside')}|{line_of(GRID, '# outside') - 1})$")

    def test_libraries_and_threads(self):
        if not HAS_OFFSETS:
            self.assert_lack(self.start(LIBRARIES, 3))
            return
        job = self.start(LIBRARIES, 3)
        file = "grid größer\\.py"
        self.assert_said(job, f"rank 0: MPI_Recv from 1, tag 9, on 'MPI_COMM_WORLD' at {file}:{line_of(LIBRARIES, '# in a thread')}, waits for rank 1",
                         rf"rank 1: computes in generate\(\) at {file}:{line_of(LIBRARIES, '# in a library')} \(in \S+\)$",
                         rf"rank 2: computes at {file}:{line_of(LIBRARIES, '# sleeps')} \(in \w*sleep\w*(\(\))?\)$",
                         *(re.escape(example).replace("grid\\.py:LINE", rf"{file}:\d+") + "$" for example in page.examples() if ".py:" in example))

    def test_where_requests_were_posted(self):
        include = os.path.join(os.path.dirname(MPIEXEC), "..", "generated", "include")
        source, library = (os.path.join(self.folder.name, name) for name in ("halo.c", "halo.so"))
        if not shutil.which("cc"):
            self.skipTest("no cc here")
        with open(source, "w", encoding="ascii") as file:
            file.write(HALO)
        subprocess.run(["cc", "-g", "-shared", "-fPIC", "-I", include, source, "-o", library], check=True)
        job = self.start(POSTS.replace("HALO_PATH", library), 2)
        self.assert_said(job, rf"rank 0: MPI_Wait for a send to 1, .*; posted in mpi4py\.MPI\.Comm\.Isend\(\); "
                              rf"2 requests are open \(1 receive posted at halo\.c:{line_of(HALO, 'MPI_Irecv')}, 1 receive\)")

    def test_nothing_wrong_of_a_busy_program(self):
        if not HAS_OFFSETS:
            self.skipTest(f"Python {sys.version_info[0]}.{sys.version_info[1]} has no debug offsets; 3.13 has")
        job = self.start(BUSY, 2)
        self.assertEqual(job.stdout.readline(), "ready\n")
        places = known_places(compile(BUSY, "grid größer.py", "exec"))
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as children:
            rank = next(p for p in children.read().split() if "python" in os.readlink(f"/proc/{p}/exe"))
        for each in "0", "20":  # one in so many reads is torn
            asked = run([ASKING, "100", "1", rank, each])
            self.skip_if_impossible(asked.out)
            said = re.findall(r"(?m)^ranks? [01](?:, [01])?: (.*)", asked.out)
            named = [re.match(r"computes?(?: in (\S+)\(\))? at grid größer\.py:(\d+)", line) for line in said]
            wrong = [m[0] for m in named if m and (m[1] or "", int(m[2])) not in places]
            self.assertEqual(wrong, [])
            found = {(m[1], m[2]) for m in named if m}
            print(f"of {len(said)} lines {sum(bool(m) for m in named)} name one of {len(found)} places of the script", file=sys.stderr)
            self.assertGreater(sum(bool(m) for m in named), len(said) // 4, asked.out)
            self.assertGreater(len(found), 3, asked.out)
        self.assertIsNone(job.poll(), "the job goes on")


if __name__ == "__main__":
    main(sys.argv[4:])
