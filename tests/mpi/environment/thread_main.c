/* ranks: 1 2 */
/* MPI_Is_thread_main is true in the thread that initialized MPI, and in no other. */
#include "check.h"

#include <pthread.h>

static void *check_main(void *wanted)
{
    int flag = -1;

    CHECK_EQ(MPI_Is_thread_main(&flag), MPI_SUCCESS);
    CHECK_EQ(flag, *(int *)wanted);
    return NULL;
}

int main(void)
{
    int provided, level, is_main = 1, is_not = 0;
    pthread_t thread;

    CHECK_EQ(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_Query_thread(&level), MPI_SUCCESS);
    CHECK_EQ(level, provided);
    check_main(&is_main);
    CHECK_EQ(pthread_create(&thread, NULL, check_main, &is_not), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    check_main(&is_main);
    MPI_Finalize();
    return 0;
}
