/* crossings: how many messages collectives send from host to host, where every host has the same number of
 * consecutive ranks: as many as the hosts need, however many ranks each has and whoever is the root. Linked
 * with the library's objects: it counts the packets that each rank gives to libfabric, and all that it sends
 * here fits into one. */
#include "check.h"
#include "net/ofi/fabric.h"

#include <mpi.h>

enum {
    LONG = 500, /* items of a long message, which still is one packet */
    BLOCK = 28, /* items of a rank's part of such a message */
    RANKS = 64
};

static struct fi_ops_msg provided, counted;
static int packets, rank, size, hosts;

static ssize_t count_send(struct fid_ep *ep, const void *bytes, size_t length, void *descriptor, fi_addr_t to,
                          void *context)
{
    ssize_t code = provided.send(ep, bytes, length, descriptor, to, context);

    packets += code == 0;
    return code;
}

static ssize_t count_inject(struct fid_ep *ep, const void *bytes, size_t length, fi_addr_t to)
{
    ssize_t code = provided.inject(ep, bytes, length, to);

    packets += code == 0;
    return code;
}

static void begin_to_count(void)
{
    CHECK(fabric.packets.ep != NULL);
    provided = counted = *fabric.packets.ep->msg;
    counted.send = count_send;
    counted.inject = count_inject;
    fabric.packets.ep->msg = &counted;
}

static int count_hosts(void)
{
    MPI_Comm host;
    int near;

    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &near), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    CHECK(near > 1 && size % near == 0 && size <= RANKS);
    return size / near;
}

/* Every rank has sent its packets by the time that its call returns. */
static void check_packets(const char *what, int count, int root, int due)
{
    int mine = packets, all;

    CHECK_EQ(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0 && all != due)
        fprintf(stderr, "%s of %d items, root %d: %d packets between %d hosts, not %d\n", what, count, root,
                all, hosts, due);
    CHECK_EQ(all, due);
    packets = 0;
}

static void rooted(int root, int count)
{
    int in[LONG], out[LONG];

    for (int i = 0; i < count; i++)
        in[i] = rank == root ? root + i : -1;
    CHECK_EQ(MPI_Bcast(in, count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(in[i], root + i);
    check_packets("MPI_Bcast", count, root, hosts - 1);
    CHECK_EQ(MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; rank == root && i < count; i++)
        CHECK_EQ(out[i], size * (root + i));
    check_packets("MPI_Reduce", count, root, hosts - 1);
}

/* In each of log2(hosts) steps every host sends to another one. */
static int due_to_all(void)
{
    int steps = 0;

    while (1 << steps < hosts)
        steps++;
    CHECK_EQ(1 << steps, hosts);
    return steps * hosts;
}

/* Each host sends what it has heard of so far. */
static void gathering(int count)
{
    static int in[LONG], all[LONG * RANKS];

    for (int i = 0; i < count; i++)
        in[i] = rank + i;
    CHECK_EQ(MPI_Allgather(in, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count * size; i++)
        CHECK_EQ(all[i], i / count + i % count);
    check_packets("MPI_Allgather", count, -1, due_to_all());
}

/* To or from a root, one message of each other host; of each rank to each other host, where all have something for all. */
static void blocks(int root, int count)
{
    static int in[LONG * RANKS], out[LONG * RANKS];
    int counts[RANKS], displs[RANKS], near = size / hosts;

    count = count < BLOCK ? count : BLOCK;
    for (int i = 0; i < size; i++)
        counts[i] = count, displs[i] = i * count;
    for (int i = 0; i < count * size; i++)
        in[i] = rank * 1000 + i, out[i] = -1;
    CHECK_EQ(MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; rank == root && i < count * size; i++)
        CHECK_EQ(out[i], i / count * 1000 + i % count);
    check_packets("MPI_Gather", count, root, hosts - 1);
    CHECK_EQ(MPI_Gatherv(in, count, MPI_INT, out, counts, displs, MPI_INT, root, MPI_COMM_WORLD),
             MPI_SUCCESS);
    check_packets("MPI_Gatherv", count, root, hosts - 1);
    CHECK_EQ(MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(out[i], root * 1000 + rank * count + i);
    check_packets("MPI_Scatter", count, root, hosts - 1);
    CHECK_EQ(MPI_Scatterv(in, counts, displs, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD),
             MPI_SUCCESS);
    check_packets("MPI_Scatterv", count, root, hosts - 1);
    CHECK_EQ(MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count * size; i++)
        CHECK_EQ(out[i], i / count * 1000 + rank * count + i % count);
    check_packets("MPI_Alltoall", count, -1, hosts * (hosts - 1) * near);
    CHECK_EQ(MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD),
             MPI_SUCCESS);
    check_packets("MPI_Alltoallv", count, -1, hosts * (hosts - 1) * near);
    CHECK_EQ(MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(out[i], size * (size - 1) / 2 * 1000 + size * (rank * count + i));
    check_packets("MPI_Reduce_scatter_block", count, -1, hosts * (hosts - 1) * near);
}

/* In step k all hosts but the first 2^k hear of those below. */
static void scanning(int count)
{
    int in[LONG], out[LONG], due = 0;

    for (int i = 0; i < count; i++)
        in[i] = rank + i;
    for (int distance = 1; distance < hosts; distance *= 2)
        due += hosts - distance;
    CHECK_EQ(MPI_Scan(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(out[i], rank * (rank + 1) / 2 + (rank + 1) * i);
    check_packets("MPI_Scan", count, -1, due);
}

static void rootless(int count)
{
    int in[LONG] = {0}, out[LONG];

    for (int i = 0; i < count; i++)
        in[i] = rank * i;
    CHECK_EQ(MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        CHECK_EQ(out[i], (size - 1) * i);
    check_packets("MPI_Allreduce", count, -1, due_to_all());
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    check_packets("MPI_Barrier", 0, -1, due_to_all());
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    hosts = count_hosts();
    CHECK(hosts > 1);
    begin_to_count();
    for (int count = 1; count <= LONG; count += LONG - 1) {
        for (int root = 0; root < size; root++)
            rooted(root, count);
        rootless(count);
        gathering(count);
        scanning(count);
        for (int root = 0; root < size; root++)
            blocks(root, count);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
