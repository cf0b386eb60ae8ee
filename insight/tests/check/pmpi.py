"""pmpi.py BIN: a tool of the program's own, which has MPI_ names and calls PMPI_, sees each call once under `mpiexec --check` and
`--advise`, wherever it lies; checks and advice see the program, too, and their own calls stay unseen."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
TOOL = """#include <mpi.h>
#include <stdio.h>
static int inits, ranks, sends, receives, reduces, dups;
static MPI_Comm own;
int MPI_Init(int *argc, char ***argv)
{
    int error = PMPI_Init(argc, argv);
    inits++;
    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    return error;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ranks++;
    return PMPI_Comm_rank(comm, rank);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    dups++;
    return PMPI_Comm_dup(comm, made);
}
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    receives++;
    return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    reduces++;
    PMPI_Barrier(own);
    return PMPI_Allreduce(from, to, count, datatype, op, comm);
}
int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_free(&own);
    printf("%d: %d %d %d %d %d %d\\n", rank, inits, ranks, dups, sends, receives, reduces);
    fflush(stdout);
    return PMPI_Finalize();
}
"""
PROGRAM = """#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x[3] = {1, 1, 1}, sum;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        if (rank == 0)
            MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(x, 1, i ? MPI_INT : MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Finalize();
    return 0;
}
"""
SLOW = """#include <mpi.h>
#include <unistd.h>
int MPI_Put(const void *from, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count, MPI_Datatype target_type, MPI_Win win)
{
    int error = PMPI_Put(from, count, type, target, at, target_count, target_type, win);
    usleep(300000);
    return error;
}
int MPI_Win_lock_all(int assert, MPI_Win win)
{
    int error = PMPI_Win_lock_all(assert, win), rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(rank * ORIGIN_LEADS_US);
    return error;
}
"""
SLOW_NETWORK = """#include <mpi.h>
#include <unistd.h>
enum { LONG_US = 2500000 };
int MPI_Send(const void *from, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    usleep(LONG_US);
    return PMPI_Send(from, count, type, dest, tag, comm);
}
int MPI_Sendrecv(const void *from, int count, MPI_Datatype type, int dest, int tag, void *to, int to_count, MPI_Datatype to_type, int source,
                 int to_tag, MPI_Comm comm, MPI_Status *status)
{
    usleep(LONG_US);
    return PMPI_Sendrecv(from, count, type, dest, tag, to, to_count, to_type, source, to_tag, comm, status);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    usleep(LONG_US);
    return PMPI_Wait(request, status);
}
"""
LARGE_MESSAGES = """#include <mpi.h>
static char x[1 << 20], y[1 << 20];
int main(int argc, char **argv)
{
    int rank, other, n = sizeof x;
    MPI_Request receive, send;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Irecv(y, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, &receive);
    MPI_Send(x, n, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Sendrecv(x, n, MPI_CHAR, other, 0, y, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(y, n, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receive);
    MPI_Isend(x, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""
CLEAN = pathlib.Path(__file__).resolve().parent / "clean"
SEEN = ["0: 1 1 0 3 0 1", "1: 1 1 0 0 3 1"]
RECEIVE = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "MPI_Recv" in line)
LEAK = 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if "MPI_Type_contiguous" in line)
TOOL_RECEIVE = 1 + next(i for i, line in enumerate(TOOL.splitlines()) if "PMPI_Recv" in line)
CODE_FOUND = 66


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="tested_pmpi.")  # LD_PRELOAD takes no path with a space
        cls.folder = pathlib.Path(cls.place.name)
        (cls.folder / "tool.c").write_text(TOOL, encoding="utf-8")
        (cls.folder / "program.c").write_text(PROGRAM, encoding="utf-8")
        cls.library = cls.folder / "libtool.so"
        for words in (["-shared", "-fPIC", "tool.c", "-o", "libtool.so"], ["program.c", "-o", "plain"],
                      ["program.c", "tool.c", "-o", "inside"],
                      ["program.c", "-L.", "-ltool", f"-Wl,-rpath,{cls.folder}", "-o", "linked"]):
            subprocess.run([BIN / "mpicc", "-g", *words], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_program(self, option, *command, **settings):
        return subprocess.run([BIN / "mpiexec", "-n", "2", option, *command], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **settings})

    def check_both(self, *command, receive=RECEIVE, **settings):
        """receive: the line from which MPI_Recv, or PMPI_Recv of a tool above, is called."""
        done = self.run_program("--check=json:report.json", *command, **settings)
        self.assertEqual(sorted(done.stdout.splitlines()), SEEN, done)
        report = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        self.assertEqual(sorted((f["class"], f["ranks"], f["where"]["line"]) for f in report["findings"]),
                         [("leak", "0-1", LEAK), ("type-mismatch", "1", receive)], done)
        self.assertEqual(done.returncode, CODE_FOUND, done)
        done = self.run_program("--advise=advice", *command, **settings)
        self.assertEqual(sorted(done.stdout.splitlines()), SEEN, done)
        self.assertRegex(done.stderr, r"MPI_Recv +3 ", done)
        self.assertRegex(done.stderr, r"MPI_Allreduce +2 ", done)
        self.assertEqual(done.returncode, 0, done)

    def test_call_that_returns_late(self):
        """What a rank has polled for is there before the call that put it returns, and before its other rank says so."""
        (self.folder / "slow.c").write_text(SLOW, encoding="utf-8")
        for lead in 2000000, 0, 450000:  # the target looks many times, or once when it is there
            for words in (["-shared", "-fPIC", f"-DORIGIN_LEADS_US={lead}", "slow.c", "-o", "libslow.so"],
                          [f"-I{CLEAN.parent}", CLEAN / "ok_window_polled.c", "-L.", "-lslow", f"-Wl,-rpath,{self.folder}", "-o", "polled"]):
                subprocess.run([BIN / "mpicc", "-g", *words], cwd=self.folder, check=True)
            done = self.run_program("--check", "./polled")
            self.assertEqual((done.returncode, done.stderr), (0, "inkling check: nothing was found\n"), done)

    def test_messages_that_take_long(self):
        """Ranks that send to each other wait for nobody where receives have met the messages: the data take their time."""
        (self.folder / "network.c").write_text(SLOW_NETWORK, encoding="utf-8")
        (self.folder / "large.c").write_text(LARGE_MESSAGES, encoding="utf-8")
        for words in (["-shared", "-fPIC", "network.c", "-o", "libnetwork.so"],
                      ["large.c", "-L.", "-lnetwork", f"-Wl,-rpath,{self.folder}", "-o", "large"]):
            subprocess.run([BIN / "mpicc", "-g", *words], cwd=self.folder, check=True)
        done = self.run_program("--check", "./large")
        self.assertEqual((done.returncode, done.stderr), (0, "inkling check: nothing was found\n"), done)

    def test_in_the_executable(self):
        self.check_both("./inside", receive=TOOL_RECEIVE)

    def test_linked_library(self):
        self.check_both("./linked")

    def test_preloaded_below(self):
        self.check_both("./plain", LD_PRELOAD=str(self.library))

    def test_preloaded_above(self):
        self.check_both("sh", "-c", f"LD_PRELOAD={self.library}:$LD_PRELOAD exec ./plain", receive=TOOL_RECEIVE)

    def test_preloaded_instead(self):
        """The tool takes the place of the checks: nobody may read that nothing was found."""
        done = self.run_program("--check", "env", f"LD_PRELOAD={self.library}", "./plain")
        self.assertEqual(sorted(done.stdout.splitlines()), SEEN, done)
        self.assertRegex(done.stderr, "inkling check: nothing was checked: .*LD_PRELOAD", done)
        self.assertEqual(done.returncode, 1, done)

    def test_no_program_of_mpi(self):
        done = self.run_program("--check", "true")
        self.assertEqual((done.stderr, done.returncode), ("inkling check: nothing was checked: no rank has called MPI_Init\n", 0), done)

    def test_end_before_mpi(self):
        done = self.run_program("--check", "false")
        self.assertIn("inkling check: nothing was checked: no rank has called MPI_Init\n", done.stderr, done)
        self.assertEqual(done.returncode, 1, done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
