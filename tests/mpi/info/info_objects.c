/* ranks: 1 */
/* The Info chapter: pairs are kept byte for byte in the order in which they came. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

static void check_value(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "untouched";
    int size = sizeof value, found = -1;

    CHECK_EQ(MPI_Info_get_string(info, key, &size, value, &found), MPI_SUCCESS);
    CHECK_EQ(found, expected != NULL);
    CHECK_STR(value, expected ? expected : "untouched");
    CHECK_EQ(size, expected ? strlen(expected) + 1 : sizeof value);
}

static void check_key(MPI_Info info, int n, const char *expected)
{
    char key[MPI_MAX_INFO_KEY];

    CHECK_EQ(MPI_Info_get_nthkey(info, n, key), MPI_SUCCESS);
    CHECK_STR(key, expected);
}

static int count_of(MPI_Info info)
{
    int count = -1;

    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    return count;
}

static void keep_pairs(void)
{
    MPI_Info info, dup;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(count_of(info), 0);
    CHECK_EQ(MPI_Info_set(info, "one", " 1 "), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "two", "2"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "three", ""), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "one", "I"), MPI_SUCCESS);
    CHECK_EQ(count_of(info), 3);
    check_key(info, 0, "one");
    check_key(info, 2, "three");
    check_value(info, "one", "I");
    check_value(info, "three", "");
    check_value(info, "ONE", NULL);
    CHECK_EQ(MPI_Info_dup(info, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_delete(info, "one"), MPI_SUCCESS);
    check_key(info, 0, "two");
    CHECK_EQ(count_of(dup), 3);
    check_key(dup, 0, "one");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK(info == MPI_INFO_NULL);
    check_value(dup, "one", "I");
    CHECK_EQ(MPI_Info_free(&dup), MPI_SUCCESS);
}

static void cut_values(void)
{
    char value[8] = "before";
    int size = 0, found = 0;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "key", "abcdef"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, "key", &size, value, &found), MPI_SUCCESS);
    CHECK(found && size == 7);
    CHECK_STR(value, "before");
    size = 4;
    CHECK_EQ(MPI_Info_get_string(info, "key", &size, value, &found), MPI_SUCCESS);
    CHECK(found && size == 7);
    CHECK_STR(value, "abc");
    CHECK_EQ(MPI_Info_get(info, "key", 4, value, &found), MPI_SUCCESS);
    CHECK_STR(value, "abcd");
    CHECK_EQ(MPI_Info_get_valuelen(info, "key", &size, &found), MPI_SUCCESS);
    CHECK(found && size == 6);
    CHECK_EQ(MPI_Info_get_valuelen(info, "absent", &size, &found), MPI_SUCCESS);
    CHECK(!found && size == 6);
    CHECK_EQ(MPI_Info_get(info, "absent", 4, value, &found), MPI_SUCCESS);
    CHECK(!found);
    CHECK_STR(value, "abcd");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void refuse_errors(void)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 2];
    int found, size = -1;
    MPI_Info info, freed, null = MPI_INFO_NULL;

    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    freed = info;
    CHECK_EQ(MPI_Info_set(info, key, "v"), MPI_ERR_INFO_KEY);
    CHECK_EQ(MPI_Info_set(info, "k", value), MPI_ERR_INFO_VALUE);
    CHECK_EQ(MPI_Info_delete(info, "k"), MPI_ERR_INFO_NOKEY);
    CHECK_EQ(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
    CHECK_EQ(MPI_Info_get_string(info, "k", &size, value, &found), MPI_ERR_ARG);
    CHECK_EQ(MPI_Info_set(MPI_INFO_NULL, "k", "v"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_free(&null), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(freed, "k", "v"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_free(&freed), MPI_ERR_INFO);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    keep_pairs();
    cut_values();
    refuse_errors();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
