/* survive_file FILE: a rank leaves a collective write, since another has died, while an aggregator waits for it (mpiexec --survive). Four ranks,
 * with INKLING_TRANSPORT=ofi, so that buffers are filled by messages, and INKLING_ALLGATHER=bruck.
 *
 * Rank 0, the aggregator, begins late. When it does, it and rank 2 get what they need from all before they write, but rank 1 needs one message of
 * rank 3, which was stopped and is killed then. So rank 1 leaves, and rank 0, which waits for what rank 1 writes, fails as well. Each rank alone
 * goes on with the file; the living open it again together. */
#include "survive_expect.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    BYTES = 1000,
    VICTIM = 3
};

static int rank;
static char bytes[BYTES];
static const char *path;

static int write_together(MPI_File file)
{
    return MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, bytes, BYTES, MPI_CHAR, MPI_STATUS_IGNORE);
}

static int is_over(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/* With rank 0 as the aggregator. */
static MPI_File open_on(MPI_Comm comm)
{
    MPI_Info info;
    MPI_File file;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "cb_nodes", "1");
    EXPECT(!MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    MPI_Info_free(&info);
    EXPECT(!write_together(file));
    return file;
}

/* The others wait in the write by now. The victim goes no further; it dies when rank 0 has sent all that they need of that. */
static void stop_victim(void)
{
    char line[64];
    int pid;

    EXPECT(!MPI_Recv(&pid, 1, MPI_INT, VICTIM, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(pid, SIGSTOP);
    snprintf(line, sizeof line, "(sleep 0.3; kill -9 %d) >/dev/null 2>&1 &", pid);
    EXPECT(system(line) == 0);
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Comm living;
    int pid = getpid();
    double begin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    path = argv[1];
    file = open_on(MPI_COMM_WORLD);
    if (rank == VICTIM)
        MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        stop_victim();
    begin = MPI_Wtime();
    EXPECT(is_over(write_together(file)) && MPI_Wtime() - begin < 5);
    EXPECT(is_over(write_together(file)) && is_over(MPI_File_sync(file)));
    EXPECT(!MPI_File_write_at(file, (MPI_Offset)rank * BYTES, bytes, BYTES, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT(!MPI_File_close(&file));
    EXPECT(!MPIX_Comm_shrink(MPI_COMM_WORLD, &living));
    file = open_on(living);
    EXPECT(!MPI_File_close(&file) && !MPI_Comm_free(&living));
    MPI_Finalize();
    return 0;
}
