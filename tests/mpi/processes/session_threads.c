/* ranks: 1 2 4 timeout: 60 */
/* Threads open sessions, make communicators under tags of their own and close them, all at once. */
#include "session.h"

#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 25
};

static void *live(void *number)
{
    char tag[32];

    snprintf(tag, sizeof tag, "org.example.thread-%d", (int)(intptr_t)number);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Session session = open_session();
        MPI_Comm comm = comm_of(session, "mpi://WORLD", tag);

        check_traffic(comm);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        close_session(&session);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, live, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    return 0;
}
