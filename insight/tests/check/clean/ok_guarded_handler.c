/* ranks: 2 */
#include "program.h"
#include <signal.h>
#include <sys/mman.h>

static char *guarded;
static volatile sig_atomic_t was_opened;

static void open_page(int number)
{
    (void)number;
    was_opened = 1;
    mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
    int x[4] = {0};
    char *page;
    MPI_Request request;

    begin();
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guarded = page;
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = open_page}, NULL);
    MPI_Irecv(x, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    *page = 1; /* by the handler of this program */
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!was_opened)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
