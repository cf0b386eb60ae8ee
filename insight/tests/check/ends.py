"""ends.py BIN: what `mpiexec --check` has seen is told however the job ends, once and in one order, and in each form that is asked for."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
CODE_FOUND = 66
HEAD = """#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, x, y, z;
static float f;
static MPI_Request request;
static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
static void die(const char *how)
{
    if (strcmp(how, "store") == 0)
        *(volatile int *)8 = 1; // STORE
    if (strcmp(how, "memset") == 0)
        memset((void *)(long)(x + 8), 1, 100000); // MEMSET
    if (strcmp(how, "abort") == 0)
        abort(); // ABORT
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "divide") == 0)
        x = 7 / *(volatile int *)&y; // DIVIDE
    if (strcmp(how, "MPI_Abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
}
int main(int argc, char **argv)
{
    begin();
"""
TAIL = """
    MPI_Finalize();
    return 0;
}
"""
MISMATCH = """
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // FAULT
"""
DEATH = MISMATCH + """
    if (rank == 1)
        die(argv[1]);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
"""
WAIT = """
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request); // POSTED
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&y, 1, MPI_INT, 0, 8, MPI_COMM_WORLD); // SENT
        MPI_Recv(&y, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
"""
WAIT_ELSEWHERE = """
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request); // POSTED
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&y, 1, MPI_INT, 0, 7, other); // SENT
        MPI_Recv(&y, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
"""
LOST = """
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); // SENT
"""
SWAPPED = """
    MPI_Request both[2];
    if (rank == 0) {
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[0]);
        MPI_Ibcast(&z, 1, MPI_INT, 0, MPI_COMM_WORLD, &both[1]);
    } else {
        MPI_Ibcast(&z, 1, MPI_INT, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[1]);
    }
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
"""
# Ranks 2 and 3 find theirs before rank 1 does.
LATER = """
    if (rank == 0) {
        for (int to = 3; to > 0; to--)
            MPI_Ssend(&x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
"""


class Ends(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def build(self, body):
        self.text = HEAD + body + TAIL
        (self.folder / "program.c").write_text(self.text, encoding="utf-8")
        subprocess.run([BIN / "mpicc", "-g", "-O0", "-w", "program.c", "-o", "program"], cwd=self.folder, check=True)

    def line(self, mark):
        return next(number for number, text in enumerate(self.text.splitlines(), 1) if text.endswith("// " + mark))

    def start(self, *words, ranks=2, check=("--check=json:report.json",), limit=60):
        return subprocess.run([BIN / "mpiexec", "-n", str(ranks), "--timeout", str(limit), *check, "./program", *words], cwd=self.folder, text=True,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True)

    def findings(self, *words, ranks=2):
        done = self.start(*words, ranks=ranks)
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["findings"], done

    def test_deaths(self):
        self.build(DEATH)
        for how in "store", "memset", "abort", "divide", "exit", "_exit", "kill":
            with self.subTest(how):
                found, done = self.findings(how)
                lines = {f["class"]: f["where"]["line"] for f in found}
                died = self.line(how.upper()) if how in ("store", "memset", "abort", "divide") else self.line("FAULT")
                self.assertEqual(lines, {"type-mismatch": self.line("FAULT"), "crash": died}, done)
                self.assertEqual([f["ranks"] for f in found], ["1", "1"])
                self.assertEqual(done.returncode, 3 if "exit" in how else {"abort": 134, "divide": 136, "kill": 137}.get(how, 139))

    def test_an_abort_of_the_program(self):
        """It is no crash: what was seen before is told, and nothing else."""
        self.build(DEATH)
        found, done = self.findings("MPI_Abort")
        self.assertEqual([(f["class"], f["where"]["line"]) for f in found], [("type-mismatch", self.line("FAULT"))], done)
        self.assertEqual(done.returncode, 4)

    def test_a_report_that_cannot_be_written(self):
        self.build(MISMATCH)
        for form in "json", "sarif":
            done = self.start(check=[f"--check={form}:nowhere/report"])
            self.assertEqual(done.returncode, CODE_FOUND)
            self.assertIn("cannot write nowhere/report: No such file or directory", done.stderr)
            self.assertRegex(done.stderr, r"type-mismatch: .*\n +at program.c:%d " % self.line("FAULT"))
        self.build("")
        done = self.start(check=["--check=sarif:nowhere/report"])
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("inkling check: nothing was found", done.stderr)

    def test_several_forms(self):
        self.build(MISMATCH)
        for check in ["--check=json:a,b.json", "--check=sarif:c", "--check"], ["--check=json:a,b.json,sarif:c,text"]:
            done = self.start(check=check)
            self.assertEqual(done.returncode, CODE_FOUND)
            self.assertEqual(len(json.loads((self.folder / "a,b.json").read_text(encoding="utf-8"))["findings"]), 1)
            self.assertEqual(json.loads((self.folder / "c").read_text(encoding="utf-8"))["version"], "2.1.0")
            self.assertIn("inkling check: type-mismatch: ", done.stderr)
            for name in "a,b.json", "c":
                (self.folder / name).unlink()
        done = self.start(check=["--check=json:a,sarif:"])
        self.assertNotEqual(done.returncode, CODE_FOUND)
        self.assertIn("sarif:FILE or suppress:FILE is needed", done.stderr)

    def test_what_the_program_was_called_by(self):
        """Its places have lines where it was found by PATH, and when it has left its folder."""
        self.build('chdir("/");' + MISMATCH)
        for program in "program", "./program":
            done = subprocess.run([BIN / "mpiexec", "-n", "2", "--timeout", "60", "--check", program], cwd=self.folder, text=True, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"})
            self.assertIn(f"at program.c:{self.line('FAULT')} ", done.stderr)

    def test_who_ends_the_job(self):
        self.build("MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
        _, done = self.findings()
        self.assertEqual(done.returncode, CODE_FOUND)
        self.assertNotIn("MPI_Abort", done.stderr)
        self.assertIn("--check ends the job: its ranks wait for each other", done.stderr)
        self.build("MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);")
        _, done = self.findings()
        self.assertNotIn("MPI_Abort", done.stderr)
        self.assertIn("an error ends the job", done.stderr)
        self.build("MPI_Abort(MPI_COMM_WORLD, 9);")
        _, done = self.findings()
        self.assertIn("MPI_Abort(MPI_COMM_WORLD, 9) was called", done.stderr)

    def test_all_compute(self):
        """Where no rank is in a call nobody waits, however long it takes."""
        self.build("sleep(60);")
        done = self.start(limit=8)
        self.assertEqual(done.returncode, 124, done)
        self.assertEqual(json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["findings"], [])

    def test_what_is_waited_for(self):
        self.build(WAIT)
        found, _ = self.findings()
        self.assertEqual([f["class"] for f in found], ["deadlock"])
        self.assertRegex(found[0]["text"], r"MPI_Irecv from rank 1 with tag 7, posted at program.c:%d " % self.line("POSTED"))
        self.assertRegex(found[0]["text"], r"from rank 1 with tag 8 is unexpected there, sent at program.c:%d " % self.line("SENT"))

    def test_what_waits_on_another_communicator(self):
        self.build(WAIT_ELSEWHERE)
        found, _ = self.findings()
        self.assertEqual([f["class"] for f in found], ["deadlock"])
        self.assertRegex(found[0]["text"], r"MPI_Irecv from rank 1 with tag 7, posted at program.c:%d " % self.line("POSTED"))
        self.assertRegex(found[0]["text"], r'with tag 7 of another communicator is unexpected there, sent at program.c:%d ' % self.line("SENT"))

    def test_whose_message_is_lost(self):
        self.build(LOST)
        found, _ = self.findings()
        self.assertEqual([(f["class"], f["where"]["line"], f["ranks"]) for f in found], [("lost-message", self.line("SENT"), "0")])

    def test_one_fault_is_one_finding(self):
        self.build(SWAPPED)
        found, done = self.findings()
        self.assertEqual([f["class"] for f in found], ["collective-mismatch"], done)

    def test_order(self):
        self.build(LATER)
        for _ in range(3):
            found, _ = self.findings(ranks=4)
            self.assertEqual([f["ranks"] for f in found], ["1", "2", "3"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
