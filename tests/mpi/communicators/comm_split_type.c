/* ranks: 1 2 4 */
/* MPI_Comm_split_type. All ranks are on this host. */
#include "check.h"

#include <sched.h>

static int rank, size;

static void shared_is_everybody_here(void)
{
    MPI_Comm comm, again;
    MPI_Info info;
    int n, r, result;

    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(comm, &r), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(r, size - 1 - rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -rank, info, &again), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(comm, again, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_CONGRUENT);
    MPI_Comm_free(&again);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, info, &again),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(comm, again, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_CONGRUENT);
    MPI_Info_free(&info);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
}

static void info_gives_hints_too(void)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int length = sizeof value, flag;
    MPI_Comm comm;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_string(info, "mpi_assert_exact_length", &length, value, &flag);
    CHECK(flag);
    CHECK_STR(value, "true");
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

static void guided_gives_null(const char *key, const char *value)
{
    static const int types[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
    MPI_Info info = MPI_INFO_NULL;

    if (key) {
        MPI_Info_create(&info);
        MPI_Info_set(info, key, value);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Comm comm = MPI_COMM_SELF;

        CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, types[i], 0, info, &comm), MPI_SUCCESS);
        CHECK(comm == MPI_COMM_NULL);
    }
    if (key)
        MPI_Info_free(&info);
}

static void what_is_not_known_gives_null(void)
{
    guided_gives_null(NULL, NULL);
    guided_gives_null("foo", "bar");
    guided_gives_null("mpi_hw_resource_type", "unknown");
    guided_gives_null("mpi_hw_resource_type", "");
    guided_gives_null("mpi_pset_name", "mpi://WORLD"); /* no session */
}

static void undefined_takes_part(void)
{
    MPI_Comm comm;
    MPI_Info info;
    int n;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_GUIDED, 0, info,
                                 &comm),
             MPI_SUCCESS);
    CHECK_EQ(comm == MPI_COMM_NULL, rank == 0);
    if (rank > 0) {
        MPI_Comm_size(comm, &n);
        CHECK_EQ(n, size - 1);
        MPI_Comm_free(&comm);
    }
    MPI_Info_free(&info);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_UNGUIDED, 0,
                                 MPI_INFO_NULL, &comm),
             MPI_SUCCESS);
    if (rank == 0)
        CHECK(comm == MPI_COMM_NULL);
    if (comm == MPI_COMM_NULL)
        return;
    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
    CHECK(n < size - 1); /* a strict subset of those that asked */
    MPI_Comm_free(&comm);
}

/* Each step must split off a strict subset, so the recursion ends. */
static void unguided_recursion_ends(void)
{
    MPI_Comm comm, next;
    char value[MPI_MAX_INFO_VAL + 1];
    int n, before = size, length, flag;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    while (comm != MPI_COMM_NULL) {
        CHECK_EQ(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &next), MPI_SUCCESS);
        if (next != MPI_COMM_NULL) {
            MPI_Comm_size(next, &n);
            CHECK(n < before);
            before = n;
            length = sizeof value;
            MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value, &flag);
            CHECK(flag);
        }
        MPI_Comm_free(&comm);
        comm = next;
    }
    MPI_Info_free(&info);
}

/* A level that confines the process gives it a communicator, another one MPI_COMM_NULL. */
static void hardware_info_tells_where_a_split_succeeds(void)
{
    MPI_Info hardware;
    cpu_set_t all;
    int levels;

    CHECK_EQ(MPI_Get_hw_resource_info(&hardware), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_nkeys(hardware, &levels), MPI_SUCCESS);
    CHECK(levels > 0 ||
          sched_getaffinity(0, sizeof all, &all) != 0); /* a machine has a core, if it may be asked */
    for (int i = 0; i < levels; i++) {
        char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
        int length = sizeof value, flag;
        MPI_Comm comm;
        MPI_Info info;

        MPI_Info_get_nthkey(hardware, i, key);
        MPI_Info_get_string(hardware, key, &length, value, &flag);
        CHECK(strstr(key, "://"));
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_hw_resource_type", key);
        CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm), MPI_SUCCESS);
        MPI_Info_free(&info);
        CHECK_EQ(comm != MPI_COMM_NULL, strcmp(value, "true") == 0);
        if (comm != MPI_COMM_NULL) {
            CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
            MPI_Comm_free(&comm);
        }
    }
    MPI_Info_free(&hardware);
}

