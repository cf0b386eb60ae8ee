/* ranks: 1 2 also: INKLING_TRANSPORT=ofi not: thread */
/* A handler of exit() that was registered before MPI_Init runs last, when libraries that MPI uses may have taken themselves
 * down: no thread of MPI is left then. A child of fork() that exits does not end the parent's. ThreadSanitizer has a thread of its
 * own. */
#include "check.h"

#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 10 /* seconds: a thread that was joined is listed for a moment still */
};

static int threads_before;
static pid_t parent;

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    int count = 0;

    CHECK(tasks != NULL);
    while ((task = readdir(tasks)) != NULL)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static void look_for_threads(void)
{
    time_t end = time(NULL) + PATIENCE;

    if (getpid() != parent)
        return;
    while (count_threads() != threads_before && time(NULL) < end)
        sched_yield();
    if (count_threads() == threads_before)
        return;
    fprintf(stderr, "%d threads at the end, %d before MPI_Init\n", count_threads(), threads_before);
    _exit(1);
}

static void exit_in_child(void)
{
    pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if (child == 0)
        exit(3);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(int argc, char **argv)
{
    int threads, rank, size;

    parent = getpid();
    threads_before = count_threads();
    CHECK_EQ(atexit(look_for_threads), 0);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(NULL, 0, MPI_INT, (rank + 1) % size, 0, NULL, 0, MPI_INT, (rank + size - 1) % size,
                          0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    threads = count_threads();
    exit_in_child();
    CHECK_EQ(count_threads(), threads);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
