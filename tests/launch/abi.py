"""For which MPI a program was built, and what mpiexec and `inkling can-run` make of it.

The libraries and programs are made here: `theirs` are libraries of other MPIs, `ours` those of an installation of Inkling that lies in a
folder of the tests."""
import json
import os
import shutil
import struct
import tempfile
import unittest

from launching import BIN, Case, main, run

SYMBOLS = "int MPI_Init(void) {{ return 0; }}\nconst char *MPIX_Who(void) {{ return \"{}\"; }}\n"
PROGRAM = "#include <stdio.h>\nconst char *MPIX_Who(void);\nint main(void) { puts(MPIX_Who()); return 0; }\n"
ROOTS = {"my code": "lib/foreign", "plain": "lib/inkling/foreign"}  # as in a build, and as installed
LOADS = {"x86_64": 0x303, "aarch64": 0xa03}  # the flags of libraries that the loader takes, in its cache
NAMES = {"openmpi": ("libmpi.so.40", "libmpi_cxx.so.40"), "mpich": ("libmpich.so.12", "libmpi.so.12")}


class Abi(Case):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = os.path.realpath(cls.holder.name)
        cls.addClassCleanup(cls.holder.cleanup)
        for where in ("theirs", "old", "my code/bin", "my code/generated/include", "plain/bin"):
            os.makedirs(os.path.join(cls.folder, where))
        with open(cls.path("my code/generated/include/mpi.h"), "w", encoding="ascii"):
            pass
        for root, foreign in ROOTS.items():
            for name in ("mpiexec", "inkling"):
                shutil.copy(os.path.join(BIN, name), os.path.join(cls.folder, root, "bin"))
            for abi, names in NAMES.items():
                os.makedirs(os.path.join(cls.folder, root, foreign, abi))
                for name in names:
                    cls.library(f"{root}/{foreign}/{abi}/{name}", SYMBOLS.format("ours"))
        for name in NAMES["openmpi"] + NAMES["mpich"]:
            cls.library(f"theirs/{name}", SYMBOLS.format("theirs"))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def compile(cls, name, source, *options):
        done = run(["cc", "-x", "c", "-", "-x", "none", "-o", cls.path(name), *options], stdin=source)
        assert done.code == 0, done.err
        return cls.path(name)

    @classmethod
    def library(cls, name, source, *options):
        return cls.compile(name, source, "-shared", "-fPIC", f"-Wl,-soname,{os.path.basename(name)}", *options)

    @classmethod
    def program(cls, name, library, *options, source=PROGRAM):
        return cls.compile(name, source, cls.path(library), f"-Wl,-rpath,{cls.path(os.path.dirname(library))}", *options)

    def mpiexec(self, *words, root="my code", **more):
        return run([self.path(f"{root}/bin/mpiexec"), *words], **more)

    def can_run(self, *words, root="my code"):
        result = run([self.path(f"{root}/bin/inkling"), "can-run", *words])
        self.assertEqual(result.err, "")
        return result

    def refused(self, program, *says):
        """Nothing is started, and can-run says no for the same reason."""
        result = self.mpiexec("-n", "2", program)
        self.assertEqual((result.code, result.out), (1, ""))
        self.assert_one_line(result.err, *says)
        answer = self.can_run(program)
        self.assertEqual(answer.code, 1)
        self.assertIn("can run      no: " + result.err.removeprefix("mpiexec: "), answer.out)

    def test_each_abi(self):
        for abi, names in NAMES.items():
            for name in names:
                new = self.program("new", f"theirs/{name}", "-Wl,--enable-new-dtags")
                old = self.program("old_tags", f"theirs/{name}", "-Wl,--disable-new-dtags")
                self.assertEqual(run([new]).out, "theirs\n")
                for root in ROOTS:
                    result = self.mpiexec("-n", "2", new, root=root)
                    self.assertEqual((result.lines, result.err), (["ours", "ours"], ""), (abi, name, root))
                # RUNPATH goes behind LD_LIBRARY_PATH, RPATH before it, and LD_PRELOAD has no names with spaces.
                result = self.mpiexec("-n", "2", old, root="plain")
                self.assertEqual((result.lines, result.err), (["ours", "ours"], ""), (abi, name))
                self.assert_one_line(self.mpiexec(old).err, old, "has an RPATH", "my code", "a folder without one")
                taken = self.can_run(new).out
                self.assertIn(f"gets         {self.path('my code/lib/foreign')}/{abi}/{name}", taken)

    def test_through_a_library(self):
        """The program itself needs no MPI; a library does that is found by $ORIGIN, by LD_LIBRARY_PATH or by the path of another."""
        os.makedirs(self.path("parts"), exist_ok=True)
        self.library("parts/libinner.so", "const char *MPIX_Who(void); const char *inner(void) { return MPIX_Who(); }",
                     self.path("theirs/libmpi.so.40"), f"-Wl,-rpath,{self.path('theirs')}")
        self.library("parts/libouter.so", "const char *inner(void); const char *outer(void) { return inner(); }",
                     self.path("parts/libinner.so"), "-Wl,-rpath,${ORIGIN}")
        source = PROGRAM.replace("MPIX_Who", "outer")
        by_origin = self.compile("by_origin", source, self.path("parts/libouter.so"), "-Wl,-rpath,$ORIGIN/parts",
                                 "-Wl,-rpath-link," + self.path("parts") + ":" + self.path("theirs"))
        by_variable = self.compile("by_variable", source, self.path("parts/libouter.so"),
                                   "-Wl,-rpath-link," + self.path("parts") + ":" + self.path("theirs"))
        for program, variables in ((by_origin, {}), (by_variable, {"LD_LIBRARY_PATH": self.path("parts")})):
            result = self.mpiexec(program, **variables)
            self.assertEqual((result.out, result.err), ("ours\n", ""))
        result = self.mpiexec("-x", "LD_LIBRARY_PATH=" + self.path("parts"), by_variable)
        self.assertEqual((result.out, result.err), ("ours\n", ""))
        answer = self.can_run(by_variable)
        self.assertEqual(answer.code, 1)
        self.assertIn("needs libouter.so, which is not found", answer.out)

    def can_run_with_cache(self, cache, program):
        """What can-run says, and what the program itself, where the loader has this cache."""
        result = run(["unshare", "--mount", "--map-root-user", "sh", "-c",
                      'mount --bind "$0" /etc/ld.so.cache || exit 77; "$1" && exec "$2" can-run "$1"', cache, program,
                      self.path("my code/bin/inkling")])
        if result.code == 77 or result.err.startswith("unshare: "):
            self.skipTest("not allowed here: " + result.err.strip())
        return result

    def test_without_the_loaders_cache(self):
        """A library of the system is found where ldconfig has not run since it came, as in some containers: the loader looks in its folders then."""
        of_system = run(["cc", "-print-file-name=libz.so.1"]).out.strip()
        program = self.compile("of_system", "int main(void) { return 0; }", "-Wl,--no-as-needed", of_system)
        self.assertIn("can run      yes", self.can_run_with_cache("/dev/null", program).out)

    def test_variants_for_some_hardware(self):
        """The cache has a variant for a processor of the past, which needs an MPI, before the library for all."""
        os.makedirs(self.path("variants/of the past"), exist_ok=True)
        inner = "const char *inner(void) { return \"for all\"; }"
        for_all = self.library("variants/libinner.so", inner)
        self.library("variants/of the past/libinner.so", inner, "-Wl,--no-as-needed", self.path("theirs/libmpi.so.40"))
        program = self.compile("of_variants", PROGRAM.replace("MPIX_Who", "inner"), for_all)
        texts, entries = b"libinner.so\0", b""
        for hardware, folder in (1 << 40, "variants/of the past"), (0, "variants"):
            place = 48 + 2 * 24 + len(texts)
            texts += self.path(folder + "/libinner.so").encode() + b"\0"
            entries += struct.pack("=iIIIQ", LOADS[os.uname().machine], 48 + 2 * 24, place, 0, hardware)
        with open(self.path("cache"), "wb") as file:
            file.write(struct.pack("=20sII20x", b"glibc-ld.so.cache1.1", 2, len(texts)) + entries + texts)
        result = self.can_run_with_cache(self.path("cache"), program)
        self.assertIn("for all\n", result.out)
        self.assertNotIn("Open MPI", result.out)

    def test_behind_commands(self):
        program = self.program("behind", "theirs/libmpi.so.40")
        script = self.path("script")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nexec {program}\n")
        os.chmod(script, 0o755)
        self.assertEqual(self.mpiexec("env", "A=1", "nice", "-n", "0", program).out, "ours\n")
        self.assertEqual(self.mpiexec(script).out, "ours\n")
        self.assertEqual(self.mpiexec("--abi", "none", script).out, "theirs\n")
        self.assertEqual(self.mpiexec("--abi", "openmpi", script).out, "ours\n")
        self.assertEqual(self.mpiexec("--abi", "none", program).out, "theirs\n")
        self.assertIn("not seen     what the script starts", self.can_run(script).out)
        explained = run([self.path("plain/bin/inkling"), "explain", "mpirun", program]).out
        self.assertIn(f"built for Open MPI (libmpi.so.40); gets {self.path('plain/lib/inkling/foreign/openmpi')}/libmpi.so.40", explained)
        self.assertIn("what the script starts cannot be seen; it gets the libraries of each ABI (--abi names one)", run([self.path("plain/bin/inkling"), "explain", script]).out)
        self.assert_one_line(self.mpiexec("--abi", "lam", program).err, "--abi lam", "auto, openmpi, mpich, none")

    def test_python(self):
        """Of a Python, mpi4py is looked at, where Python looks for it."""
        def python(name, site, text="", file="MPI.abi3.so"):
            os.makedirs(self.path(f"{name}/bin"))
            os.makedirs(self.path(f"{site}/mpi4py"))
            self.library(f"{site}/mpi4py/{file}", "int MPI_Init(void); int start(void) { return MPI_Init(); }",
                         self.path("theirs/libmpich.so.12"), f"-Wl,-rpath,{self.path('theirs')}")
            command = self.path(f"{name}/bin/python3.11")
            with open(command, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n")
            os.chmod(command, 0o755)
            os.symlink("python3.11", self.path(f"{name}/bin/python3"))
            if text:
                with open(self.path(f"{name}/pyvenv.cfg"), "w", encoding="ascii") as file:
                    file.write(text)
            return self.path(f"{name}/bin/python3")

        ours = self.path("plain/lib/inkling/foreign/mpich")
        both = self.path("plain/lib/inkling/foreign/openmpi") + ":" + ours
        home = {"HOME": self.folder, "LD_LIBRARY_PATH": ""}
        for found in (python("venv", "venv/lib/python3.11/site-packages", "include-system-site-packages = false\n"),
                      python("debian", "debian/lib/python3/dist-packages")):
            self.assertEqual(self.mpiexec(found, "x.py", root="plain", **home).out, ours + "\n")
        plain = python("without", "elsewhere")
        self.assertEqual(self.mpiexec(plain, root="plain", **home).out, both + "\n")
        self.assertEqual(self.mpiexec(plain, root="plain", PYTHONPATH="/nowhere:" + self.path("elsewhere"), **home).out, ours + "\n")
        os.makedirs(self.path("without/lib/python3.11/site-packages"))
        with open(self.path("without/lib/python3.11/site-packages/a.pth"), "w", encoding="ascii") as file:
            file.write(f"import sys\n{self.path('elsewhere')}\n")
        self.assertEqual(self.mpiexec(plain, root="plain", **home).out, ours + "\n")
        script = self.path("x.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/usr/bin/env {self.path('venv/bin/python3')}\n")
        os.chmod(script, 0o755)
        self.assertEqual(self.mpiexec(script, root="plain", **home).out, ours + "\n")

    def test_python_modules(self):
        """A module that needs an MPI itself goes before an mpi4py that is installed, where Python finds it first."""
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("lib/python3/dist-packages/mpi4py"))
        os.makedirs(self.path("modules"))
        self.library("lib/python3/dist-packages/mpi4py/MPI.abi3.so", "int MPI_Init(void); int start(void) { return MPI_Init(); }",
                     self.path("theirs/libmpich.so.12"), f"-Wl,-rpath,{self.path('theirs')}")
        self.library("modules/native.so", "const char *MPIX_Who(void); const char *who(void) { return MPIX_Who(); }",
                     self.path("theirs/libmpi.so.40"), f"-Wl,-rpath,{self.path('theirs')}")
        self.library("modules/another.so", "int another(void) { return 0; }")
        python, script = self.path("bin/python3"), self.path("modules/x.py")
        with open(python, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n")
        os.chmod(python, 0o755)
        folders = {name: self.path(f"plain/lib/inkling/foreign/{name}") + "\n" for name in ("mpich", "openmpi")}
        home = {"HOME": self.folder, "LD_LIBRARY_PATH": ""}
        self.assertEqual(self.mpiexec(python, "x.py", root="plain", **home).out, folders["mpich"])
        self.assertEqual(self.mpiexec(python, script, root="plain", **home).out, folders["openmpi"])
        self.assertEqual(self.mpiexec(python, "x.py", root="plain", PYTHONPATH=self.path("modules"), **home).out, folders["openmpi"])
        os.makedirs(self.path("beside"))
        os.rename(self.path("lib/python3/dist-packages/mpi4py"), self.path("beside/mpi4py"))
        self.assertEqual(self.mpiexec(python, self.path("beside/x.py"), root="plain", PYTHONPATH=self.path("modules"), **home).out, folders["mpich"])
        self.assertEqual(self.mpiexec("env", "PYTHONPATH=" + self.path("modules"), python, "-c", "1", root="plain", **home).out,
                         folders["openmpi"])

    def test_two_mpis(self):
        self.library("theirs/libother.so", "const char *MPIX_Who(void); const char *other(void) { return MPIX_Who(); }",
                     self.path("theirs/libmpich.so.12"))
        both = self.program("both", "theirs/libmpi.so.40", self.path("theirs/libother.so"), "-Wl,--no-as-needed", self.path("theirs/libother.so"),
                            "-Wl,-rpath-link," + self.path("theirs"))
        self.refused(both, f"'{both}' needs libmpi.so.40", "theirs/libother.so' needs libmpich.so.12", "two MPI libraries")

    def test_static(self):
        source = "int PMPI_Init(void) { return 0; }\nint main(void) { return PMPI_Init(); }\n"
        try:
            static = self.compile("static", source, "-static")
        except AssertionError:
            self.skipTest("no static C library here")
        self.refused(static, static, "has an MPI library in it, linked statically", "mpicc")
        other = self.compile("static_other", source.replace("PMPI_Init", "nothing"), "-static")
        self.assertEqual((self.mpiexec(other).code, self.can_run(other).code), (0, 0))

    def test_another_c_library(self):
        musl = self.program("musl", "theirs/libmpich.so.12", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
        self.refused(musl, "musl", "glibc")

    def test_old_abis(self):
        for name, source, says in (("libmpi.so.20", SYMBOLS.format("old"), "an older or newer Open MPI"),
                                   ("libmpich.so.10", SYMBOLS.format("old"), "an older or newer MPICH"),
                                   ("libmpi.so.12", SYMBOLS.format("old") + "int ompi_mpi_comm_world;", "Open MPI 1.10")):
            self.library(f"old/{name}", source)
            program = self.program("for_old", f"old/{name}", source=PROGRAM + (
                "extern int ompi_mpi_comm_world; int *use(void) { return &ompi_mpi_comm_world; }" if "int ompi" in source else ""))
            self.refused(program, f"needs {name}, of {says}", "libmpi.so.40", "libmpi.so.12")

    def test_versions_of_symbols(self):
        script = self.path("versions.map")
        with open(script, "w", encoding="ascii") as file:
            file.write("X_2.0 { global: MPI_Init; MPIX_Who; local: *; };\n")
        self.library("old/libmpi_cxx.so.40", SYMBOLS.format("versioned"), f"-Wl,--version-script={script}")
        program = self.program("versioned", "old/libmpi_cxx.so.40")
        self.refused(program, "needs version X_2.0 of symbols of libmpi_cxx.so.40", "Inkling's has none")
        path = self.path("my code/lib/foreign/openmpi/libmpi_cxx.so.40")
        kept = path + ".kept"
        os.rename(path, kept)
        try:
            with open(script, "w", encoding="ascii") as file:
                file.write("X_1.0 { global: MPI_Init; MPIX_Who; local: *; };\n")
            self.library("my code/lib/foreign/openmpi/libmpi_cxx.so.40", SYMBOLS.format("ours"), f"-Wl,--version-script={script}")
            self.refused(program, "needs version X_2.0 of symbols of libmpi_cxx.so.40", "X_1.0")
        finally:
            os.replace(kept, path)

    def test_without_a_library(self):
        """An Inkling that has none for this ABI says so, and the program runs with its own."""
        os.makedirs(self.path("bare/bin"))
        for name in ("mpiexec", "inkling"):
            shutil.copy(os.path.join(BIN, name), self.path("bare/bin"))
        program = self.program("alone", "theirs/libmpi.so.40")
        result = self.mpiexec(program, root="bare")
        self.assertEqual((result.code, result.out), (0, "theirs\n"))
        self.assert_one_line(result.err, "is built for Open MPI (libmpi.so.40), for which this Inkling has no library")
        self.assertEqual(self.mpiexec("--quiet", program, root="bare").err, "")
        answer = self.can_run(program, root="bare")
        self.assertEqual(answer.code, 1)
        self.assertIn("can run      no: this Inkling has no libmpi.so.40 for programs of Open MPI", answer.out)

    def test_missing_symbols(self):
        self.library("old/libmpi.so.40", SYMBOLS.format("x") + "int MPI_New(void) { return 0; }\nlong ompi_mpi_int;\n")
        program = self.program("new_calls", "old/libmpi.so.40", source="int MPI_Init(void); int MPI_New(void); extern long ompi_mpi_int; "
                               "int other(void) { return 0; } int main(void) { return MPI_Init() + MPI_New() + (int)ompi_mpi_int; }")
        answer = self.can_run(program)
        self.assertEqual(answer.code, 1)
        self.assertIn("symbols      3 used, 2 missing\nmissing      MPI_New\n             ompi_mpi_int\n", answer.out)
        found = json.loads(self.can_run("--json", program).out)
        self.assertEqual((found["abi"], found["needs"], found["needed_by"], found["can_run"]), ("openmpi", "libmpi.so.40", program, False))
        self.assertEqual((found["used"], found["missing"]), (["MPI_Init", "MPI_New", "ompi_mpi_int"], ["MPI_New", "ompi_mpi_int"]))
        good = json.loads(self.can_run(self.program("good", "theirs/libmpi.so.12"), "--json").out)
        self.assertEqual((good["abi"], good["used"], good["missing"], good["can_run"], good["why_not"]), ("mpich", ["MPIX_Who"], [], True, None))
        no_mpi = json.loads(self.can_run("/bin/sh", "--json").out)
        self.assertEqual((no_mpi["abi"], no_mpi["can_run"]), (None, True))
        absent = run([os.path.join(BIN, "inkling"), "can-run", "no-such-program"])
        self.assertEqual(absent.code, 1)
        self.assert_one_line(absent.err, "there is no program 'no-such-program'")

    def test_broken_files(self):
        """Programs with a part missing, or other bytes in their headers, are looked at without harm."""
        with open(self.program("whole", "theirs/libmpi.so.40"), "rb") as file:
            whole = file.read()
        broken = [whole[:size] for size in (0, 1, 20, 63, 64, 65, 200, 700, len(whole) // 2, len(whole) - 100)]
        broken += [whole[:at] + b"\xff" * 4 + whole[at + 4:] for at in (16, 32, 40, 52, 54, 58, 60, *range(64, 800, 56))]
        dynamic = whole.index(b"libmpi.so.40\0")
        broken += [whole[:dynamic] + b"\xff" * (len(whole) - dynamic)]
        for content in broken:
            path = self.path("broken")
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, 0o755)
            result = run([os.path.join(BIN, "inkling"), "can-run", path])
            self.assertIn(result.code, (0, 1), result.err)
            self.assertIn("can run", result.out)


if __name__ == "__main__":
    main()
