"""mpicc, mpicxx, mpic++, mpiCC and the inkling command."""
import json
import os
import re
import shlex
import shutil
import tempfile

from launching import BIN, MPIEXEC, Case, main, run

HELLO = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("hello\\n");
    MPI_Finalize();
    return 0;
}
"""


def command(name, *arguments, **options):
    return run([os.path.join(BIN, name), *arguments], **options)


class Folder(Case):
    """Programs to compile, in a folder that goes with the test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("hello.c", "hello.cpp"):
            with open(os.path.join(self.folder.name, name), "w", encoding="ascii") as source:
                source.write(HELLO)


class Wrappers(Folder):
    def build_and_run(self, wrapper, *arguments, **env):
        result = command(wrapper, *arguments, cwd=self.folder.name, **env)
        self.assertEqual((result.code, result.out, result.err), (0, "", ""))
        result = run([MPIEXEC, "-n", "2", "./hello"], cwd=self.folder.name)
        self.assertEqual((result.code, result.out), (0, "hello\nhello\n"), result.err)

    def test_one_step(self):
        self.build_and_run("mpicc", "-Wall", "-Werror", "hello.c", "-o", "hello")

    def test_two_steps(self):
        self.assertEqual(command("mpicc", "-c", "hello.c", cwd=self.folder.name).code, 0)
        self.build_and_run("mpicc", "-o", "hello", "hello.o")

    def test_library_named(self):
        """-lmpi, which hypre's configure adds for every MPI, is not the library that another one has in the system's folder."""
        self.build_and_run("mpicc", "hello.c", "-o", "hello", "-lmpi")
        needed = run(["readelf", "-d", os.path.join(self.folder.name, "hello")]).out
        self.assertEqual(re.findall(r"\[(lib\w*mpi\S*)\]", needed), ["libmpi_abi.so.1"])

    def test_cxx(self):
        for wrapper in ("mpicxx", "mpic++", "mpiCC"):
            self.build_and_run(wrapper, "hello.cpp", "-o", "hello")

    def test_fortran(self):
        if not os.path.exists(os.path.join(BIN, "mpifort")):
            self.skipTest("this build has no Fortran")
        for wrapper in ("mpifort", "mpif77", "mpif90"):
            words = shlex.split(command(wrapper, "-show", "x.f90").out)
            self.assertEqual(words[-2:], ["-lmpifort_abi", "-lmpi_abi"])
        self.assertTrue(command("mpifort", "-show", "x.f90", INKLING_FC="flang -O1").out.startswith("flang -O1 -I"))
        self.assertTrue(command("mpifort", "-show", "-fc=other", "x.f90").out.startswith("other -I"))
        self.assertEqual(command("mpifort", "-showme:libs").out.split(), ["mpifort_abi", "mpi_abi"])

    def test_what_was_removed_in_fortran(self):
        """Linked only where it is asked for; compiled by itself as well."""
        if not os.path.exists(os.path.join(BIN, "mpifort")):
            self.skipTest("this build has no Fortran")
        source = os.path.join(self.folder.name, "old.f")
        with open(source, "w", encoding="utf-8") as f:
            f.write("      program old\n      include 'mpif.h'\n      integer e, i\n      real x\n      call MPI_INIT(i)\n"
                    "      call MPI_ADDRESS(x, e, i)\n      call MPI_ADDRESS(e, e, i)\n      call MPI_TYPE_EXTENT(MPI_REAL, e, i)\n      end\n")
        old = os.path.join(self.folder.name, "old.o")
        self.assertEqual(command("mpifort", "-c", source, "-o", old).code, 0)
        refused = command("mpifort", old, "-o", old + ".x")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("mpi_type_extent_", refused.out + refused.err)
        for source in (source, old):
            self.assertEqual(command("mpifort", "-DINKLING_REMOVED", source, "-o", old + ".x").code, 0)
        self.assertNotIn("removed.a", command("mpifort", "-show", "-DINKLING_REMOVED", "-c", source).out)

    def test_show(self):
        words = shlex.split(command("mpicc", "-show", "-O2", "a b.c", "-o", "x").out)
        self.assertEqual((words[0], words[-1]), ("cc", "-lmpi_abi"))
        self.assertTrue(words[1].startswith("-I/"))
        self.assertIn("a b.c", words)
        self.assertLess(words.index("x"), [i for i, w in enumerate(words) if w.startswith("-L")][0])
        self.assertNotIn("-lmpi_abi", command("mpicc", "-show", "-c", "x.c").out)

    def test_info(self):
        compile_info, link_info = (" ".join(shlex.split(command("mpicc", option).out)) for option in
                                   ("-compile-info", "-link-info"))
        self.assertIn("-I/", compile_info)
        self.assertNotIn("-lmpi", compile_info)
        self.assertIn("-lmpi_abi", link_info)
        self.assertIn("-Wl,-rpath,/", link_info)
        self.assertEqual(command("mpicxx", "-show").out.split()[0], "c++")
        self.assertTrue(shlex.split(command("mpicc", "-showme:compile").out)[0].startswith("-I/"))

    def test_single_things(self):
        """What configure scripts and FindMPI ask for, in the words of both peers."""
        for dash in ("-", "--"):
            for show in ("show", "showme"):
                def part(name, wrapper="mpicc"):
                    result = command(wrapper, f"{dash}{show}:{name}")
                    self.assertEqual((result.code, result.err), (0, ""))
                    return result.out.rstrip("\n")
                incdirs, libdirs = (shlex.split(part(name)) for name in ("incdirs", "libdirs"))
                self.assertEqual(shlex.split(part("compile")), [f"-I{incdirs[0]}"])
                self.assertTrue(os.path.exists(os.path.join(incdirs[0], "mpi.h")))
                self.assertTrue(os.path.exists(os.path.join(libdirs[0], "libmpi_abi.so")))
                self.assertEqual(part("libs"), "mpi_abi")
                self.assertEqual(shlex.split(part("link")), [f"-L{libdirs[0]}", f"-Wl,-rpath,{libdirs[0]}", "-lmpi_abi"])
                self.assertEqual((part("command"), part("command", "mpicxx")), ("cc", "c++"))
                self.assertRegex(part("version"), r"^mpicc: Inkling [\d.]+ \(Language: C\)$")
                self.assertRegex(part("version", "mpiCC"), r"^mpiCC: Inkling [\d.]+ \(Language: C\+\+\)$")
        whole = command("mpicc", "-show", "x.c").out
        self.assertEqual(command("mpicc", "-showme", "x.c").out, whole)
        self.assertEqual(command("mpicc", "-compile_info").out, command("mpicc", "-compile-info").out)
        self.assertEqual(command("mpicc", "-link_info").out, command("mpicc", "-link-info").out)
        result = command("mpicc", "-showme:libraries")
        self.assertEqual((result.code, result.out), (1, ""))
        self.assert_one_line(result.err, "-showme:libraries", "-help")
        self.assertIn("--help is the compiler's", command("mpicc", "-help").out)
        self.assertEqual(command("mpicc", "--help").out, run(["cc", "--help"]).out)  # by which PETSc's configure knows gcc

    def test_compiler_named(self):
        """The option before our variable, ours before those of MPICH and Open MPI; each for its language."""
        peers = {"MPICH_CC": "mpich-cc", "OMPI_CC": "ompi-cc", "MPICH_CXX": "mpich-c++", "OMPI_CXX": "ompi-c++"}
        first = lambda wrapper, *words, **env: command(wrapper, *words, "-show", "x", **env).out.split()[0]
        self.assertEqual(first("mpicc", "-cc=a", INKLING_CC="b", **peers), "a")
        self.assertEqual(first("mpicc", INKLING_CC="b", **peers), "b")
        self.assertEqual(first("mpicc", INKLING_CC="", **peers), "mpich-cc")
        self.assertEqual(first("mpicc", OMPI_CC="ompi-cc"), "ompi-cc")
        self.assertEqual(first("mpicxx", "-cxx=a", INKLING_CXX="b", **peers), "a")
        self.assertEqual(first("mpicxx", INKLING_CC="b", **peers), "mpich-c++")
        self.assertEqual(first("mpicxx", OMPI_CXX="ompi-c++"), "ompi-c++")
        self.assertNotIn("-cc=", command("mpicc", "-cc=a", "-show", "x").out)
        self.build_and_run("mpicc", "-cc=gcc", "hello.c", "-o", "hello")

    def test_version_in_header(self):
        """mpi.h and the commands tell one version."""
        with open(os.path.join(self.folder.name, "version.c"), "w", encoding="ascii") as source:
            source.write("#include <mpi.h>\nVERSION INKLING_VERSION_MAJOR INKLING_VERSION_MINOR INKLING_VERSION_PATCH "
                         "INKLING_VERSION\n")
        out = command("mpicc", "-E", "-P", "version.c", cwd=self.folder.name).out
        words = re.search(r"VERSION (\d+) (\d+) (\d+) \"(.*)\"", out).groups()
        self.assertEqual(".".join(words[:3]), words[3])
        for name in ("inkling", "mpiexec"):
            self.assertIn(words[3], command(name, "--version").out)
        self.assertIn(words[3], command("mpicc", "-showme:version").out)

    def test_pass_through(self):
        self.assertEqual(command("mpicc", "--version").out, run(["cc", "--version"]).out)
        self.assertEqual(command("mpicc", "-V").err, run(["cc", "-V"]).err)
        self.assertEqual(command("mpicc", "-dumpmachine").out, run(["cc", "-dumpmachine"]).out)
        result = command("mpicc", "no-such-file.c", cwd=self.folder.name)
        self.assertNotEqual(result.code, 0)
        self.assertIn("no-such-file.c", result.err)

    def test_no_such_compiler(self):
        result = command("mpicc", "x.c", INKLING_CC="no-such-compiler")
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "no-such-compiler", "INKLING_CC")

    def test_through_a_link(self):
        os.symlink(os.path.join(BIN, "mpicc"), os.path.join(self.folder.name, "mpicc"))
        self.assertEqual(run([os.path.join(self.folder.name, "mpicc"), "-link-info"]).out,
                         command("mpicc", "-link-info").out)


