/* ranks: 1 2 */
/* R14: get_info is local and may be called by several threads at once, while messages pass. */
#include "hints.h"

#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 100
};

static MPI_Comm comm;

static void *look(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        char value[16];
        int size = sizeof value, found = 0;
        MPI_Info info;

        CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_get_string(info, NO_ANY_TAG, &size, value, &found), MPI_SUCCESS);
        CHECK(found);
        CHECK_STR(value, "true");
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    return unused;
}

static void pass_messages(void)
{
    int rank = rank_in(comm), peer = rank ^ 1, in, out;

    for (int i = 0; i < ROUNDS && size_of(comm) == 2; i++) {
        out = i;
        CHECK_EQ(MPI_Sendrecv(&out, 1, MPI_INT, peer, 0, &in, 1, MPI_INT, peer, 0, comm, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(in, i);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided, threads = 0;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    comm = dup_with_hint(MPI_COMM_WORLD, NO_ANY_TAG, "true");
    if (provided == MPI_THREAD_MULTIPLE && rank_in(comm) == 0) /* the other rank never asks */
        for (; threads < THREADS; threads++)
            CHECK_EQ(pthread_create(&thread[threads], NULL, look, NULL), 0);
    pass_messages();
    for (int i = 0; i < threads; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
