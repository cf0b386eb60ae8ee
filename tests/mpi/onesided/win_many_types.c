/* ranks: 2 3  timeout: 60  also: INKLING_TRANSPORT=ofi */
/* Types of targets, as agents are told of them: by type, count and rank, and by each origin; more than an agent remembers: the first ones
 * are told again. */
#include "win.h"

enum {
    TYPES = 1100,
    COUNTS = 3,
    ITEM = 8,             /* ints */
    PART = ITEM * COUNTS, /* for one put */
    SHARE = PART * COUNTS /* of an origin */
};

static int memory[2 * TYPES];
static MPI_Datatype type[TYPES]; /* each is two of the window's ints */

static void make_types(void)
{
    for (int i = 0; i < TYPES; i++) {
        OK(MPI_Type_create_indexed_block(2, 1, (int[]){i, TYPES + i}, MPI_INT, &type[i]));
        OK(MPI_Type_commit(&type[i]));
    }
}

static void put_all(MPI_Win win, int turn)
{
    int pair[TYPES][2];

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    for (int i = 0; i < TYPES; i++) {
        pair[i][0] = turn * TYPES + i;
        pair[i][1] = -pair[i][0];
        OK(MPI_Put(pair[i], 2, MPI_INT, 1, 0, 1, type[i], win));
    }
    OK(MPI_Win_unlock(1, win));
}

static int given(int origin, int target, int count, int i)
{
    return 1000 * (origin + 1) + 100 * target + 10 * count + i;
}

/* The gap tells the origin. */
static MPI_Datatype type_of_origin(void)
{
    MPI_Datatype pair, item;

    OK(MPI_Type_vector(2, 1, 2 + rank, MPI_INT, &pair));
    OK(MPI_Type_create_resized(pair, 0, ITEM * sizeof(int), &item));
    OK(MPI_Type_commit(&item));
    OK(MPI_Type_free(&pair));
    return item;
}

static void check_share(int origin)
{
    for (int count = 1; count <= COUNTS; count++)
        for (int i = 0; i < PART; i++) {
            int item = i / ITEM, place = i % ITEM, wanted = 0;

            if (item < count && (place == 0 || place == 2 + origin))
                wanted = given(origin, rank, count, 2 * item + (place > 0));
            CHECK_EQ(memory[origin * SHARE + (count - 1) * PART + i], wanted);
        }
}

/* One type, with several counts, to several ranks, of several origins. */
static void vary_each_part(MPI_Win win)
{
    MPI_Datatype item = type_of_origin();

    for (int count = 1; count <= COUNTS; count++)
        for (int target = 0; target < size; target++) {
            int data[2 * COUNTS];

            for (int i = 0; i < 2 * count; i++)
                data[i] = given(rank, target, count, i);
            OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
            OK(MPI_Put(data, 2 * count, MPI_INT, target, rank * SHARE + (count - 1) * PART, count, item,
                       win));
            OK(MPI_Win_unlock(target, win));
        }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int origin = 0; origin < size; origin++)
        check_share(origin);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Type_free(&item));
}

int main(int argc, char **argv)
{
    MPI_Win win;

    set_up(&argc, &argv);
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    vary_each_part(win);
    make_types();
    for (int turn = 1; turn < 4; turn++) {
        if (rank == 0)
            put_all(win, turn);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        for (int i = 0; i < TYPES && rank == 1; i++) {
            CHECK_EQ(memory[i], turn * TYPES + i);
            CHECK_EQ(memory[TYPES + i], -memory[i]);
        }
        OK(MPI_Win_unlock(rank, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int i = 0; i < TYPES; i++)
        OK(MPI_Type_free(&type[i]));
    OK(MPI_Win_free(&win));
    MPI_Finalize();
    return 0;
}