class OtherCompiler(Folder):
    def setUp(self):
        if not shutil.which("clang"):
            self.skipTest("no clang here")
        super().setUp()

    def test_other_compiler(self):
        self.assertTrue(command("mpicc", "-show", "x.c", INKLING_CC="clang -O1").out.startswith("clang -O1 -I"))
        self.assertTrue(command("mpicxx", "-show", "x.cc", INKLING_CXX="g++ -O1").out.startswith("g++ -O1 -I"))
        result = command("mpicc", "-c", "-Werror", "hello.c", INKLING_CC="clang", cwd=self.folder.name)
        self.assertEqual((result.code, result.err), (0, ""))


class Inkling(Case):
    def test_help(self):
        for words in ([], ["--help"], ["help"], ["-h"]):
            result = command("inkling", *words)
            self.assertEqual((result.code, result.err), (0, ""))
            for verb in ("status", "hints", "info"):
                self.assertIn(f"inkling {verb}", result.out)

    def test_vars(self):
        result = command("inkling", "vars", INKLING_SPIN_TIME="7ms")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertRegex(result.out, r"cvar +inkling_spin_time +7ms ")
        self.assertRegex(result.out, r"cvar +inkling_comm_eager_limit +4K +comm ")
        self.assertRegex(result.out, r"pvar +inkling_eager_messages +counter ")
        self.assertRegex(result.out, r"event +inkling_large_message +event +comm ")
        rows = json.loads(command("inkling", "vars", "--json", "unexpected_queue").out)
        self.assertEqual({(row["name"], row["class"], row["binding"]) for row in rows},
                         {(name, what, of) for name, of in (("inkling_unexpected_queue", "none"),
                                                            ("inkling_comm_unexpected_queue", "communicator"))
                          for what in ("level", "highwatermark", "lowwatermark")})
        self.assert_one_line(command("inkling", "vars", "nosuchword").err, "no variable's name or text has 'nosuchword'")
        self.assert_one_line(command("inkling", "help", "--json").err, "there is no JSON of 'help'")

    def test_json(self):
        """The same as the text says."""
        def answer(*words):
            result = command("inkling", *words, "--json")
            self.assertEqual((result.code, result.err), (0, ""))
            return json.loads(result.out)

        status, text = answer("status"), command("inkling", "status").out
        for chapter in status["chapters"]:
            self.assertRegex(text, rf"(?m)^( ?{chapter['number']}  )?{re.escape(chapter['chapter'])} +"
                                   rf"{chapter['work']} +{chapter['of']}\b")
        self.assertEqual(status["chapters"][-1]["of"], 676)
        self.assertEqual("ofi" in status["transports"], status["libfabric"] is not None)
        send = answer("status", "mpi_send")
        self.assertEqual((send["procedure"], send["works"], send["body"]), ("MPI_Send", True, "p2p_send"))
        coll, text = answer("coll"), command("inkling", "coll").out
        for row in coll["algorithms"]:
            self.assertRegex(text, rf"(?m)^{row['collective']} +{row['algorithm']} +{re.escape(row['text'])}")
        self.assertEqual(text.count("\n") - 9, len(coll["algorithms"]) + len(coll["rules"]))
        files, text = answer("io", "8"), command("inkling", "io", "8").out
        self.assertEqual(files["ranks"], 8)
        for row in files["accesses"]:
            way = {"buffered": "through buffers", "independent": "each rank for itself"}[row["way"]]
            self.assertRegex(text, rf"(?m)^ +{row['block']}  {row['access']} .* {way}$")
        info = answer("info")
        self.assertEqual((info["mpi"], info["commands"], info["complete"]), ("5.0", BIN, True))

    def test_help_of_verbs(self):
        for line in command("inkling", "help").out.splitlines():
            if line.startswith("  inkling "):
                verb = line.split()[1]
                result = command("inkling", verb, "--help")
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertIn(f"inkling {verb}", result.out)

    def test_man_page(self):
        """The verbs and options of the manual page are those of the help, and each verb's line says what it takes."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "man", "inkling.1")
        with open(page, encoding="ascii") as file:
            synopsis, _, described = file.read().partition(".Sh DESCRIPTION")
        verbs = dict(re.findall(r"^  inkling ([\w-]+) +(?:\[(\S+)\] )? *\S", command("inkling", "help").out, re.M))
        helps = "".join(command("inkling", *words).out for words in (["help"], *([verb, "--help"] for verb in verbs)))
        self.assertGreater(len(verbs), 8)
        self.assertEqual(re.findall(r"^\.It Cm ([\w-]+)", described, re.M), list(verbs))
        self.assertEqual(list(dict.fromkeys(re.findall(r"^\.Cm ([\w-]+)", synopsis, re.M))), list(verbs))
        self.assertEqual(set(re.findall(r"Fl -(\w+)", synopsis)), set(re.findall(r"(?<!mpiexec )(?<!mpicc )--(\w+)", helps)))
        for verb, takes in verbs.items():
            words = re.search(rf"^\.Cm {verb}((?: Op Ar .*)?)$", synopsis, re.M)[1].lower()
            self.assertEqual([word for word in takes.lower().split("|") if word.replace("mpi_name", "procedure") not in words], [])
            self.assertEqual(bool(words), bool(takes), verb)

    def test_hints_search(self):
        result = command("inkling", "hints", "overtaking")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("  mpi_assert_allow_overtaking ", result.out)
        self.assertNotIn("no_locks", result.out)
        rows = json.loads(command("inkling", "hints", "--json").out)
        self.assertGreater(len(rows), 60)
        self.assertEqual([row["default"] for row in rows if row["key"] == "no_locks"], ["false"])

    def test_status(self):
        result = command("inkling", "status")
        rows = [line[58:].split() for line in result.out.splitlines() if line[:2].strip().isdigit()]
        totals = [sum(map(int, column)) for column in zip(*rows)]
        self.assertEqual(totals[1], 676)
        self.assertIn(f"{totals[0]:9}{totals[1]:8}", result.out)
        if os.path.exists(os.path.join(BIN, "mpifort")):
            self.assertEqual(len(totals), 5)
            self.assertTrue(430 <= totals[2] == totals[3] < 580 <= totals[4], totals)
            for row in rows:  # but for the tool interface and the conversions of handles
                self.assertTrue(row[4] == row[1] or row[1] in ("52", "28"), row)
            self.assertIn("".join(f"{n:{width}}" for n, width in zip(totals, (9, 8, 10, 8, 9))) + "\n", result.out)
            self.assertIn("with mpif.h, mpi, mpi_f08\n", command("inkling", "status", "MPI_Send").out)
            self.assertIn("with mpi_f08\n", command("inkling", "status", "MPI_Send_c").out)
            self.assertIn("in Fortran: MPI_File_get_type_extent(fh, datatype, extent, ierror), with mpi_f08\n",
                          command("inkling", "status", "MPI_File_get_type_extent_c").out)
            self.assertIn("in C alone\n", command("inkling", "status", "MPI_T_init_thread").out)
        else:
            self.assertEqual(len(totals), 2)
            self.assertIn("; this build has none of these\n", command("inkling", "status", "MPI_Send").out)
        self.assertIn("works", command("inkling", "status", "mpi_init").out)
        self.assert_one_line(command("inkling", "status", "MPI_Sendd").err, "did you mean MPI_Send")
        self.assert_one_line(command("inkling", "status", "psend_init").err, "did you mean MPI_Psend_init?")

    def test_transports(self):
        """What the headers that were found say, in the first lines of both."""
        for verb in "status", "doctor":
            transports, launchers = command("inkling", verb).out.split("\n\n")[0].splitlines()[:2]
            for line, module, name, least in ((transports, "libfabric", "ofi", "1.17"), (launchers, "pmix", "PMIx", "3.0")):
                found = run(["pkg-config", "--modversion", f"{module} >= {least}"])
                there = f", {name} (lib{module.removeprefix('lib')} {found.out.strip()})"
                absent = f"; not {name}"
                self.assertIn(absent if found.code else there, line)
                if found.code:
                    self.assertIn(f"(apt install lib{module.removeprefix('lib')}-dev; make)", line)
        self.assertTrue(transports.startswith("transports: self, shm"))

    def test_hints(self):
        self.assertIn("mpi_assert_no_any_tag", command("inkling", "hints").out)
        self.assertIn("MPI-4.0", command("inkling", "hints", "mpi_assert_no_any_tag").out)
        result = command("inkling", "hints", "mpi_assert_no_any_tga")
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "did you mean mpi_assert_no_any_tag")

    def test_info(self):
        result = command("inkling", "info")
        self.assertEqual(result.code, 0)
        for word in ("MPI 5.0", "libmpi_abi.so.1", BIN):
            self.assertIn(word, result.out)

    def test_bad_verb(self):
        result = command("inkling", "stats")
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "'stats'", "did you mean status")
        self.assert_one_line(command("inkling", "info", "x").err, "'x'")


if __name__ == "__main__":
    main()
