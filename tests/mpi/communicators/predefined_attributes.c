/* ranks: 1 2 4 */
/* MPI_TAG_UB and the other predefined attributes exist, are right, do not change, and cannot be changed by
 * the program. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

static int rank, size;

/* NULL: not set */
static int *get(MPI_Comm comm, int keyval)
{
    int *value = NULL, *again = NULL, flag;

    CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
    if (!flag)
        return NULL;
    CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &again, &flag), MPI_SUCCESS);
    CHECK(again == value);
    return value;
}

static void values_on_world(void)
{
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_TAG_UB), 2147483647);
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_HOST), MPI_PROC_NULL);
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_IO), MPI_ANY_SOURCE);
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL), 1); /* all ranks are on one host */
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
    CHECK_EQ(*get(MPI_COMM_WORLD, MPIX_FT), 0); /* a rank that dies ends the job: no --survive */
    CHECK(get(MPI_COMM_SELF, MPIX_FT) == NULL);
    if (get(MPI_COMM_WORLD, MPI_APPNUM))
        CHECK_EQ(*get(MPI_COMM_WORLD, MPI_APPNUM), 0);
    if (get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE))
        CHECK(*get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE) >= size);
}

static void clock_is_global_as_promised(void)
{
    double mine = 0, theirs;

    for (int i = 0; i < 100; i++) {
        int left = (rank + size - 1) % size, right = (rank + 1) % size;

        mine = MPI_Wtime();
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, right, 0, &theirs, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(theirs <= MPI_Wtime());
    }
}

static void tag_ub_is_on_every_communicator(void)
{
    int tag, got = -1;
    MPI_Comm comm[3];
    MPI_Group group;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm[1]);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm[2]);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(*get(comm[i], MPI_TAG_UB), 2147483647);
        tag = *get(comm[i], MPI_TAG_UB);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &got, 1, MPI_INT, (rank + size - 1) % size,
                     tag, comm[i], MPI_STATUS_IGNORE);
        CHECK_EQ(got, (rank + size - 1) % size);
        MPI_Comm_free(&comm[i]);
    }
    CHECK_EQ(*get(MPI_COMM_SELF, MPI_TAG_UB), 2147483647);
    MPI_Group_free(&group);
}

static void last_used_code_follows_the_program(void)
{
    int *last = get(MPI_COMM_WORLD, MPI_LASTUSEDCODE), class, code;

    MPI_Add_error_class(&class);
    CHECK_EQ(*last, class);
    MPI_Add_error_code(class, &code);
    CHECK_EQ(*last, code);
    CHECK_EQ(*get(MPI_COMM_WORLD, MPI_LASTUSEDCODE), code);
    MPI_Remove_error_code(code);
    CHECK_EQ(*last, class);
    MPI_Remove_error_class(class);
    CHECK_EQ(*last, MPI_ERR_LASTCODE);
}

static void they_cannot_be_changed(void)
{
    static const int keys[] = {MPI_TAG_UB,       MPI_HOST,          MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM,
                               MPI_LASTUSEDCODE, MPI_UNIVERSE_SIZE, MPIX_FT};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int keyval = keys[i];

        CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &rank), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_ERR_KEYVAL);
        CHECK_EQ(keyval, keys[i]);
        CHECK_EQ(MPI_Attr_put(MPI_COMM_WORLD, keyval, &rank), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Attr_delete(MPI_COMM_WORLD, keyval), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Keyval_free(&keyval), MPI_ERR_KEYVAL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    values_on_world();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    values_on_world();
    clock_is_global_as_promised();
    tag_ub_is_on_every_communicator();
    last_used_code_follows_the_program();
    they_cannot_be_changed();
    MPI_Finalize();
    return 0;
}
