/* ranks: 1 2 4  timeout: 60 */
/* MPI_THREAD_MULTIPLE: several threads make and use communicators, groups and attributes at once. */
#include "check.h"

#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 30
};

static int rank, size, keyval;
static MPI_Comm own[THREADS];
static MPI_Group world;

static int on_copy(MPI_Comm comm, int key, void *extra_state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra_state;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void check_works(MPI_Comm comm)
{
    int one = 1, sum;

    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* Each thread on a communicator of its own, but for MPI_Comm_create_group, which tags tell apart. */
static void *make(void *argument)
{
    int me = (int)(size_t)argument, flag, *value;
    MPI_Comm comm;
    MPI_Request request;

    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, world, me, &comm), MPI_SUCCESS);
        check_works(comm);
        CHECK_EQ(MPI_Comm_set_attr(own[me], keyval, &own[me]), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_idup(own[me], &comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
        CHECK(flag && value == (int *)&own[me]);
        check_works(comm);
        CHECK_EQ(MPI_Comm_dup(own[me], &comm), MPI_SUCCESS);
        check_works(comm);
        CHECK_EQ(MPI_Comm_split(own[me], 0, -rank, &comm), MPI_SUCCESS);
        check_works(comm);
    }
    return NULL;
}

/* Local calls on the same objects. */
static void *share(void *argument)
{
    int me = (int)(size_t)argument, first = 0, n;

    for (int i = 0; i < 1000; i++) {
        MPI_Group group, part;
        MPI_Errhandler handler;
        char name[MPI_MAX_OBJECT_NAME];

        CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_SUCCESS);
        CHECK_EQ(MPI_Group_incl(group, 1, &first, &part), MPI_SUCCESS);
        CHECK_EQ(MPI_Group_size(group, &n), MPI_SUCCESS);
        CHECK_EQ(n, size);
        CHECK_EQ(MPI_Group_free(&part), MPI_SUCCESS);
        CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_errhandler(own[0], me % 2 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_get_errhandler(own[0], &handler), MPI_SUCCESS);
        CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_name(own[0], me % 2 ? "odd" : "even"), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_get_name(own[0], name, &n), MPI_SUCCESS);
        CHECK(strcmp(name, "odd") == 0 || strcmp(name, "even") == 0);
    }
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t thread[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, body, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    run(make);
    run(share);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    MPI_Comm_free_keyval(&keyval);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
