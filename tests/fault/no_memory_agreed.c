/* no_memory_agreed: memory is out in one rank while all make an object together: all get it, or none, nobody waits for ever, and it is
 * made when they try again. Each allocation of the first rank and then of the last one fails once.
 *
 * A rank that cannot keep a message which came before its receive says so and ends the job: no_memory_agreed.py runs it again then. A
 * word that a rank could not wait for stays, so blocks are not counted. */
#include "mpi/sweep.h"

#include <unistd.h>

static int rank, size, victim;
static long armed;
static bool has_failed;
static char path[64];
static MPI_Comm half, inter, comm; /* comm: what is made */
static MPI_Group world_group;

static void arm(long n)
{
    if (n)
        armed = rank == victim ? n : 0;
    else
        has_failed = armed && !until_failure;
    until_failure = n ? armed : 0;
}

static const char *failed(void)
{
    return has_failed ? "memory" : NULL;
}

/* All succeed, or none does. */
static int agreed(int code)
{
    int bad[2] = {code != MPI_SUCCESS, code == MPI_SUCCESS}, any[2];

    CHECK_EQ(MPI_Allreduce(bad, any, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(!any[0] || !any[1]);
    return code;
}

static int made(int code)
{
    return agreed(code) ? code : MPI_Comm_free(&comm);
}

static int create_inter(void)
{
    return made(TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &comm)));
}

static int merge(void)
{
    return made(TRY(MPI_Intercomm_merge(inter, rank == 0, &comm)));
}

static int dup_inter(void)
{
    return made(TRY(MPI_Comm_dup(inter, &comm)));
}

static int split_inter(void)
{
    return made(TRY(MPI_Comm_split(inter, 0, -rank, &comm)));
}

static int dup_comm(void)
{
    return made(TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm)));
}

/* The others begin when the one without memory has got its answer. */
static int idup(void)
{
    MPI_Request request;
    int code;

    if (rank != victim)
        MPI_Recv(NULL, 0, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    code = TRY(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    for (int r = 0; rank == victim && r < size; r++)
        if (r != rank)
            MPI_Send(NULL, 0, MPI_INT, r, 0, MPI_COMM_WORLD);
    return made(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static int split(void)
{
    return made(TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm)));
}

static int split_type(void)
{
    return made(TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm)));
}

static int create_group(void)
{
    return made(TRY(MPI_Comm_create_group(MPI_COMM_WORLD, world_group, 3, &comm)));
}

static int from_group(void)
{
    return made(TRY(MPI_Comm_create_from_group(world_group, "no_memory_agreed", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &comm)));
}

/* Without reordering, for which hwloc is asked, which crashes without memory. */
static int cart(void)
{
    return made(TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &comm)));
}

static int dist_graph(void)
{
    int next = (rank + 1) % size, one = 1;

    return made(TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &next, &one, &rank, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &comm)));
}

static int window(void)
{
    static int memory[100];
    MPI_Win win;
    int code = agreed(TRY(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)));

    return code ? code : MPI_Win_free(&win);
}

static int allocated_window(void)
{
    MPI_Win win;
    void *memory;
    int code = agreed(TRY(MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)));

    return code ? code : MPI_Win_free(&win);
}

static int open_file(void)
{
    MPI_File file;
    int code = agreed(
        TRY(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file)));

    return code ? code : MPI_File_close(&file);
}

static const struct step steps[] = {
    {.name = "MPI_Intercomm_create", .run = create_inter, .settles_us = 1},
    {.name = "MPI_Intercomm_merge", .run = merge, .settles_us = 1},
    {.name = "MPI_Comm_dup of two groups", .run = dup_inter, .settles_us = 1},
    {.name = "MPI_Comm_split of two groups", .run = split_inter, .settles_us = 1},
    {.name = "MPI_Comm_dup", .run = dup_comm, .settles_us = 1},
    {.name = "MPI_Comm_idup", .run = idup, .settles_us = 1},
    {.name = "MPI_Comm_split", .run = split, .settles_us = 1},
    {.name = "MPI_Comm_split_type", .run = split_type, .settles_us = 1},
    {.name = "MPI_Comm_create_group", .run = create_group, .settles_us = 1},
    {.name = "MPI_Comm_create_from_group", .run = from_group, .settles_us = 1},
    {.name = "MPI_Cart_create", .run = cart, .settles_us = 1},
    {.name = "MPI_Dist_graph_create", .run = dist_graph, .settles_us = 1},
    {.name = "MPI_Win_create", .run = window, .settles_us = 1},
    {.name = "MPI_Win_allocate_shared", .run = allocated_window, .settles_us = 1},
    {.name = "MPI_File_open", .run = open_file, .settles_us = 1},
};

int main(int argc, char **argv)
{
    long number = getpid();

    failing = (struct failing){arm, failed};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/dev/shm/tested_no_memory_agreed.%ld", number);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 1, &inter);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    for (victim = 0; victim < size; victim += size - 1)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            if (argc < 2 || strcmp(argv[1], steps[s].name) == 0)
                take_step(&steps[s]);
    MPI_Group_free(&world_group);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(path, MPI_INFO_NULL);
    return MPI_Finalize();
}
