/* many: small collectives of more ranks than see each other's mailboxes go along a tree of them, in each form, and a communicator takes
 * little memory. */
#include "mpi/ways.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    COPIES = 8,
    COPY_KIB = 64, /* that a rank needs for a communicator, at most */
    ITEMS_MOST = 512,
    FORMS = 3
};

static int rank, size, calls = 20;

/* One collective in one of its forms: each way of a call ends here. */
static void end(int error, int form, MPI_Request *request)
{
    CHECK_EQ(error, MPI_SUCCESS);
    if (form == 2)
        CHECK_EQ(MPI_Start(request), MPI_SUCCESS);
    if (form)
        CHECK_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (form == 2)
        CHECK_EQ(MPI_Request_free(request), MPI_SUCCESS);
}

static void barrier(MPI_Comm comm, int form)
{
    MPI_Request r;

    end(form == 0   ? MPI_Barrier(comm)
        : form == 1 ? MPI_Ibarrier(comm, &r)
                    : MPI_Barrier_init(comm, MPI_INFO_NULL, &r),
        form, &r);
}

static void bcast(MPI_Comm comm, int form, int root, int items)
{
    static int data[ITEMS_MOST];
    MPI_Request r;

    for (int i = 0; i < items; i++)
        data[i] = rank == root ? root + 3 * i : -1;
    end(form == 0   ? MPI_Bcast(data, items, MPI_INT, root, comm)
        : form == 1 ? MPI_Ibcast(data, items, MPI_INT, root, comm, &r)
                    : MPI_Bcast_init(data, items, MPI_INT, root, comm, MPI_INFO_NULL, &r),
        form, &r);
    for (int i = 0; i < items; i++)
        CHECK_EQ(data[i], root + 3 * i);
}

static void reduce(MPI_Comm comm, int form, int root, int items)
{
    static int in[ITEMS_MOST], out[ITEMS_MOST];
    MPI_Request r;

    for (int i = 0; i < items; i++)
        in[i] = rank + i, out[i] = -1;
    end(form == 0   ? MPI_Reduce(in, out, items, MPI_INT, MPI_SUM, root, comm)
        : form == 1 ? MPI_Ireduce(in, out, items, MPI_INT, MPI_SUM, root, comm, &r)
                    : MPI_Reduce_init(in, out, items, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, &r),
        form, &r);
    for (int i = 0; i < items; i++)
        CHECK_EQ(out[i], rank == root ? size * (size - 1) / 2 + i * size : -1);
}

static void allreduce(MPI_Comm comm, int form, int items)
{
    static double data[ITEMS_MOST];
    MPI_Request r;

    items /= 2;
    for (int i = 0; i < items; i++)
        data[i] = rank * 0.5 - i;
    end(form == 0 ? MPI_Allreduce(MPI_IN_PLACE, data, items, MPI_DOUBLE, MPI_MAX, comm)
        : form == 1
            ? MPI_Iallreduce(MPI_IN_PLACE, data, items, MPI_DOUBLE, MPI_MAX, comm, &r)
            : MPI_Allreduce_init(MPI_IN_PLACE, data, items, MPI_DOUBLE, MPI_MAX, comm, MPI_INFO_NULL, &r),
        form, &r);
    for (int i = 0; i < items; i++)
        CHECK(data[i] == (size - 1) * 0.5 - i);
}

static void use(MPI_Comm comm, int form, int call)
{
    static const int items[] = {2, 9, 29, ITEMS_MOST};
    int root = call * 7 % size;

    barrier(comm, form);
    bcast(comm, form, root, items[call % 4]);
    reduce(comm, form, (root + 3) % size, items[(call + 1) % 4]);
    allreduce(comm, form, items[(call + 2) % 4]);
}

/* Several at once, which end in another order than they began. */
static void overlap(MPI_Comm comm)
{
    enum {
        AT_ONCE = 40
    };
    static int in[AT_ONCE], out[AT_ONCE];
    MPI_Request r[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++) {
        in[i] = rank + i;
        CHECK_EQ(i % 3 == 2 ? MPI_Ibcast(&in[i], 1, MPI_INT, i % size, comm, &r[i])
                            : MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &r[i]),
                 MPI_SUCCESS);
    }
    for (int i = AT_ONCE - 1; i >= 0; i--)
        CHECK_EQ(MPI_Wait(&r[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < AT_ONCE; i++)
        CHECK_EQ(i % 3 == 2 ? in[i] : out[i], i % 3 == 2 ? i % size + i : size * (size - 1) / 2 + i * size);
}

/* Each rank's share of the memory that it maps. */
static long count_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[200];
    long kib = -1;

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Pss: %ld", &kib);
    if (file)
        fclose(file);
    return kib;
}

static void take_little_memory(void)
{
    MPI_Comm copy[COPIES];
    long before, each, most;

    barrier(MPI_COMM_WORLD, 0);
    before = count_kib();
    barrier(MPI_COMM_WORLD, 0);
    for (int i = 0; i < COPIES; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &copy[i]), MPI_SUCCESS);
        for (int call = 0; call < 8; call++)
            use(copy[i], call % 2, call / 2); /* requests have trees of their own */
    }
    barrier(MPI_COMM_WORLD, 0);
    each = (count_kib() - before) / COPIES;
    barrier(MPI_COMM_WORLD, 0);
    CHECK_EQ(MPI_Reduce(&each, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        printf("%ld KiB of a rank for a communicator of %d\n", most, size);
    CHECK(rank || most <= COPY_KIB || getenv("SANITIZER"));
    for (int i = 0; i < COPIES; i++)
        CHECK_EQ(MPI_Comm_free(&copy[i]), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    unsigned long long before, shared;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    if (argc > 1)
        calls = atoi(argv[1]);
    ways_open();
    for (int i = 0; i < 5; i++) /* until there are trees */
        barrier(MPI_COMM_WORLD, 0);
    before = ways_count(WAY_MESSAGES);
    shared = ways_count(WAY_SHARED);
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < calls; i++)
            use(MPI_COMM_WORLD, form, i);
    overlap(MPI_COMM_WORLD);
    CHECK_EQ(ways_count(WAY_MESSAGES), before);
    CHECK(ways_count(WAY_SHARED) >= shared + (unsigned long long)(4 * FORMS * calls));
    take_little_memory();
    ways_close();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
