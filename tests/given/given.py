"""Hints from outside: mpiexec --hint and --hints. Run as: python3 given.py BIN SHOW."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN, SHOW = (os.path.abspath(a) for a in sys.argv[1:3])
HAS_INSIGHT = os.path.exists(os.path.join(os.path.dirname(BIN), "lib", "libinkling_insight.so"))  # not in the preset library


SCRIPT = """import ctypes
import sys
mpi = getattr(ctypes, sys.argv[1])(sys.argv[2])
WORLD = ctypes.c_void_p(0x101)


def dup(name, comm):
    mpi.MPI_Comm_set_name(comm, name)
    mpi.MPI_Comm_free(ctypes.byref(comm))


def make():
    second = ctypes.c_void_p()
    mpi.MPI_Comm_dup(WORLD, ctypes.byref(second))  # here
    dup(b"second", second)


mpi.MPI_Init(None, None)
first = ctypes.c_void_p()
mpi.MPI_Comm_dup(WORLD, ctypes.byref(first))
dup(b"first", first)
make()
mpi.MPI_Finalize()
"""


def line_of(text):
    """The place of the line of show.c that has this text, as FILE:LINE."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "show.c")
    with open(source, encoding="utf-8") as file:
        return "show.c:%d" % next(number for number, line in enumerate(file, 1) if text in line)


def mpiexec(*arguments, ranks=2, program=SHOW, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("INKLING_")}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([os.path.join(BIN, "mpiexec"), "-n", str(ranks), *arguments, *([program] if isinstance(program, str) else program)], capture_output=True, text=True,
                              timeout=50, cwd=folder, stdin=subprocess.DEVNULL, env={**environment, **more}, check=False)


def shown(*arguments, **more):
    """What the program saw: {(object, key): value}."""
    done = mpiexec(*arguments, **more)
    if done.returncode:
        raise AssertionError(done.stderr)
    return {tuple(line.split()[:2]): line.split(None, 2)[2] for line in done.stdout.splitlines()}


