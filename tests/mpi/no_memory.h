/* no_memory: each allocation fails once in the calls that make objects and requests. The call either returns
 * an error and no result, or goes on without the memory; the next call works. What was allocated in vain, or
 * for objects that are gone, is freed.
 *
 * Objects are allocated in chunks, so each step makes many of them before it drops them.
 */
#ifndef TESTS_MPI_NO_MEMORY_H
#define TESTS_MPI_NO_MEMORY_H

#include "failing_memory.h"

enum {
    CROWD = 72,
    AGAIN = 5 /* crowds that fill a room when each leaves its objects in it */
};

static MPI_Comm comm[CROWD];
static MPI_Group group[CROWD], world_group;
static MPI_Info info[CROWD], some_info;
static MPI_Datatype type[CROWD], mixed;
static MPI_Request request[CROWD];
static MPI_Session session[CROWD];
static MPI_Errhandler errhandler[CROWD];
static MPI_Op op[CROWD];
static void *memory[CROWD];
static int number
    [CROWD]; /* of keyvals, error classes and codes; not MPI_KEYVAL_INVALID: what is in no array is made */
static int value[CROWD], zeros[CROWD], ones[CROWD];

static void forget(void)
{
    for (int i = 0; i < CROWD; i++) {
        comm[i] = MPI_COMM_NULL;
        group[i] = MPI_GROUP_NULL;
        info[i] = MPI_INFO_NULL;
        type[i] = MPI_DATATYPE_NULL;
        request[i] = MPI_REQUEST_NULL;
        session[i] = MPI_SESSION_NULL;
        errhandler[i] = MPI_ERRHANDLER_NULL;
        op[i] = MPI_OP_NULL;
        memory[i] = NULL;
        number[i] = MPI_KEYVAL_INVALID;
    }
}

struct step {
    const char *name;
    int (*make)(int i); /* the i-th of a kind */
    int (*drop)(int i);
};

/* Whether some i-th object is there. */
static bool is_made(int i)
{
    return comm[i] != MPI_COMM_NULL || group[i] != MPI_GROUP_NULL || info[i] != MPI_INFO_NULL ||
           type[i] != MPI_DATATYPE_NULL || request[i] != MPI_REQUEST_NULL || session[i] != MPI_SESSION_NULL ||
           errhandler[i] != MPI_ERRHANDLER_NULL || op[i] != MPI_OP_NULL || memory[i] ||
           number[i] != MPI_KEYVAL_INVALID;
}

/* Makes a crowd, in which the n-th allocation fails; false: there are not so many. */
static bool take(const struct step *step, long n)
{
    int made, code = MPI_SUCCESS;

    forget();
    until_failure = n;
    for (made = 0; made < CROWD && code == MPI_SUCCESS; made++)
        code = step->make(made);
    if (code != MPI_SUCCESS) {
        made--;
        if (class_of(code) != MPI_ERR_NO_MEM || until_failure || is_made(made))
            fprintf(stderr, "%s, allocation %ld of %d calls\n", step->name, n, made + 1);
        CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
        CHECK_EQ(until_failure, 0);
        CHECK(!is_made(made));
    }
    bool is_over = until_failure > 0;
    until_failure = 0;
    while (made-- > 0) {
        CHECK(is_made(made));
        CHECK_EQ(step->drop(made), MPI_SUCCESS);
    }
    return !is_over;
}

static void check_freed(const struct step *step, long n, long before)
{
    if (live != before)
        fprintf(stderr, "%s, allocation %ld: %ld blocks are left\n", step->name, n, live - before);
    CHECK_EQ(live, before);
}

static void take_steps(const struct step *steps, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        long begin;

        for (long n = 1; take(&steps[s], n); n++)
            if (n > 8) /* by then the library has its chunks, which stay */
                break;
        take(&steps[s], 0);
        begin = live;
        for (long n = 1; take(&steps[s], n); n += 1 + n / 20) /* the first ones all: the rest repeats */
            check_freed(&steps[s], n, begin);
        for (int i = 0; i < AGAIN; i++)
            take(&steps[s], 0);
        check_freed(&steps[s], 0, begin);
    }
}

/* With locks where the environment says so: builds with assertions notice one that is not held, or held twice. */
static void begin_steps(void)
{
    int level = getenv("NO_MEMORY_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, provided;

    MPI_Init_thread(NULL, NULL, level, &provided);
    CHECK_EQ(provided, level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Info_create(&some_info);
    MPI_Info_set(some_info, "a key", "its value");
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE},
                           &mixed);
    MPI_Type_commit(&mixed);
    for (int i = 0; i < CROWD; i++)
        ones[i] = 1;
}

static void end_steps(void)
{
    MPI_Type_free(&mixed);
    MPI_Info_free(&some_info);
    MPI_Group_free(&world_group);
    MPI_Finalize();
}

#endif
