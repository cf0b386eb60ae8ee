/* forms [batches [forms [largest [smallest [name]]]]]: as coll.c, of the other collectives: rooted ones,
 * scans, those with counts of their own for each rank (which are equal here), neighbours on a grid, items
 * with gaps, in place, pairs, the program's operations, and two groups. Sizes in steps of 16. */
#include "calls.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANKS = 64,
    LARGEST = 4 << 20
};

struct pair {
    double value;
    int at;
};

static int counts[MOST_RANKS], displs[MOST_RANKS], byte_displs[MOST_RANKS];
static MPI_Aint addresses[4];
static MPI_Datatype doubles[MOST_RANKS], gapped;
static MPI_Comm grid, both;                     /* the halves of all ranks */
static int neighbor[4], half, is_upper, across; /* across: ranks of the other half */
static MPI_Op plus;

/* The collectives. */

static void gather(char form)
{
    CALL(Gather, Igather, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, comm);
}

static void scatter(char form)
{
    CALL(Scatter, Iscatter, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, comm);
}

static void gatherv(char form)
{
    CALL(Gatherv, Igatherv, in, count, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, 0, comm);
}

static void scatterv(char form)
{
    CALL(Scatterv, Iscatterv, in, counts, displs, MPI_DOUBLE, out, count, MPI_DOUBLE, 0, comm);
}

static void allgatherv(char form)
{
    CALL(Allgatherv, Iallgatherv, in, count, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, comm);
}

static void alltoallv(char form)
{
    CALL(Alltoallv, Ialltoallv, in, counts, displs, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, comm);
}

static void alltoallw(char form)
{
    CALL(Alltoallw, Ialltoallw, in, counts, byte_displs, doubles, out, counts, byte_displs, doubles, comm);
}