class Given(unittest.TestCase):
    TAG, SOURCE = "mpi_assert_no_any_tag", "mpi_assert_no_any_source"

    def test_nothing_given(self):
        seen = shown()
        self.assertEqual([seen[o, self.TAG] for o in ("world", "own", "changed", "split")], ["false", "true", "false", "false"])

    def test_to_all_objects(self):
        seen = shown("--hint", f"{self.SOURCE}=true")
        self.assertEqual([seen[o, self.SOURCE] for o in ("world", "own", "changed", "split")], ["true"] * 4)
        self.assertNotIn(("win", self.SOURCE), seen)

    def test_what_the_program_says_comes_first(self):
        """set_info > info at creation > hint from outside > default."""
        seen = shown("--hint", f"{self.TAG}=false")
        self.assertEqual(seen["own", self.TAG], "true")
        seen = shown("--hint", f"{self.TAG}=true")
        self.assertEqual([seen[o, self.TAG] for o in ("own", "changed", "split")], ["true", "false", "true"])

    def test_places(self):
        seen = shown("--hint", f"{self.SOURCE}=true@MPI_COMM_WORLD", "--hint", "no_locks=true @ win", "--hint",
                     "cb_buffer_size=1048576@given.data", "--hint", "mpi_assert_exact_length=true@MPI_Comm_split")
        self.assertEqual([seen[o, self.SOURCE] for o in ("world", "own", "split")], ["true", "false", "false"])
        self.assertEqual([seen[o, "mpi_assert_exact_length"] for o in ("world", "own", "split")], ["false", "false", "true"])
        self.assertEqual(seen["win", "no_locks"], "true")
        self.assertEqual(seen["file", "cb_buffer_size"], "1048576")
        self.assertNotEqual(shown("--hint", "cb_buffer_size=1048576@other.data")["file", "cb_buffer_size"], "1048576")

    def test_switched_off(self):
        seen = shown("--hint", f"!{self.TAG}")
        self.assertEqual([seen[o, self.TAG] for o in ("own", "changed")], ["false", "false"])
        seen = shown("--hint", f"!{self.TAG}", "--hint", f"{self.TAG}=true")
        self.assertEqual([seen[o, self.TAG] for o in ("own", "changed")], ["true", "true"])
        self.assertEqual(shown("--hint", f"!{self.TAG}@win")["own", self.TAG], "true")

    def test_lines_of_the_source(self):
        exact = "mpi_assert_exact_length"
        seen = shown("--hint", f"{self.SOURCE}=true@{line_of('MPI_Comm_split(')}", "--hint",
                     f"no_locks=true@given/{line_of('MPI_Win_allocate(')}", "--hint",
                     f"cb_buffer_size=1048576@{line_of('MPI_File_open(')}", "--hint",
                     f"thread_level=MPI_THREAD_SINGLE@{line_of('MPI_Session_init(')}", "--hint", f"{exact}=true@{line_of('MPI_Init(')}")
        self.assertEqual([seen[o, self.SOURCE] for o in ("world", "own", "split")], ["false", "false", "true"])
        self.assertEqual([seen[o, exact] for o in ("world", "own", "split")], ["true", "false", "false"])
        self.assertEqual((seen["win", "no_locks"], seen["file", "cb_buffer_size"]), ("true", "1048576"))
        self.assertEqual(seen["session", "thread_level"], "MPI_THREAD_SINGLE")

    def test_what_opens_mpi(self):
        seen = shown("--hint", "thread_level=MPI_THREAD_SINGLE@session", SHOW_FIRST="1")
        self.assertEqual([seen[o, "thread_level"] for o in ("first", "session")], ["MPI_THREAD_SINGLE"] * 2)

    def test_functions(self):
        seen = shown("--hint", f"{self.SOURCE}=true@make_communicators()", "--hint", "no_locks=true@make_session()")
        self.assertEqual([seen[o, self.SOURCE] for o in ("world", "own", "split", "named")], ["false", "true", "true", "false"])
        self.assertEqual(seen["win", "no_locks"], "false")

    @unittest.skipUnless(HAS_INSIGHT, "this build has no insight library")
    def test_places_with_a_tool_between(self):
        """The checks stand between program and library; the place is the program's all the same."""
        seen = shown("--check", "--hint", f"{self.SOURCE}=true@{line_of('MPI_Comm_split(')}")
        self.assertEqual(seen["split", self.SOURCE], "true")

    def test_a_program_without_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = os.path.join(folder, "bare")
            subprocess.run(["strip", "-o", bare, SHOW], check=True)
            done = mpiexec("--hint", f"{self.SOURCE}=true@show.c:1", program=bare)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("hints for places in the source do not reach objects made in"), 1)

    def test_names_of_the_program(self):
        strict = "mpi_assert_strict_persistent_collective_ordering"
        seen = shown("--hint", f"{self.SOURCE}=true@halo", "--hint", f"{self.TAG}=true@halo", "--hint",
                     "mpi_assert_memory_alloc_kinds=mpi@field", "--hint", f"{strict}=true@other")
        self.assertEqual([seen[o, self.SOURCE] for o in ("world", "split", "named")], ["false", "false", "true"])
        self.assertEqual(seen["named", self.TAG], "false")  # what the program said itself
        self.assertEqual(seen["win", "mpi_assert_memory_alloc_kinds"], "mpi")
        done = mpiexec("--hint", f"{strict}=true@halo")
        self.assertIn(f'{strict} must be the same on all ranks, so a hint from outside cannot give it to "halo"', done.stderr)
        self.assertIn(f"named {strict} false", done.stdout)

    def test_switched_off_after_creation(self):
        """What set_info says is not heard either: WHERE is still the call that made the object."""
        seen = shown("--hint", f"!{self.TAG}@MPI_Comm_dup_with_info", "--hint", f"{self.TAG}=true")
        self.assertEqual([seen[o, self.TAG] for o in ("own", "changed")], ["true", "true"])

    def test_environment(self):
        self.assertEqual(shown(INKLING_HINTS=f"{self.SOURCE}=true")["split", self.SOURCE], "true")

    def test_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hints") as file:
            file.write(f"# two hints\n\n{self.SOURCE} = true @ comm\n  no_locks = true\n")
            file.flush()
            seen = shown("--hints", file.name, "--hint", "same_size=true")
            report = mpiexec("--hints-report", "--hints", file.name).stderr
        self.assertNotIn("two hints", report)  # the comment
        self.assertIn("given by mpiexec --hint", report)
        self.assertEqual((seen["own", self.SOURCE], seen["win", "no_locks"], seen["win", "same_size"]), ("true", "true", "true"))

    def test_report_names_the_giver(self):
        done = mpiexec("--hints-report", "--hint", f"{self.SOURCE}=true@MPI_COMM_WORLD")
        self.assertIn("given by mpiexec --hint", done.stderr)

    def unmatched(self, *arguments, **more):
        """The hints of which the job says that they matched no object, in order."""
        lines = [line for line in mpiexec(*arguments, **more).stderr.splitlines() if "matched no object" in line]
        for line in lines:
            self.assertRegex(line, r"^inkling: hints: .*: matched no object that takes \w+; .*; ranks 0-1$")
        return [line.removeprefix("inkling: hints: ").split(": matched")[0] for line in lines]

    def test_what_matches_nothing_is_said(self):
        none = [f"{self.SOURCE}=true@nosuch.c:1", f"{self.SOURCE}=true@show.c:1", f"{self.SOURCE}=true@nosuch()", "no_locks=true@MPI_Win_create",
                f"{self.TAG}=true@nobody", f"!{self.TAG}@show.c:2", "mpi_minimum_memory_alignment=64@memory", f"no_locks=true@{line_of('MPI_Comm_split(')}"]
        some = [f"{self.SOURCE}=true@{line_of('MPI_Comm_split(')}", "no_locks=true@make_window_and_file()", "cb_buffer_size=1048576@given.data",
                f"{self.TAG}=true@halo", f"!{self.SOURCE}@halo", f"!{self.TAG}@MPI_Comm_split", "thread_level=MPI_THREAD_SINGLE@session"]
        self.assertEqual(self.unmatched(*(word for hint in none + some for word in ("--hint", hint))), none)
        self.assertEqual(self.unmatched("--hint", none[0], SHOW_DEATH="1"), [])  # what rank 1 would have made is not known

    def test_report_says_what_matches_nothing(self):
        none = f"{self.SOURCE}=true@nosuch.c:1"
        self.assertIn("no effect: no line matched an object", mpiexec("--hints-report", "--hint", none).stderr)
        self.assertIn("lines matched 2 objects", mpiexec("--hints-report", "--hint", f"{self.SOURCE}=true@MPI_Comm_split").stderr)
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            mpiexec(f"--hints-report=json:{report}", "--hint", none, "--hint", "no_locks=true@win")
            said = [line for line in json.loads(report.read_text(encoding="utf-8")) if line["kind"] == "outside"]
        self.assertEqual([(line["objects"], line["ranks"], line["counts"]) for line in said], [([none], "0-1", [0, 0, 0])])

    def test_without_mpiexec_rank_0_says_it(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([SHOW], capture_output=True, text=True, timeout=50, cwd=folder, check=False, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "INKLING_HINTS": f"{self.SOURCE}=true@nosuch.c:1\n{self.TAG}=true@{line_of('MPI_Comm_split(')}"})
        self.assertEqual(done.stderr.count("matched no object"), 1)
        self.assertIn(f"{self.SOURCE}=true@nosuch.c:1 matched no object", done.stderr)

    def test_lines_of_scripts(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "script.py")
            script.write_text(SCRIPT, encoding="utf-8")
            line = 1 + next(number for number, text in enumerate(SCRIPT.splitlines()) if "# here" in text)
            for how in "PyDLL", "CDLL":  # the call keeps the interpreter's lock, or not
                for where in f"script.py:{line}", f"{folder}/script.py:{line}", "make()":
                    done = mpiexec("--hints-report", "--hint", f"{self.SOURCE}=true@{where}", "--hint", f"{self.SOURCE}=true@script.py:1",
                                   program=[sys.executable, str(script), how, os.path.join(os.path.dirname(BIN), "lib/libmpi_abi.so")])
                    told = [text.split(": ")[2] for text in done.stderr.splitlines() if f'{self.SOURCE} = "true"' in text]
                    self.assertEqual((done.returncode, told), (0, ["second of 2 ranks"]), done.stderr)
                    self.assertEqual([text.split(": ")[2] for text in done.stderr.splitlines() if "matched no object" in text],
                                     [f"{self.SOURCE}=true@script.py:1"], done.stderr)

    def test_malformed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hints") as file:
            file.write("no_locks=true\n\nmpi_assert_no_any_tg=true\n")
            file.flush()
            done = mpiexec("--hints", file.name)
            self.assertEqual((done.returncode != 0, done.stdout), (True, ""))
            self.assertIn(f"{file.name}, line 3: there is no hint \"mpi_assert_no_any_tg\"; did you mean {self.TAG}?", done.stderr)
        for hint, said in (("no_locks=5", 'no_locks cannot be "5"; it takes true or false'), ("no_locks", "KEY=VALUE or !KEY"), ("no_locks=true@", "KEY=VALUE or !KEY"),
                           ("eager_limit=5", "there is no hint"), ("inkling_ring_size=4K", "give it by --set")):
            done = mpiexec("--hint", hint)
            self.assertEqual((done.returncode != 0, done.stdout), (True, ""))
            self.assertIn(said, done.stderr)
        self.assertIn("No such file", mpiexec("--hints", "/no/such/file").stderr)
        done = mpiexec(INKLING_HINTS="no_lokcs=true")
        self.assertIn("INKLING_HINTS, line 1", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
