/* ranks: 2 */
/* A watchpoint's trap of which the virtual machine has lost the cause: under INKLING_CMA=true, hardware watches the buffer. */
#include "program.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static void trap(void)
{
    const char *cma = getenv("INKLING_CMA");
    siginfo_t info = {.si_signo = SIGTRAP, .si_code = TRAP_BRKPT};
    struct sigaction handler;

    sigaction(SIGTRAP, NULL, &handler);
    if (cma && strcmp(cma, "true") == 0 && handler.sa_handler != SIG_DFL)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), SIGTRAP, &info);
}

int main(void)
{
    MPI_Request request;
    int got = 0;

    begin();
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    trap();
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return got != 1 - rank;
}
