/* hints: what the tests of communicators' hints share. Each test is named after the rule that it asserts (RULES.md). */
#ifndef TESTS_HINTS_H
#define TESTS_HINTS_H

#include "check.h"

#include <stdbool.h>

#define NO_ANY_TAG     "mpi_assert_no_any_tag"
#define NO_ANY_SOURCE  "mpi_assert_no_any_source"
#define EXACT_LENGTH   "mpi_assert_exact_length"
#define OVERTAKING     "mpi_assert_allow_overtaking"
#define STRICT         "mpi_assert_strict_persistent_collective_ordering"
#define ASSERTED_KINDS "mpi_assert_memory_alloc_kinds"
#define KINDS          "mpi_memory_alloc_kinds"

static const char *const assertions[] = {NO_ANY_TAG, NO_ANY_SOURCE, EXACT_LENGTH, OVERTAKING, STRICT};
/* Settings of the process that are hints of communicators, too. */
static const char *const algorithms[] = {
    "inkling_barrier",  "inkling_bcast",          "inkling_reduce", "inkling_allreduce", "inkling_allgather",
    "inkling_alltoall", "inkling_reduce_scatter", "inkling_gather", "inkling_scatter",   "inkling_scan"};
enum {
    ASSERTIONS = sizeof assertions / sizeof *assertions,
    ALGORITHMS = sizeof algorithms / sizeof *algorithms
};

/* The value of key in info; NULL when it has none. Stands until the next call. */
static inline const char *value_of(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    int size = sizeof value, found = -1;

    CHECK_EQ(MPI_Info_get_string(info, key, &size, value, &found), MPI_SUCCESS);
    return found ? value : NULL;
}

/* Likewise of what the communicator reports. */
static inline const char *hint_of(MPI_Comm comm, const char *key)
{
    MPI_Info info = MPI_INFO_NULL;
    const char *value;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK(info != MPI_INFO_NULL);
    value = value_of(info, key);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return value;
}

#define CHECK_HINT(comm, key, expected) CHECK_STR(hint_of(comm, key), expected)
#define CHECK_NO_HINT(comm, key)        CHECK(hint_of(comm, key) == NULL)

/* An info with one pair. */
static inline MPI_Info info_with(const char *key, const char *value)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
    return info;
}

static inline void set_hint(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);

    CHECK_EQ(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static inline MPI_Comm dup_with_hint(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);
    MPI_Comm dup = MPI_COMM_NULL;

    CHECK_EQ(MPI_Comm_dup_with_info(comm, info, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return dup;
}

static inline MPI_Comm dup_of(MPI_Comm comm)
{
    MPI_Comm dup = MPI_COMM_NULL;

    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    return dup;
}

/* What a communicator starts with: the environment's value, written as the library writes it. */
static inline const char *setting(const char *variable, const char *def)
{
    const char *set = getenv(variable);

    return set ? set : def;
}

/* Whether this process has a library of such a name. */
static inline bool is_loaded(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    bool is = false;
    char line[1000];

    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps))
        is |= strstr(line, name) != NULL;
    fclose(maps);
    return is;
}

/* The communicator reports the defaults and nothing else. */
static inline void check_defaults(MPI_Comm comm)
{
    bool has_ofi = is_loaded("/libfabric.so"); /* which takes less at once */
    MPI_Info info;
    int count;

    for (int i = 0; i < ASSERTIONS; i++)
        CHECK_HINT(comm, assertions[i], "false");
    for (int i = 0; i < ALGORITHMS; i++)
        CHECK_HINT(comm, algorithms[i], "auto");
    CHECK_HINT(comm, "inkling_reproducible_reductions", "false");
    CHECK_NO_HINT(comm, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    CHECK_HINT(comm, "inkling_eager_limit", setting("INKLING_EAGER_LIMIT", "4K"));
    CHECK_HINT(comm, "inkling_ofi_eager_limit", setting("INKLING_OFI_EAGER_LIMIT", has_ofi ? "32K" : "64K"));
    CHECK_EQ(count, ASSERTIONS + ALGORITHMS + 4); /* and the reductions, the limits, and the kinds */
    CHECK(value_of(info, KINDS) != NULL);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Whether the comma separated list has the element. */
static inline int has_kind(const char *list, const char *kind)
{
    size_t length = strlen(kind);

    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, kind, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return 1;
    return 0;
}

static inline int rank_in(MPI_Comm comm)
{
    int rank;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    return rank;
}

static inline int size_of(MPI_Comm comm)
{
    int size;

    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    return size;
}

#endif
