#!/usr/bin/env python3
"""found.py SOURCE: what `make` finds, and notices when it comes or goes; what it says of what is missing or too old. With the
project's Makefile, tests/provide and found.cmake, on a project that compiles nothing, and an apt-get that can install nothing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(found NONE)
find_package(PkgConfig REQUIRED)
include(found.cmake)
look_for(LIBFABRIC libfabric 1.17 libfabric-dev "several hosts")
look_for(PMIX pmix 3.0 libpmix-dev "PMIx")
if(LOOK_FOR_FORTRAN)
  look_for_fortran("Fortran")
endif()
file(APPEND ${CMAKE_BINARY_DIR}/configured "${LIBFABRIC_FOUND} ${PMIX_FOUND}\\n")
"""
WITHOUT = ["Built without libfabric (1.17 or later), so not for several hosts: apt install libfabric-dev; make",
           "Built without pmix (3.0 or later), so not for PMIx: apt install libpmix-dev; make"]

FORTRAN = "gfortran", "f95", "f90", "f77"


class Found(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name) / "with a space"
        self.write("CMakeLists.txt", PROJECT)
        for name in "Makefile", "CMakePresets.json", "found.cmake", "tests/provide":
            (self.top / name).parent.mkdir(exist_ok=True)
            shutil.copy(SOURCE / name, self.top / name)
        for module, version in ("hwloc", "2.9.0"), ("libfabric", "1.17.0"), ("ucx", "1.13.1"), ("pmix", "4.2.2"), ("libdw", "0.188"), ("ncurses", "6.4"):
            self.provide(module, version)
        self.command("apt-get", f"echo asked >>'{self.top}/apt'; exit 1")
        self.command("apt-cache", "exit 0")
        self.command("sudo", 'exec "$@"')

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
        return path

    def command(self, name, text):
        self.write(f"bin/{name}", f"#!/bin/sh\n{text}\n").chmod(0o755)

    def provide(self, module, version):
        self.write(f"modules/{module}.pc", f"Name: {module}\nDescription: {module}\nVersion: {version}\n")

    def remove(self, module):
        (self.top / f"modules/{module}.pc").unlink()

    def make(self, *words, code=0):
        """The lines that it prints."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "PKG_CONFIG", "PRESET"))}
        environment.update(PATH=f"{self.top}/first:{self.top}/bin:{os.environ['PATH']}", PKG_CONFIG_LIBDIR=str(self.top / "modules"))
        done = subprocess.run(["make", *words], cwd=self.top, env=environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout.splitlines()

    def asked(self):
        path = self.top / "apt"
        return path.read_text(encoding="ascii").count("asked") if path.exists() else 0

    def configured(self):
        return (self.top / "build/release/configured").read_text(encoding="ascii").splitlines()

    def test_all_is_there(self):
        self.assertFalse([line for line in self.make() if "without" in line])
        self.make()
        self.assertEqual((self.configured(), self.asked()), (["1 1"], 0))

    def test_noticed_in_both_directions(self):
        self.remove("libfabric")
        self.assertEqual(self.make()[-1], WITHOUT[0])
        asked = self.asked()
        self.assertGreater(asked, 0)
        self.assertEqual(self.make()[-1], WITHOUT[0], "it is said each time")
        self.assertEqual(self.asked(), asked, "apt-get is asked once")
        self.assertEqual(len(self.configured()), 1, "an up-to-date make configures nothing")
        self.provide("libfabric", "2.1.0")
        self.assertFalse([line for line in self.make() if "without" in line])
        self.remove("libfabric")
        self.remove("pmix")
        self.assertEqual(self.make()[-2:], WITHOUT)
        self.assertEqual([line.strip() for line in self.configured()], ["1", "1 1", ""])

    @unittest.skipUnless(shutil.which("gfortran"), "there is no Fortran compiler to be found")
    def test_a_fortran_compiler_comes_and_goes(self):
        self.write("CMakeLists.txt", PROJECT.replace("LOOK_FOR_FORTRAN", "TRUE"))
        without = "Built without a Fortran compiler, so not for Fortran: apt install gfortran; make"
        for name in FORTRAN:
            self.command(name, "exit 1")
        self.assertEqual(self.make()[-1], without)
        self.assertEqual(self.make()[-1], without, "it is said each time")
        for name in FORTRAN:
            self.write(f"first/{name}", f"#!/bin/sh\nexec {shutil.which('gfortran')} \"$@\"\n").chmod(0o755)
        self.assertFalse([line for line in self.make() if "without" in line])
        shutil.rmtree(self.top / "first")
        self.assertEqual(self.make()[-1], without, "the one that was found is gone")
        for name in FORTRAN:
            (self.top / "bin" / name).unlink()
        self.assertFalse([line for line in self.make() if "without" in line])

    def test_optional_and_too_old(self):
        self.provide("libfabric", "1.11.0")
        lines = self.make()
        self.assertEqual(lines[-1], WITHOUT[0])
        self.assertIn("  libfabric-dev: jobs on several hosts; 1.11.0 is here, and 1.17 or later is needed", lines)

    def test_needed_and_missing(self):
        self.remove("hwloc")
        self.assertIn("Please install: libhwloc-dev (apt-get was asked, and could not)", self.make(code=2))
        self.assertFalse((self.top / "build/release/build.ninja").exists())

    def test_tools_that_are_too_old(self):
        self.command("cmake", "echo cmake version 3.18.4")
        self.provide("hwloc", "1.11.13")
        self.remove("pmix")
        lines = [line for line in self.make(code=2) if not line.startswith("make")]
        self.assertEqual(lines, ["Too old for Inkling: cmake 3.18.4 (3.22 or later is needed), libhwloc-dev 1.11.13 (2.4 or later "
                                 "is needed). Nothing was installed."])
        self.assertEqual(self.asked(), 0)
        self.assertFalse((self.top / "build").exists())

    def test_packages_that_are_too_old(self):
        self.remove("hwloc")
        self.command("apt-cache", '[ "$2" != libhwloc-dev ] || echo "  Candidate: 1:1.11.13-1"')
        lines = [line for line in self.make(code=2) if line.startswith("Too old")]
        self.assertEqual(lines, ["Too old for Inkling: libhwloc-dev 1.11.13 (2.4 or later is needed). Nothing was installed."])
        self.assertEqual(self.asked(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
