/* insight: a program for `mpiexec --check` and `--advise` on two hosts with two ranks each; insight.py says what must be found.
 *
 *     insight [DEED]...   clean calls on all ranks, and then the deeds:
 *     types   a message from rank 2 to rank 3, of one host, has another type than its receive
 *     leak    rank 3 never frees a datatype
 *     op      rank 3 gives another operation than the others in a collective of all
 *     far-op  the ranks of one host give another operation than those of the other
 *     inter-op     the same in a collective of an intercommunicator between the hosts
 *     inter-root   rank 3 names another root than rank 2 in a collective of one whose groups both are of two hosts
 *     inter-types  types on such an intercommunicator
 *     many    5,000 collectives
 *     hang    ranks 2 and 3, of one host, wait for each other
 *     fatal   rank 3 gives a count that is an error
 *     die     rank 0 is killed after a second, while the others wait for it
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void exchange(MPI_Comm comm)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, got = -1, sum = 0;

    MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != size * (size - 1) / 2)
        MPI_Abort(comm, 3);
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 2, comm);
}

static void put_around(MPI_Comm comm)
{
    MPI_Win win;
    int *slot;

    MPI_Win_allocate(2 * sizeof *slot, sizeof *slot, MPI_INFO_NULL, comm, &slot, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 2) % size, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (slot[0] != (rank + size - 1) % size)
        MPI_Abort(comm, 3);
    MPI_Win_free(&win);
}

/* between_hosts: each group is a host; else each has a rank of either. */
static MPI_Comm inter_made(MPI_Comm comm, bool between_hosts)
{
    int is_second = between_hosts ? rank >= size / 2 : rank % 2;
    MPI_Comm group, inter;

    MPI_Comm_split(comm, is_second, rank, &group);
    MPI_Intercomm_create(group, 0, comm, is_second ? 0 : between_hosts ? size / 2 : 1, 3, &inter);
    MPI_Comm_free(&group);
    return inter;
}

static void exchange_between(MPI_Comm comm, bool between_hosts)
{
    MPI_Comm inter = inter_made(comm, between_hosts);
    int is_second = between_hosts ? rank >= size / 2 : rank % 2, own, got = -1, root;

    MPI_Comm_rank(inter, &own);
    MPI_Sendrecv(&rank, 1, MPI_INT, own, 4, &got, 1, MPI_INT, own, 4, inter, MPI_STATUS_IGNORE);
    root = is_second ? 1 : own == 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&got, 1, MPI_INT, root, inter);
    MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, inter);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
}

static void behave(void)
{
    MPI_Comm all, pairs;

    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_split(all, rank % 2, rank, &pairs); /* each has a rank of either host */
    for (int i = 0; i < 20; i++)
        exchange(all);
    put_around(all);
    exchange_between(all, true);
    exchange_between(all, false);
    MPI_Barrier(pairs);
    MPI_Comm_free(&pairs);
    MPI_Comm_free(&all);
}

static void give_another_type(MPI_Comm comm, int receiver, int sender)
{
    int number = 1;
    float other;

    if (rank == 2)
        MPI_Send(&number, 1, MPI_INT, receiver, 7, comm);
    if (rank == 3)
        MPI_Recv(&other, 1, MPI_FLOAT, sender, 7, comm, MPI_STATUS_IGNORE);
}

static void leak(void)
{
    MPI_Datatype type;

    if (rank == 3)
        MPI_Type_contiguous(3, MPI_INT, &type);
}

static void give_another_operation(MPI_Comm comm, bool is_other)
{
    int number = 1, result;

    MPI_Allreduce(&number, &result, 1, MPI_INT, is_other ? MPI_MAX : MPI_SUM, comm);
}

/* Small messages of the roots need no receiver. */
static void give_another_root(MPI_Comm inter)
{
    int number = 1;

    if (rank % 2 == 0)
        MPI_Gather(&number, 1, MPI_INT, NULL, 0, MPI_INT, rank == 2, inter);
    else
        MPI_Gather(NULL, 0, MPI_INT, &number, 0, MPI_INT, MPI_PROC_NULL, inter);
}

static void across(const char *deed)
{
    bool is_op = strcmp(deed, "inter-op") == 0;
    MPI_Comm inter = inter_made(MPI_COMM_WORLD, is_op);

    if (is_op)
        give_another_operation(inter, rank >= 2);
    else if (strcmp(deed, "inter-types") == 0)
        give_another_type(inter, 1, 1); /* ranks 2 and 3 are the second ones of their groups */
    else
        give_another_root(inter);
    MPI_Comm_free(&inter);
}

static void call_many(void)
{
    for (int i = 0; i < 5000; i++)
        give_another_operation(MPI_COMM_WORLD, false);
}

static void hang(void)
{
    int number;

    if (rank >= 2)
        MPI_Recv(&number, 1, MPI_INT, 5 - rank, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fail(void)
{
    if (rank == 3)
        MPI_Send(&rank, -1, MPI_INT, 0, 11, MPI_COMM_WORLD);
}

static void die(void)
{
    int number;

    if (rank == 0) {
        sleep(1);
        raise(SIGKILL);
    }
    MPI_Recv(&number, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    behave();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "types") == 0)
            give_another_type(MPI_COMM_WORLD, 3, 2);
        else if (strcmp(argv[i], "leak") == 0)
            leak();
        else if (strcmp(argv[i], "op") == 0)
            give_another_operation(MPI_COMM_WORLD, rank == 3);
        else if (strcmp(argv[i], "far-op") == 0)
            give_another_operation(MPI_COMM_WORLD, rank >= 2);
        else if (strncmp(argv[i], "inter-", 6) == 0)
            across(argv[i]);
        else if (strcmp(argv[i], "many") == 0)
            call_many();
        else if (strcmp(argv[i], "hang") == 0)
            hang();
        else if (strcmp(argv[i], "fatal") == 0)
            fail();
        else if (strcmp(argv[i], "die") == 0)
            die();
    }
    MPI_Finalize();
    if (rank == 1)
        printf("after MPI_Finalize\n");
    return 0;
}
