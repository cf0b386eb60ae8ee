"""Every command of the pages that people read is run: here, in a folder that has what it names, or by the test that ELSEWHERE names beside it.

A command is a line of an indented block that begins with a word of TOOLS, or an example (.Dl) of a manual page; the words behind two blanks say what it
does. What a sentence names between backquotes has to exist: the target of make, the verb of inkling, the option of mpiexec."""
import glob
import os
import re
import shutil
import tempfile

from launching import BIN, Case, main, run

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.path.dirname(BIN)
TOOLS = {"apptainer", "apt", "apt-get", "build/bin/inkling", "build/bin/mpicc", "build/bin/mpiexec", "cc", "cd", "cmake", "ctest", "docker", "export", "git",
         "inkling", "make", "mpicc", "mpicxx", "mpiexec", "mpiexec.hydra", "mpifort", "mpirun", "prterun", "python3", "srun", "sudo"}
OTHERS = "USER.md", "CLUSTER.md"  # user.py and net/cluster.py run all of theirs
# Who else runs it: the command, as a pattern of the whole; the file, and what stands in it.
ELSEWHERE = [
    ("make|make demo|make check|make tests", ".ci/prove", "tests \"make check\""),
    ("make lint", ".ci/prove", 'step "make lint"'),
    ("make format", "tests/lint/lint.py", "clang-format"),
    ("make install PREFIX=.*", "tests/install/check.sh", '"$cmake" --install "$build" --prefix'),
    ("cmake --preset release -DINKLING_TESTS=ON", "Makefile", "@cmake --preset $(PRESET) -DINKLING_TESTS=ON"),
    ("mpiexec -n 4 --hosts a,b --check ./program", "tests/net/insight.py", '"--check'),
    ("mpiexec --check -n 2 python3 script.py", "tests/real/packages.py", 'MODES = {"plain": [], "check": ["--check"]'),
    ("mpiexec -n 4 lmp -in in.lj", "tests/real/packages.py", '["lmp", "-in"'),
]
# What a command names, and what stands for it here. CTest itself would write over the log of the CTest that runs this test.
INSTEAD = [("build/bin/", ""), ("build/release/tests/mpi_p2p_order", "./program"), ("KEY=VALUE", "mpi_assert_no_any_tag=true"), ("where JOB", "where"), ("suppress:FILE", "suppress:LIST"),
           ("status NAME", "status MPI_Send"), ("[DIR]", ""), ("cmake --build build/release --target mpi_p2p_order", f"ninja -C '{BUILD}' -n mpi_p2p_order"),
           ("make check CTEST=\"-R mpi/p2p_order\"", f"grep -q mpi/p2p_order '{BUILD}/tests/CTestTestfile.cmake'"), ("make help", f"make -C '{ROOT}' help")]
