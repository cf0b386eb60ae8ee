/* places [HOSTS]: who is where, on two hosts (or so many) with the same number of ranks each. Linked with the
 * library's objects, since it looks at which transport carries the messages. */
#include "boot/boot.h"
#include "check.h"
#include "net/net.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Everybody sends to everybody, something else to each. */
static void exchange(MPI_Comm comm)
{
    int rank, size, all = 0, mine = 1;
    int sent[64], got[64];

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    CHECK(size <= 64);
    for (int i = 0; i < size; i++)
        sent[i] = 100 * rank + i;
    for (int i = 0; i < size; i++) /* collectives go through some ranks of a host only */
        CHECK_EQ(MPI_Sendrecv(&sent[(rank + i) % size], 1, MPI_INT, (rank + i) % size, 0, &got[0], 1, MPI_INT,
                              (rank - i + size) % size, 0, comm, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm), MPI_SUCCESS);
    for (int i = 0; i < size; i++)
        CHECK_EQ(got[i], 100 * i + rank);
    CHECK_EQ(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(all, size);
}

/* A peer keeps its transport: what it is now has carried every message. */
static void check_transports(const int *is_near, int hosts)
{
    int near = 0, far = 0;

    for (int i = 0; i < boot.size; i++) {
        if (!net_peers[0][i] || i == boot.rank)
            continue;
        CHECK(strcmp(net_peers[0][i]->transport->name, is_near[i] ? "shm" : "ofi") == 0);
        near += is_near[i];
        far += !is_near[i];
    }
    CHECK_EQ(far, boot.size - boot.size / hosts);
    CHECK_EQ(near, boot.size / hosts - 1);
}

int main(int argc, char **argv)
{
    MPI_Comm host;
    int hosts = argc > 1 ? atoi(argv[1]) : 2;
    int size, near, flag, world, is_near[64] = {0}, ranks[64], *global;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Group ours, all;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &near), MPI_SUCCESS);
    CHECK_EQ(near, size / hosts);
    CHECK_EQ(MPI_Comm_group(host, &ours), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &all), MPI_SUCCESS);
    for (int i = 0; i < near; i++)
        CHECK_EQ(MPI_Group_translate_ranks(ours, 1, &i, all, &ranks[i]), MPI_SUCCESS);
    for (int i = 0; i < near; i++)
        is_near[ranks[i]] = 1;
    CHECK_EQ(MPI_Group_free(&ours), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&all), MPI_SUCCESS);
    exchange(MPI_COMM_WORLD);
    exchange(host);
    check_transports(is_near, hosts);
    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &flag), MPI_SUCCESS);
    CHECK(!flag || hosts == 1 || *global == 0); /* clocks of two hosts differ */
    CHECK_EQ(MPI_Get_processor_name(name, &flag), MPI_SUCCESS);
    CHECK(flag > 0 && (int)strlen(name) == flag);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    if (world == 0)
        printf("%d ranks, %d on a host\n", size, near);
    return 0;
}
