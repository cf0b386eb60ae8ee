/* ranks: 2 */
/* What is noted of objects, messages and calls is freed with them: memory does not grow with the rounds. */
#include "program.h"

#include <malloc.h>

enum {
    ROUNDS = 200,
    WINDOWS = 20, /* rounds without one, and without a file */
    FILES = 150,
    LEAST = 150 * ROUNDS /* bytes; pools and tables grow a little */
};

static void use(MPI_Comm comm)
{
    MPI_Request request[2];
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info = info_with("mpi_assert_no_any_tag", "true");
    int sent[4] = {rank}, got[4];

    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    MPI_Comm_group(comm, &group);
    MPI_Group_free(&group);
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(got, 1, type, 1 - rank, 3, comm, &request[0]);
    MPI_Isend(sent, 1, type, 1 - rank, 3, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Recv_init(got, 1, type, 1 - rank, 4, comm, &request[0]);
    MPI_Start(&request[0]);
    MPI_Send(sent, 1, type, 1 - rank, 4, comm);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Iallreduce(sent, got, 4, MPI_INT, MPI_SUM, comm, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

static void use_window(MPI_Comm comm)
{
    MPI_Win win;
    int *base, value = rank;

    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* Many: little is kept of each. */
static void use_files(void)
{
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/ok_leaves_nothing.%ld", (long)getpid());
    for (int i = 0; i < FILES; i++) {
        MPI_File file;

        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
        MPI_File_write(file, path, 4, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
}

static void run(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        MPI_Comm comm, other;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_split(comm, 0, -rank, &other);
        use(comm);
        if (i % WINDOWS == 0)
            use_window(other);
        if (i % WINDOWS == 0)
            use_files();
        MPI_Comm_free(&other);
        MPI_Comm_free(&comm);
    }
}

int main(void)
{
    size_t before, after;

    begin();
    run(ROUNDS / 2); /* what is kept once */
    MPI_Barrier(MPI_COMM_WORLD);
    before = mallinfo2().uordblks;
    run(ROUNDS);
    MPI_Barrier(MPI_COMM_WORLD);
    after = mallinfo2().uordblks;
    if (after > before + LEAST)
        printf("rank %d: %zu bytes stayed\n", rank, after - before);
    MPI_Finalize();
    return after > before + LEAST;
}
