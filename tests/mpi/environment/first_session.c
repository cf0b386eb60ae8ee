/* ranks: 2  not: address  not: thread */
/* The first session of a process cannot be opened, for want of memory. The call says so, and leaves no memory, descriptor
 * or mapping behind, however often it is tried. Afterwards it works. */
#include "held.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TRIES = 8,
    WENT_ON = 2, /* exit code of a child: without the memory, or it was not asked for */
    ENDS = 3     /* so many in a row, and there are no more allocations */
};

/* Counts as an allocation. */
SEEN_BY_ALL void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (fails())
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}

static bool is_same(struct held a, struct held b)
{
    return a.blocks == b.blocks && a.descriptors == b.descriptors && a.mappings == b.mappings;
}

/* The n-th allocation fails, so long as less is left than before: chunks of pools stay. */
static int fail_often(long n)
{
    struct held before = {0}, after = held_now();
    MPI_Session session = MPI_SESSION_NULL;

    for (int i = 0; i < TRIES && !is_same(before, after); i++) {
        int code;

        before = after;
        until_failure = n;
        code = TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        if (code == MPI_SUCCESS)
            return WENT_ON;
        CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
        CHECK(session == MPI_SESSION_NULL);
        after = held_now();
    }
    if (!is_same(before, after))
        fprintf(stderr, "allocation %ld: each time %ld blocks, %ld descriptors, %ld mappings are left\n", n,
                after.blocks - before.blocks, after.descriptors - before.descriptors,
                after.mappings - before.mappings);
    CHECK(is_same(before, after));
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    return 0;
}

/* Where this process alone hears what it tells the launcher. */
static void leave_the_launcher(void)
{
    int ends[2];
    char number[12];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
}

/* A process that has opened the library's layers keeps them, so each n has a child. */
static int fail_in_child(long n)
{
    pid_t child = fork();
    int status = 0;

    CHECK(child >= 0);
    if (child == 0) {
        leave_the_launcher();
        _exit(fail_often(n)); /* without a farewell to the launcher */
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void)
{
    int failed = 0, rank, other = -1;

    for (long n = 1, ends = 0; ends < ENDS; n++) {
        int code = fail_in_child(n);

        CHECK(code == 0 || code == WENT_ON);
        failed += code == 0;
        ends = code == 0 ? 0 : ends + 1;
    }
    CHECK(failed > 0);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(other, 1 - rank);
    MPI_Finalize();
    return 0;
}