/* Each process on one processor: those of one share a communicator, and who may run on several gets none. */
static void one_communicator_for_each_instance(void)
{
    cpu_set_t all, one;
    int cpu[64], mine = -1, n, others = 0, part_size, at;
    MPI_Comm part;
    MPI_Info info;

    if (sched_getaffinity(0, sizeof all, &all) != 0) /* some containers refuse it, to all ranks alike */
        return;
    for (int i = 0, left = rank % CPU_COUNT(&all); mine < 0; i++)
        if (CPU_ISSET(i, &all) && left-- == 0)
            mine = i;
    CPU_ZERO(&one);
    CPU_SET(mine, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://PU");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -rank, info, &part), MPI_SUCCESS);
    CHECK(part != MPI_COMM_NULL);
    MPI_Comm_size(part, &part_size);
    MPI_Comm_rank(part, &at);
    MPI_Allgather(&mine, 1, MPI_INT, cpu, 1, MPI_INT, MPI_COMM_WORLD);
    n = 0;
    for (int i = 0; i < size; i++) {
        n += cpu[i] == mine;
        others += cpu[i] == mine && i > rank;
    }
    CHECK_EQ(part_size, n); /* the largest subset, and no others */
    CHECK_EQ(at, others);   /* ordered by key */
    MPI_Allgather(&mine, 1, MPI_INT, cpu, 1, MPI_INT, part);
    for (int i = 0; i < part_size; i++)
        CHECK_EQ(cpu[i], mine);
    MPI_Comm_free(&part);

    CHECK_EQ(sched_setaffinity(0, sizeof all, &all), 0);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part), MPI_SUCCESS);
    CHECK_EQ(part == MPI_COMM_NULL, CPU_COUNT(&all) > 1);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Info_free(&info);
}

/* Neither attributes nor topology go along. */
static void nothing_is_inherited(void)
{
    MPI_Comm grid, part;
    int keyval, found, status;
    void *value;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &grid);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(grid, keyval, &grid);
    CHECK_EQ(MPI_Comm_split_type(grid, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_attr(part, keyval, &value, &found), MPI_SUCCESS);
    CHECK(!found);
    CHECK_EQ(MPI_Topo_test(part, &status), MPI_SUCCESS);
    CHECK_EQ(status, MPI_UNDEFINED);
    MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
    MPI_Comm_free_keyval(&keyval);
}

/* All processes must give the same mpi_hw_resource_type, also one that nobody knows; not giving any is legal.
 */
static void levels_that_differ(int split_type)
{
    static const char *const values[][2] = {{"hwloc://PU", "hwloc://Core"}, {"mpi_shared_memory", "unknown"}};
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < 2; i++) {
        MPI_Info_set(info, "mpi_hw_resource_type", values[i][rank == 0]);
        if (size > 1)
            CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, split_type, 0, info, &comm), MPI_ERR_NOT_SAME);
        CHECK(comm == MPI_COMM_SELF);
    }
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, split_type, 0, rank == 0 ? MPI_INFO_NULL : info, &comm),
             MPI_SUCCESS);
    CHECK_EQ(comm == MPI_COMM_NULL, rank == 0);
    if (rank > 0)
        MPI_Comm_free(&comm);
    MPI_Info_free(&info);
}

static void errors_reach_every_rank(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Info info;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, 9999, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
    CHECK_EQ(
        MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? 9999 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm),
        MPI_ERR_ARG);
    if (size > 1)
        CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD,
                                     rank == 0 ? MPI_COMM_TYPE_HW_GUIDED : MPI_COMM_TYPE_SHARED, 0,
                                     MPI_INFO_NULL, &comm),
                 MPI_ERR_NOT_SAME);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    if (rank == size - 1)
        MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD");
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm),
             MPI_ERR_INFO);
    MPI_Info_free(&info);
    levels_that_differ(MPI_COMM_TYPE_HW_GUIDED);
    levels_that_differ(MPI_COMM_TYPE_RESOURCE_GUIDED);
    CHECK(comm == MPI_COMM_SELF);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shared_is_everybody_here();
    info_gives_hints_too();
    what_is_not_known_gives_null();
    undefined_takes_part();
    unguided_recursion_ends();
    hardware_info_tells_where_a_split_succeeds();
    one_communicator_for_each_instance();
    nothing_is_inherited();
    errors_reach_every_rank();
    MPI_Finalize();
    return 0;
}