PROGRAM = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ranks sum to %d\\n", sum);
    return MPI_Finalize();
}
"""


def pages():
    """Every page in Markdown, wherever it lies, and the manual pages of the commands."""
    folders = [name for name in os.listdir(ROOT) if name not in (".git", "build") and os.path.isdir(os.path.join(ROOT, name))]
    patterns = ["*.md", "docs/man/*.1", *(f"{glob.escape(folder)}/**/*.md" for folder in folders)]
    names = [os.path.relpath(path, ROOT) for pattern in patterns for path in glob.glob(os.path.join(glob.escape(ROOT), pattern), recursive=True)]
    return sorted(name for name in names if os.path.basename(name) not in (*OTHERS, "REAL.md"))  # which names what others make


def text(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def first_word(line):
    words = [word for word in line.split() if not re.match(r"[A-Z_]+=", word)]
    return words[0] if words else ""


def commands(name):
    lines = [re.sub(r"^( {4}|\.Dl )", "", line) for line in text(name).splitlines() if re.match(r"( {4}|\.Dl )\S", line)]
    lines = [re.split(r"\s{2,}| # ", line)[0].replace(r"\&", "") for line in lines if first_word(line) in TOOLS]
    return [line for line in lines if not re.match(r"(inkling|mpiexec|mpiexec[.]hydra) ?\S*:", line) and "inkling check:" not in line and "inkling advise:" not in line]


def elsewhere(command):
    return next(((file, words) for pattern, file, words in ELSEWHERE if re.fullmatch(pattern, command)), None)


class Pages(Case):
    """One folder for each page, whose commands run in their order."""

    def folder(self):
        scratch = tempfile.TemporaryDirectory(prefix="pages.")
        self.addCleanup(scratch.cleanup)
        folder = scratch.name
        for file in ("hello.c", "heat.c", "program.c"):
            with open(f"{folder}/{file}", "w", encoding="ascii") as source:
                source.write(PROGRAM)
        result = run([f"{BIN}/mpicc", "-g", "-o", "program", "program.c"], cwd=folder)
        self.assertEqual(result.code, 0, result.err)
        for copy in "heat", "server", "client", "test":
            shutil.copy(f"{folder}/program", f"{folder}/{copy}")
        insight = f"{BUILD}/lib/libinkling_insight.so"
        if os.path.exists(insight):  # a path without blanks, for LD_PRELOAD
            os.symlink(insight, f"{folder}/libinkling_insight.so")
        with open(f"{folder}/LIST", "w", encoding="ascii") as file:
            file.write("leak @ libold.so*\n")
        return folder

    def left_out(self, command):
        """Why this build or machine cannot run it; an empty string: it can."""
        if not os.path.exists(f"{BUILD}/lib/libinkling_insight.so") and re.search(r"--check|--advise|libinkling_insight|inkling advise", command):
            return "the preset library has neither --check nor --advise"
        if os.environ.get("SANITIZER") and "LD_PRELOAD" in command:
            return "a sanitizer's library must come before any other"
        if "clang" in command and not shutil.which("clang"):
            return "there is no clang"
        return ""

    def ask_make(self, command):
        """What takes too long is not run: make says what it would run, in which each value is, and with options that there are."""
        said = run(["sh", "-c", f"{command.replace('make', 'make -n', 1)} -C '{ROOT}'"]).out
        self.assertIn("mutants.py", said)
        for value in re.findall(r"\b[A-Z]+=('[^']*'|\S+)", command):
            if value != "1":
                self.assertIn(value.strip("'"), said)
        known = run(["python3", "-B", f"{ROOT}/tests/mutants/mutants.py", "--help"]).out
        self.assertLessEqual(set(re.findall(r"(?<= )--?[a-z-]+", said.split("mutants.py")[1])), set(re.findall(r"--?[a-z-]+", known)))

    def run_here(self, command, folder):
        words = command
        for old, new in INSTEAD:
            words = words.replace(old, new)
        words = words.replace("/path/lib", folder)
        result = run(["sh", "-c", words], cwd=folder, PATH=f"{BIN}:{os.environ['PATH']}")
        self.assertEqual(result.code, 0, f"{command}, as {words}: {result.out}{result.err}")
        if "./program" in words and first_word(words) == "mpiexec":
            ranks = int(re.search(r"-n (\d+)", words).group(1))
            self.assertIn(f"ranks sum to {ranks * (ranks - 1) // 2}", result.out, command)
        self.assertNotIn("Total Tests: 0", result.out, command)

    def test_commands(self):
        count = 0
        for name in pages():
            folder = None
            for command in commands(name):
                count += 1
                found = elsewhere(command)
                with self.subTest(page=name, command=command):
                    if found:
                        self.assertTrue(found[1] in text(found[0]), f"{found[0]} does not run '{command}'")
                    elif command.startswith("make mutants"):
                        self.ask_make(command)
                    elif not self.left_out(command):
                        folder = folder or self.folder()
                        self.run_here(command, folder)
        self.assertGreater(count, 55)

    def test_named(self):
        """Targets, verbs and options that sentences and tables name are there."""
        targets = set(re.findall(r"^([\w-]+):", text("Makefile"), re.M))
        verbs = set(re.findall(r"^  ?(?:inkling )?([a-z-]+)\b", run([f"{BIN}/inkling", "--help"]).out, re.M))
        options = set(re.findall(r"--[a-z-]+", run([f"{BIN}/mpiexec", "--help"]).out))
        for name in [*pages(), *(f"docs/{name}" for name in OTHERS)]:
            for said in re.findall(r"`((?:make|inkling|mpiexec) [^`]+)`", text(name)):
                tool, word = said.split()[:2]
                with self.subTest(page=name, said=said):
                    if tool == "make" and re.fullmatch(r"[a-z][\w-]*", word):
                        self.assertIn(word, targets)
                    if tool == "inkling" and re.fullmatch(r"[a-z][a-z-]*", word):
                        self.assertIn(word, verbs)
                    if tool == "mpiexec":
                        self.assertLessEqual(set(re.findall(r"(?<!\S)--[a-z-]+", said)), options)


if __name__ == "__main__":
    main()