static void scan(char form)
{
    CALL(Scan, Iscan, in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void exscan(char form)
{
    CALL(Exscan, Iexscan, in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

static void reduce_scatter(char form)
{
    CALL(Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
}

static void neighbor_allgather(char form)
{
    CALL(Neighbor_allgather, Ineighbor_allgather, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, grid);
}

static void neighbor_allgatherv(char form)
{
    CALL(Neighbor_allgatherv, Ineighbor_allgatherv, in, count, MPI_DOUBLE, out, counts, displs, MPI_DOUBLE,
         grid);
}

static void neighbor_alltoall(char form)
{
    CALL(Neighbor_alltoall, Ineighbor_alltoall, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, grid);
}

static void neighbor_alltoallv(char form)
{
    CALL(Neighbor_alltoallv, Ineighbor_alltoallv, in, counts, displs, MPI_DOUBLE, out, counts, displs,
         MPI_DOUBLE, grid);
}

static void neighbor_alltoallw(char form)
{
    CALL(Neighbor_alltoallw, Ineighbor_alltoallw, in, counts, addresses, doubles, out, counts, addresses,
         doubles, grid);
}

static void bcast_gapped(char form)
{
    CALL(Bcast, Ibcast, out, 1, gapped, 0, comm);
}

static void allgather_gapped(char form)
{
    CALL(Allgather, Iallgather, in, 1, gapped, out, 1, gapped, comm);
}

static void alltoall_gapped(char form)
{
    CALL(Alltoall, Ialltoall, in, 1, gapped, out, 1, gapped, comm);
}

static void allreduce_pairs(char form)
{
    CALL(Allreduce, Iallreduce, in, out, (count + 1) / 2, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
}

static void allreduce_user(char form)
{
    CALL(Allreduce, Iallreduce, in, out, count, MPI_DOUBLE, plus, comm);
}

static void allreduce_in_place(char form)
{
    CALL(Allreduce, Iallreduce, MPI_IN_PLACE, out, count, MPI_DOUBLE, MPI_MAX, comm);
}

static void allgather_in_place(char form)
{
    CALL(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_DOUBLE, comm);
}

static void alltoall_in_place(char form)
{
    CALL(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_DOUBLE, comm);
}

static void reduce_scatter_in_place(char form)
{
    CALL(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, out, count, MPI_DOUBLE, MPI_MAX, comm);
}

static void inter_bcast(char form)
{
    int root = is_upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

    CALL(Bcast, Ibcast, out, count, MPI_DOUBLE, root, both);
}

static void inter_allreduce(char form)
{
    CALL(Allreduce, Iallreduce, in, out, count, MPI_DOUBLE, MPI_SUM, both);
}

static void inter_allgather(char form)
{
    CALL(Allgather, Iallgather, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, both);
}

static void inter_alltoall(char form)
{
    CALL(Alltoall, Ialltoall, in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, both);
}

/* What item i of a result is to be, out of `count` times so many ranks. */

static double wanted_of_root(long i, int calls)
{
    return item(0, i, calls);
}

static double wanted_piece_of_root(long i, int calls)
{
    return item(0, i + (long)rank * count, calls);
}

static double wanted_blocks(long i, int calls)
{
    return item((int)(i / count), i % count, calls);
}

static double wanted_exchange(long i, int calls)
{
    return item((int)(i / count), i % count + (long)rank * count, calls);
}

static double wanted_sum(long i, int calls)
{
    return sum(i, calls);
}

static double wanted_piece(long i, int calls)
{
    return sum(i + (long)rank * count, calls);
}

static double sum_of(int first, int end, long i, int calls)
{
    double total = 0;

    for (int r = first; r < end; r++)
        total += item(r, i, calls);
    return total;
}

static double wanted_below(long i, int calls)
{
    return rank ? sum_of(0, rank, i, calls) : out[i];
}

static double wanted_upto(long i, int calls)
{
    return sum_of(0, rank + 1, i, calls);
}

static double wanted_of_others(long i, int calls)
{
    return is_upper ? sum_of(0, half, i, calls) : sum_of(half, size, i, calls);
}

static double wanted_of_other_root(long i, int calls)
{
    return is_upper ? item(0, i, calls) : out[i];
}

static double wanted_blocks_of_others(long i, int calls)
{
    return item((int)(i / count) + (is_upper ? 0 : half), i % count, calls);
}

static double wanted_exchange_of_others(long i, int calls)
{
    long place = is_upper ? rank - half : rank;

    return item((int)(i / count) + (is_upper ? 0 : half), i % count + place * count, calls);
}

static double wanted_neighbor(long i, int calls)
{
    int from = neighbor[i / count];

    return from == MPI_PROC_NULL ? out[i] : item(from, i % count, calls);
}

/* Where this rank is among the neighbours of its neighbour: the other direction of the same dimension. */
static double wanted_neighbor_exchange(long i, int calls)
{
    int from = neighbor[i / count];

    return from == MPI_PROC_NULL ? out[i] : item(from, i % count + (i / count ^ 1) * count, calls);
}

static int are(long items, double (*wanted)(long, int), int calls)
{
    int right = 1;

    for (long i = 0; i < items; i++)
        right &= out[i] == wanted(i, calls);
    return right;
}

#define RIGHT(name, items)                                                                                   \
    static int name##_right(int calls)                                                                       \
    {                                                                                                        \
        return are(items, wanted_##name, calls);                                                             \
    }
RIGHT(piece_of_root, count)
RIGHT(blocks, (long)count *size)
RIGHT(exchange, (long)count *size)
RIGHT(sum, count)
RIGHT(piece, count)
RIGHT(below, count)
RIGHT(upto, count)
RIGHT(of_others, count)
RIGHT(of_other_root, count)
RIGHT(blocks_of_others, (long)count *across)
RIGHT(exchange_of_others, (long)count *across)
RIGHT(neighbor, 4L * count)
RIGHT(neighbor_exchange, 4L * count)

static int root_blocks_right(int calls)
{
    return rank || blocks_right(calls);
}

/* In every second place; the gaps stay. `far`: the first item of block b is that far behind in what was sent.
 */
static int gapped_are(long blocks, int is_exchange, int calls)
{
    int right = 1;

    for (long b = 0; b < blocks; b++)
        for (long i = 0; i < count; i++)
            right &= out[2 * (b * count + i)] ==
                     item((int)b, 2 * (i + (is_exchange ? (long)rank * count : 0)), calls);
    return right;
}

static int bcast_gapped_right(int calls)
{
    return gapped_are(1, 0, calls);
}

static int allgather_gapped_right(int calls)
{
    return gapped_are(size, 0, calls);
}

static int alltoall_gapped_right(int calls)
{
    return gapped_are(size, 1, calls);
}

/* Only the values: what is in place of indices is the first half of a double. */
static int pairs_right(int calls)
{
    int right = 1;

    for (long i = 0; i < (count + 1) / 2; i++)
        right &= out[2 * i] == item(size - 1, 2 * i, calls);
    return right;
}

/* In place: rank 0 has put in its items, the others -1, which only some ways of wanting them tell apart. */
static int largest_right(int calls)
{
    return are(count, wanted_of_root, calls);
}

static int largest_piece_right(int calls)
{
    return are(count, wanted_piece_of_root, calls);
}

static int in_place_blocks_right(int calls)
{
    int right = 1;

    for (long i = 0; i < (long)count * size; i++)
        right &= out[i] == (i < count ? item(0, i, calls) : -1);
    return right;
}

static int in_place_exchange_right(int calls)
{
    int right = 1;

    for (long i = 0; i < (long)count * size; i++)
        right &= out[i] == (i < count ? item(0, i + (long)rank * count, calls) : -1);
    return right;
}

static const struct collective collectives[] = {
    {"gather", gather, root_blocks_right},
    {"scatter", scatter, piece_of_root_right},
    {"gatherv", gatherv, root_blocks_right},
    {"scatterv", scatterv, piece_of_root_right},
    {"allgatherv", allgatherv, blocks_right},
    {"alltoallv", alltoallv, exchange_right},
    {"alltoallw", alltoallw, exchange_right},
    {"scan", scan, upto_right},
    {"exscan", exscan, below_right},
    {"reduce_scatter", reduce_scatter, piece_right},
    {"neighbor_allgather", neighbor_allgather, neighbor_right},
    {"neighbor_allgatherv", neighbor_allgatherv, neighbor_right},
    {"neighbor_alltoall", neighbor_alltoall, neighbor_exchange_right},
    {"neighbor_alltoallv", neighbor_alltoallv, neighbor_exchange_right},
    {"neighbor_alltoallw", neighbor_alltoallw, neighbor_exchange_right},
    {"bcast_gapped", bcast_gapped, bcast_gapped_right},
    {"allgather_gapped", allgather_gapped, allgather_gapped_right},
    {"alltoall_gapped", alltoall_gapped, alltoall_gapped_right},
    {"allreduce_pairs", allreduce_pairs, pairs_right},
    {"allreduce_user", allreduce_user, sum_right},
    {"allreduce_in_place", allreduce_in_place, largest_right},
    {"allgather_in_place", allgather_in_place, in_place_blocks_right},
    {"alltoall_in_place", alltoall_in_place, in_place_exchange_right},
    {"reduce_scatter_in_place", reduce_scatter_in_place, largest_piece_right},
    {"inter_bcast", inter_bcast, of_other_root_right},
    {"inter_allreduce", inter_allreduce, of_others_right},
    {"inter_allgather", inter_allgather, blocks_of_others_right},
    {"inter_alltoall", inter_alltoall, exchange_of_others_right}};

static void add(void *from, void *into, int *items, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *items; i++)
        ((double *)into)[i] += ((double *)from)[i];
}

static void make_grid(void)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0};

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &neighbor[0], &neighbor[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbor[2], &neighbor[3]);
}

static void make_halves(void)
{
    MPI_Comm mine;

    half = size / 2;
    is_upper = rank >= half;
    across = is_upper ? half : size - half;
    MPI_Comm_split(MPI_COMM_WORLD, is_upper, rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, is_upper ? 0 : half, 1, &both);
    MPI_Comm_free(&mine);
}

/* What depends on the size. */
static void prepare(long each)
{
    int items = (int)(each / 8);
    MPI_Datatype vector;

    for (int r = 0; r < MOST_RANKS; r++) {
        counts[r] = items;
        displs[r] = r * items;
        byte_displs[r] = r * items * 8;
        doubles[r] = MPI_DOUBLE;
    }
    for (int i = 0; i < 4; i++)
        addresses[i] = byte_displs[i];
    MPI_Type_vector(items, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)items * 16, &gapped);
    MPI_Type_commit(&gapped);
    MPI_Type_free(&vector);
}

static void measure_size(const char *forms, long each, int batches, const char *name)
{
    prepare(each);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strstr(collectives[i].name, name))
            calls_measure(&collectives[i], forms, each, batches);
    MPI_Type_free(&gapped);
}

int main(int argc, char **argv)
{
    int batches = (int)measure_argument(argc, argv, 1, 100);
    const char *forms = argc > 2 ? argv[2] : "bnp", *name = argc > 5 ? argv[5] : "";
    long largest = measure_argument(argc, argv, 3, LARGEST), smallest = measure_argument(argc, argv, 4, 8);

    MPI_Init(&argc, &argv);
    calls_init(largest, 2);
    if (batches > 1000 || size > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    make_grid();
    make_halves();
    MPI_Op_create(add, 1, &plus);
    for (long each = smallest; each <= largest; each *= each == 8 ? 512 : 16)
        measure_size(forms, each, each > 100 * 1024 && batches > 20 ? 20 : batches, name);
    MPI_Op_free(&plus);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&both);
    calls_fini();
    MPI_Finalize();
    return 0;
}
