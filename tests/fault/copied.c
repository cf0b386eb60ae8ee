/* Rank 1, with this library before the others, ends rank 0 before one of the copies between their memories, and then
 * copies all the same. It lets rank 0 do its own part of that collective before. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGE = 64 * 1024, /* bytes: what collectives copy, and not the first look whether copies work */
    FATAL = 20         /* the copy before which the other ends */
};

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static void end_other(pid_t pid, const struct iovec *here)
{
    static int copies;
    const char *rank = getenv("PMI_RANK");

    if (!rank || strcmp(rank, "1") || here->iov_len < LARGE || ++copies != FATAL)
        return;
    pause_for(200);
    kill(pid, SIGKILL);
    pause_for(50);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long pieces, const struct iovec *there,
                         unsigned long pieces_there, unsigned long flags)
{
    end_other(pid, here);
    return syscall(SYS_process_vm_readv, pid, here, pieces, there, pieces_there, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long pieces,
                          const struct iovec *there, unsigned long pieces_there, unsigned long flags)
{
    end_other(pid, here);
    return syscall(SYS_process_vm_writev, pid, here, pieces, there, pieces_there, flags);
}
