"""cost.py BIN: what `mpiexec --check` asks the kernel about small messages, and that the cost of windows and of gets grows with their number only.

System calls are counted, since clocks vary: the program has a mincore of its own, which the checks call to learn whether a buffer is still
there. The time of windows and gets is that of the processor.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1]).resolve()
WINDOWS, WINDOW = 400, 64
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static long asked;
int mincore(void *address, size_t length, unsigned char *pages)
{
    asked++;
    return (int)syscall(SYS_mincore, address, length, pages);
}
static char fixed[WINDOW][8];
static MPI_Request request[WINDOW];
static void exchange(int rank, char (*message)[8])
{
    for (int i = 0; i < WINDOW; i++)
        if (rank == 0)
            MPI_Isend(message[i], 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(message[i], 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank;
    char (*message)[8] = fixed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "heap") == 0)
        message = malloc(sizeof fixed);
    if (strcmp(argv[1], "mapped") == 0)
        message = mmap(NULL, sizeof fixed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < WINDOWS; i++)
        exchange(rank, message);
    printf("asked %ld\\n", asked);
    MPI_Finalize();
    return 0;
}
"""
WINDOWS_PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <time.h>
static MPI_Win window[20000];
int main(int argc, char **argv)
{
    enum { COUNT = sizeof window / sizeof *window };
    static int memory;
    clock_t before, between;
    MPI_Init(&argc, &argv);
    before = clock();
    for (int i = 0; i < COUNT; i++)
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window[i]);
    between = clock();
    for (int i = 0; i < COUNT; i++) /* the oldest first */
        MPI_Win_free(&window[i]);
    printf("made %ld freed %ld\\n", (long)(between - before), (long)(clock() - between));
    MPI_Finalize();
    return 0;
}
"""

GETS_PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank, gets = atoi(argv[1]), *memory, *got = calloc(gets, sizeof *got);
    MPI_Request *request = malloc(gets * sizeof *request);
    clock_t before, between;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(gets * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    before = clock();
    for (int i = 0; i < gets && rank == 0; i++)
        MPI_Get(&got[i], 1, MPI_INT, 1, i, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    between = clock();
    for (int i = 0; i < gets && rank == 0; i++)
        MPI_Rget(&got[i], 1, MPI_INT, 1, i, 1, MPI_INT, win, &request[i]);
    if (rank == 0) {
        MPI_Waitall(gets, request, MPI_STATUSES_IGNORE);
        printf("gets %ld rgets %ld\\n", (long)(between - before), (long)(clock() - between));
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
"""


class Cost(unittest.TestCase):
    def test_gets_under_way(self):
        """Ten times as many take ten times as long or a little more, not a hundred times."""
        few, many = 10000, 100000
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "program.c").write_text(GETS_PROGRAM, encoding="utf-8")
            subprocess.run([BIN / "mpicc", "-O1", "program.c", "-o", "program"], cwd=folder, check=True)
            took = {}
            for gets in few, many:
                done = subprocess.run([BIN / "mpiexec", "-n", "2", "--timeout", "60", "--check", "./program", str(gets)], cwd=folder, text=True,
                                      check=False, stdin=subprocess.DEVNULL, capture_output=True)
                self.assertEqual(done.returncode, 0, done)
                took[gets] = [int(n) for n in re.findall(r"\d+", done.stdout)]
            for one, ten in zip(took[few], took[many]):
                self.assertLess(ten / one, 40, took)

    def test_many_windows(self):
        """To free a window takes a tenth to a third of what it takes to make one; to look for it among 20,000 takes more."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "program.c").write_text(WINDOWS_PROGRAM, encoding="utf-8")
            subprocess.run([BIN / "mpicc", "-O1", "program.c", "-o", "program"], cwd=folder, check=True)
            done = subprocess.run([BIN / "mpiexec", "-n", "1", "--timeout", "60", "--check", "./program"], cwd=folder, text=True, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True)
            made, freed = (int(n) for n in re.findall(r"\d+", done.stdout))
            self.assertLess(freed / made, 0.7, done)

    def test_small_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            text = PROGRAM.replace("WINDOWS", str(WINDOWS)).replace("WINDOW", str(WINDOW))
            (pathlib.Path(folder) / "program.c").write_text(text, encoding="utf-8")
            subprocess.run([BIN / "mpicc", "-O1", "-w", "-rdynamic", "program.c", "-o", "program"], cwd=folder, check=True)
            for where, most in ("fixed", 0), ("heap", 0), ("mapped", 1):
                with self.subTest(where):
                    done = subprocess.run([BIN / "mpiexec", "-n", "2", "--timeout", "60", "--check", "./program", where], cwd=folder, text=True,
                                          check=False, stdin=subprocess.DEVNULL, capture_output=True)
                    asked = [int(n) for n in re.findall(r"asked (\d+)", done.stdout)]
                    self.assertEqual((len(asked), done.returncode), (2, 0), done)
                    self.assertLessEqual(max(asked) / (WINDOWS * WINDOW), most, done)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
