/* ranks: 2 */
#include "program.h"

static void *compute(void *of)
{
    *(int *)of += 1;
    return NULL;
}

static void *leave_early(void *of)
{
    *(int *)of += 1;
    pthread_exit(NULL);
}

/* All threads have ended before a call: one is left. */
int main(void)
{
    int mine = 1, theirs;
    pthread_t thread[2];

    begin();
    for (int turn = 0; turn < 3; turn++) {
        pthread_create(&thread[0], NULL, compute, &mine);
        pthread_join(thread[0], NULL);
        pthread_create(&thread[1], NULL, leave_early, &mine);
        pthread_join(thread[1], NULL);
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
