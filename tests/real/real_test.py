#!/usr/bin/env python3
"""real_test.py BIN: what runs programs of others tells passed from failed, keeps what is built, and says why it skips."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

import program
import real
import records
import sources

BIN = "build/bin"

RECIPE = '''"""A program of the test's own."""
from program import Case

PACKAGE = None
TOOLS = [{tools}]


def build(site):
    (site.folder / "hello.c").write_text(HELLO)
    site.run(site.mpicc, "-o", "hello", "hello.c")
    with open(site.folder.parent / "builds", "a") as builds:
        builds.write("built ")


def cases(site):
    for name, words in ({cases}):
        yield Case(name, [site.mpiexec, "-n", "2", "./hello", *words], site.folder, 3)


HELLO = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{{
    MPI_Init(&argc, &argv);
    while (argc > 2) pause();
    MPI_Finalize();
    return {wrong}argc - 1;
}}
"""
'''

DSC = "Format: 3.0\nChecksums-Sha256:\n 5994 5 made_1.orig.tar.gz\n 5994 5 made_1.debian.tar.xz\nFiles:\n"


def temporary(test):
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


class Records(unittest.TestCase):
    """A run on one system leaves the record of another in its place."""

    def test_each_system_has_a_row(self):
        folder = temporary(self)
        with mock.patch.object(records, "FILE", folder / "records.json"), mock.patch.object(records, "PAGE", folder / "REAL.md"):
            for system, passed in (("Debian 12", 3), ("Debian 13", 4), ("Debian 12", 5)):
                with mock.patch.object(records, "system", return_value=system):
                    records.write("package", "lammps", "1", passed, 0)
            found = [line.split(" | ") for line in (folder / "REAL.md").read_text(encoding="utf-8").splitlines() if line.startswith("| lammps ")]
        self.assertEqual([(row[2], row[-1]) for row in found], [("5", "Debian 12 |"), ("4", "Debian 13 |")])


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = temporary(self)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.take_programs_of(self.programs)

    def take_programs_of(self, folder):
        patch = mock.patch.object(program, "PROGRAMS", folder)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name="made", cases='("well", []),', tools="", wrong=""):
        (self.programs / f"{name}.py").write_text(RECIPE.format(cases=cases, tools=tools, wrong=wrong), encoding="utf-8")

    def real(self, *words):
        """(exit code, what it said) of the command with these words."""
        said = io.StringIO()
        command = ["real.py", "--bin", BIN, "--work", str(self.folder / "work"), *words]
        with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(said):
            code = real.main()
        return code, said.getvalue()

    def builds(self):
        return (self.folder / "work" / "inkling" / "builds").read_text(encoding="utf-8").split()

    def test_all_well(self):
        self.write()
        code, said = self.real()
        self.assertEqual(code, 0, said)
        self.assertEqual(said.splitlines()[-1], "1 passed, 0 failed")

    def test_failures_and_hangs(self):
        self.write(cases='("well", []), ("bad", ["1"]), ("hangs", ["1", "2"])')
        code, said = self.real()
        self.assertEqual(code, 1)
        self.assertEqual(said.splitlines()[-1], "1 passed, 2 failed")
        self.assertIn("made bad: FAILED", said)
        self.assertIn("still running after 3 s", said)

    def test_a_build_that_fails(self):
        self.write(wrong="nothing")
        code, said = self.real()
        self.assertEqual(code, 1)
        self.assertIn("0 passed, 1 failed: its build: ", said)
        self.assertIn("nothingargc", said)

    def test_built_once(self):
        self.write()
        self.real()
        self.real()
        self.assertEqual(len(self.builds()), 1)
        self.write(cases='("well", []), ("also", [])')
        self.assertIn("2 passed, 0 failed", self.real()[1])
        self.assertEqual(len(self.builds()), 2)

    def test_only_what_is_built(self):
        self.write()
        code, said = self.real("--built")
        self.assertEqual(code, 77)
        self.assertIn("skipped: it is not built", said)
        self.real("--build")
        self.assertEqual(self.real("--built")[0], 0)
        self.write(cases='("well", []), ("also", [])')
        code, said = self.real("--built")
        self.assertEqual(code, 77)
        self.assertIn("not up to date", said)
        self.assertEqual(len(self.builds()), 1)

    def test_skipped(self):
        self.write(tools='"no-such-tool"')
        code, said = self.real()
        self.assertEqual(code, 1)  # nothing passed
        self.assertIn("skipped: there is no no-such-tool", said)
        self.assertEqual(said.splitlines()[-2:], ["skipped: made", "0 passed, 0 failed"])

    def test_a_wrapper_of_the_library_is_missing(self):
        self.write(tools='"mpifort"')
        with mock.patch.object(real.library, "TOOLS", ("mpicc", "mpicxx", "no-such-wrapper", "mpiexec")):
            self.assertIn("skipped: there is no mpifort", self.real()[1])

    def test_some_programs_and_cases(self):
        self.write(cases='("well", []), ("bad", ["1"])')
        self.write("other")
        self.assertEqual(self.real("other")[0], 0)
        self.assertEqual(self.real("made", "--case", "well")[0], 0)
        self.assertEqual(self.real("unknown")[0], 2)

    def test_the_programs_there_are(self):
        self.take_programs_of(program.HERE / "programs")
        code, said = self.real("--list")
        self.assertEqual(code, 0)
        for name in ("boost_mpi", "fftw", "hdf5", "hdf5_fortran", "hypre", "osu", "pnetcdf", "pnetcdf_fortran", "scotch"):
            self.assertIn(f"\n{name} ", "\n" + said)


class Sources(unittest.TestCase):
    def test_one_line_entries(self):
        text = "# deb http://a x main\ndeb [arch=amd64] http://a x main\ndeb-src http://a x main\n"
        self.assertEqual(sources.source_entries(text, False), "deb-src [arch=amd64] http://a x main\n")

    def test_stanzas(self):
        text = ("Types: deb\nURIs: http://a\nSuites: x\n\nTypes: deb\nEnabled: no\nURIs: http://b\n\n"
                "# more\nTypes: deb deb-src\nURIs: http://c\nSigned-By:\n -----BEGIN\n .\n =x\n")
        made = sources.source_entries(text, True)
        self.assertEqual(made.count("Types: deb-src\n"), 2)
        self.assertNotIn("http://b", made)
        self.assertIn("Signed-By:\n -----BEGIN\n .\n =x\n", made)

    def test_fetched_whole(self):
        folder = temporary(self)
        store = sources.Store(folder)
        (folder / "made_1.dsc").write_text(DSC, encoding="utf-8")
        (folder / "made_1.orig.tar.gz").write_text("12345", encoding="utf-8")
        self.assertIsNone(store.fetched("made"))
        (folder / "made_1.debian.tar.xz").write_text("12345", encoding="utf-8")
        self.assertEqual(store.fetched("made"), folder / "made_1.dsc")

    def test_an_archive_of_upstream_alone(self):
        folder = temporary(self)
        tree = folder / "made" / "made-1.2"
        tree.mkdir(parents=True)
        (tree / "setup.py").write_text("all\n", encoding="utf-8")
        with tarfile.open(folder / "made_1.2.orig.tar.gz", "w:gz") as tar:
            tar.add(tree, tree.name)
        store = sources.Store(folder)
        self.assertEqual(store.unpack("made"), ("1.2", folder / "made-1.2"))
        self.assertEqual((folder / "made-1.2" / "setup.py").read_text(encoding="utf-8"), "all\n")
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["made", "made-1.2", "made_1.2.orig.tar.gz"])

    def test_what_an_aborted_download_left(self):
        folder = temporary(self)
        store = sources.Store(folder)
        (folder / "made_1.dsc").write_text(DSC, encoding="utf-8")
        (folder / "made_1.orig.tar.gz").write_text("123", encoding="utf-8")
        self.assertIsNone(store.upstream("made"))
        (folder / "made_2.orig.tar.gz").write_text("12345", encoding="utf-8")
        self.assertEqual(store.upstream("made"), folder / "made_2.orig.tar.gz")

    def test_an_archive_that_is_cut_off(self):
        folder = temporary(self)
        (folder / "made_1.2.orig.tar.gz").write_bytes(b"12345")
        with self.assertRaisesRegex(sources.Absent, "made_1.2.orig.tar.gz cannot be unpacked: "):
            sources.Store(folder).unpack("made")

    def test_what_cannot_be_fetched(self):
        store = sources.Store(temporary(self))
        refused = subprocess.CompletedProcess([], 100, "E: Unable to find a source package for made\n")
        with mock.patch.object(store, "apt", return_value=refused), mock.patch.object(sources.shutil, "which", return_value="there"):
            with self.assertRaisesRegex(sources.Absent, f"put it, or upstream's archive as made_VERSION.orig.tar.gz, into {store.folder}"):
                store.unpack("made")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BIN = sys.argv.pop(1)
    unittest.main()
