/* state: bytes that a rank keeps for communicators of 10^2 to 10^6 ranks, in one process that pretends to belong to a world of so many:
 * the world's group, a dup, and what split and create_group make of half of its ranks. The objects are those that MPI_Comm_dup and the
 * others make (comm/comm.h, group/group.h); the exchange between ranks, which keeps nothing, is left out. Prints a line
 * for each size; docs/SCALE.md has them. */
#include "check.h"
#include "comm/comm.h"
#include "group/group.h"

#include <malloc.h>

enum {
    A_MEMBER = 4,    /* bytes that a communicator may take for each of its ranks */
    A_COMM = 8 << 10 /* and besides */
};

static size_t in_use(void)
{
    struct mallinfo2 all = mallinfo2();

    return all.uordblks + all.hblkhd;
}

/* Every `step`-th process of the world. */
static struct group *group_of(int size, int step)
{
    int *process = malloc((size_t)size * sizeof *process);
    struct group *group;

    CHECK(process != NULL);
    for (int i = 0; i < size; i++)
        process[i] = i * step;
    CHECK_EQ(group_new(size, process, &group), MPI_SUCCESS);
    free(process);
    return group;
}

/* Bytes that a communicator of the group keeps: an entry of the pool, and what it allocates. */
static size_t bytes_of_comm(struct group *group, struct comm **comm)
{
    size_t before = in_use();

    CHECK_EQ(comm_new(0, group, comm), MPI_SUCCESS);
    return sizeof **comm + in_use() - before;
}

static void check_world(int ranks)
{
    size_t before = in_use(), world, dup, half;
    struct group *all = group_of(ranks, 1), *some;
    struct comm *comm, *copy, *part;

    world = in_use() - before;
    bytes_of_comm(all, &comm);
    dup = bytes_of_comm(all, &copy);
    before = in_use();
    some = group_of(ranks / 2, 2);
    half = in_use() - before + bytes_of_comm(some, &part);
    printf("%d ranks: group of the world %zu bytes, dup %zu, split in two or create_group of half %zu\n",
           ranks, world, dup, half);
    CHECK(world <= (size_t)ranks * A_MEMBER + A_COMM);
    CHECK(dup <= A_COMM);
    CHECK(half <= (size_t)ranks / 2 * A_MEMBER + A_COMM);
    CHECK_EQ(group_rank_of(some, ranks / 2 * 2 - 2),
             ranks / 2 - 1); /* without an index, since the processes are equally spaced */
    CHECK(in_use() - before <= (size_t)ranks / 2 * A_MEMBER + 2 * A_COMM);
    comm_unref(part);
    comm_unref(copy);
    comm_unref(comm);
    group_unref(some);
    group_unref(all);
}

int main(int argc, char **argv)
{
    int job = 0;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    job = group_job_size;
    for (int ranks = 100; ranks <= 1000000; ranks *= 10) {
        group_job_size = ranks;
        check_world(ranks);
    }
    group_job_size = job;
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
