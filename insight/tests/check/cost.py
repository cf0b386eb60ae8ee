"""cost.py BIN: what `mpiexec --check` asks the kernel about small messages: system calls are counted, since clocks vary.

The program has a mincore of its own, which counts: the checks call it to learn whether a buffer is still there.
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


class Cost(unittest.TestCase):
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
