/* ranks: 2 */
#include "program.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 2000}};
    volatile double work = 0;
    int x[4] = {0};
    MPI_Request request;

    begin();
    signal(SIGALRM, count_alarm);
    MPI_Irecv(x, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!alarms && work < 1e9)
        work = work + 1;
    if (!alarms)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (x[3] != 4)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Finalize();
    return 0;
}
