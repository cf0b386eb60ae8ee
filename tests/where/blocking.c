/* Blocking calls, one after the other: what `inkling where` must say of each while rank 1 is late is in blocking.py. Rank 1 computes in
 * smooth() until SIGUSR1 sends it on to the call, too. Rank 0 prints the name of the call that comes. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static MPI_Comm halo, ring;
static MPI_Win win;
static MPI_File file;
static volatile double grid[1024];
static volatile sig_atomic_t may_go;
static int value[64], all[64], count[64], place[64];
static MPI_Datatype type[64];

static void go(int number)
{
    (void)number;
    may_go = 1;
}

__attribute__((noinline)) static void smooth(void)
{
    while (!may_go)
        for (int i = 1; i < 1023; i++)
            grid[i] = (grid[i - 1] + grid[i + 1]) / 2;
    may_go = 0;
}

/* All but rank 1 call at once. */
static void begin(const char *name)
{
    MPI_Barrier(halo);
    if (rank == 0) {
        printf("%s\n", name);
        fflush(stdout);
    }
    if (rank == 1)
        smooth();
}

#define CALL(name, ...)                                                                                      \
    do {                                                                                                     \
        begin(#name);                                                                                        \
        name(__VA_ARGS__);                                                                                   \
    } while (0)

static void collectives(void)
{
    CALL(MPI_Allgatherv, value, 1, MPI_INT, all, count, place, MPI_INT, halo);
    CALL(MPI_Alltoallv, value, count, place, MPI_INT, all, count, place, MPI_INT, halo);
    CALL(MPI_Alltoallw, value, count, place, type, all, count, place, type, halo);
    CALL(MPI_Gatherv, value, 1, MPI_INT, all, count, place, MPI_INT, 0, halo);
    CALL(MPI_Scatter, value, 1, MPI_INT, all, 1, MPI_INT, 1, halo);
    CALL(MPI_Scatterv, value, count, place, MPI_INT, all, 1, MPI_INT, 1, halo);
    CALL(MPI_Reduce_scatter, value, all, count, MPI_INT, MPI_SUM, halo);
    CALL(MPI_Neighbor_allgather, value, 1, MPI_INT, all, 1, MPI_INT, ring);
    CALL(MPI_Neighbor_allgatherv, value, 1, MPI_INT, all, count, place, MPI_INT, ring);
    CALL(MPI_Neighbor_alltoallv, value, count, place, MPI_INT, all, count, place, MPI_INT, ring);
}

static void communicators(void)
{
    int periodic = 1, index[64], edge[64];
    MPI_Comm made, other;
    MPI_Group group;

    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edge[i] = (i + 1) % size;
    }
    MPI_Comm_group(halo, &group);
    CALL(MPI_Comm_create, halo, group, &made);
    CALL(MPI_Comm_create_group, halo, group, 64, &made);
    CALL(MPI_Comm_dup_with_info, halo, MPI_INFO_NULL, &made);
    CALL(MPI_Comm_split_type, halo, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    CALL(MPI_Cart_create, halo, 1, &size, &periodic, 1, &made);
    CALL(MPI_Graph_create, halo, size, index, edge, 0, &made);
    CALL(MPI_Dist_graph_create_adjacent, halo, 0, edge, MPI_UNWEIGHTED, 0, edge, MPI_UNWEIGHTED,
         MPI_INFO_NULL, 0, &made);
    MPI_Comm_split(halo, rank == 1, 0, &made);
    MPI_Intercomm_create(made, 0, halo, rank == 1 ? 0 : 1, 65, &other);
    CALL(MPI_Intercomm_merge, other, rank == 1, &made);
    CALL(MPI_Comm_disconnect, &other);
}

static void windows(void)
{
    MPI_Win made;
    void *memory;

    CALL(MPI_Win_allocate, 64, 1, MPI_INFO_NULL, halo, &memory, &made);
    CALL(MPI_Win_allocate_shared, 64, 1, MPI_INFO_NULL, halo, &memory, &made);
    CALL(MPI_Win_create, value, sizeof value, 1, MPI_INFO_NULL, halo, &made);
    CALL(MPI_Win_create_dynamic, MPI_INFO_NULL, halo, &made);
    CALL(MPI_Win_fence, 0, win);
}

static void files(void)
{
    CALL(MPI_File_read_at_all, file, 0, value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_write_all, file, value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_read_all, file, value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_write_ordered, file, value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CALL(MPI_File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CALL(MPI_File_set_size, file, 4096);
    CALL(MPI_File_preallocate, file, 4096);
    CALL(MPI_File_sync, file);
    CALL(MPI_File_seek_shared, file, 0, MPI_SEEK_SET);
}

static void messages(void)
{
    if (rank == 2)
        begin("");
    else
        CALL(MPI_Sendrecv_replace, value, 1, MPI_INT, 1 - rank, 66, 1 - rank, 66, halo, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int periodic = 1, *memory;

    signal(SIGUSR1, go);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Cart_create(halo, 1, &size, &periodic, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, halo, &memory, &win);
    MPI_Win_set_name(win, "table");
    if (MPI_File_open(halo, argv[argc - 1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return 1;
    for (int i = 0; i < 64; i++) {
        count[i] = 1;
        place[i] = i;
        type[i] = MPI_INT;
    }
    collectives();
    communicators();
    windows();
    files();
    messages();
    MPI_File_close(&file);
    begin("MPI_Win_free");
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
