/* fate: processes that spawn and then meet with what the first argument names, for fate.py. Children sleep,
 * or wait for a word from their parent, until somebody ends them; each makes a file when it is ready. */
#include "spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static void ready(const char *who)
{
    char name[64];

    snprintf(name, sizeof name, "%s-%d", who, world_rank);
    close(open(name, O_CREAT | O_WRONLY, 0600));
}

static void await_file(const char *name)
{
    while (access(name, F_OK))
        usleep(5000);
}

static void doze(void)
{
    for (;;)
        pause();
}

static void crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void child(MPI_Comm parent, const char *fate)
{
    int word;

    if (strcmp(fate, "part") == 0 || strcmp(fate, "part-and-crash") == 0 || strcmp(fate, "survive") == 0)
        CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    ready("child");
    if (strcmp(fate, "abort-child") == 0 && world_rank == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(fate, "crash-child") == 0 && world_rank == 0) {
        crash();
    } else if (strcmp(fate, "part-and-crash") == 0) {
        if (world_rank == 0) {
            await_file("child-1"); /* mpiexec ends it with this one, and then nobody may need it any more */
            await_file("parent-0");
            await_file("parent-1");
            crash();
        }
        doze();
    } else if (strcmp(fate, "survive") == 0) {
        await_file("go");
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        ready("late");
    } else if (strcmp(fate, "part") == 0) {
        printf("child %d reads %d\n", world_rank, getchar()); /* standard input is empty */
    } else if (strcmp(fate, "exit-child") == 0) {
        CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
        exit(5);
    } else {
        CHECK_EQ(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN), MPI_SUCCESS);
        MPI_Recv(&word, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
        doze();
    }
}

static void parent(MPI_Comm inter, const char *fate)
{
    int word, error;

    if (strcmp(fate, "part") == 0 || strcmp(fate, "part-and-crash") == 0 || strcmp(fate, "survive") == 0)
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    ready("parent");
    if (strcmp(fate, "abort-parent") == 0 && world_rank == 0) {
        MPI_Abort(MPI_COMM_WORLD, 9);
    } else if (strcmp(fate, "crash-parent") == 0 && world_rank == world_size - 1) {
        crash();
    } else if (strcmp(fate, "survive") == 0) {
        await_file("child-0");
        await_file("child-1");
        MPI_Abort(MPI_COMM_WORLD, 9);
    } else if (strcmp(fate, "abort-child") == 0 || strcmp(fate, "crash-child") == 0) {
        CHECK_EQ(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN), MPI_SUCCESS);
        error = MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
        CHECK_EQ(MPI_Error_class(error, &error), MPI_SUCCESS);
        CHECK_EQ(error, MPI_ERR_PROC_ABORTED);
        ready("told");
    } else if (strcmp(fate, "part-and-crash") == 0) {
        await_file("go");
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        ready("late");
    } else if (strcmp(fate, "wait") == 0 || strcmp(fate, "crash-parent") == 0 ||
               strcmp(fate, "abort-parent") == 0) {
        doze();
    }
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    int provided;

    start(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    CHECK_EQ(MPI_Comm_get_parent(&inter), MPI_SUCCESS);
    if (inter != MPI_COMM_NULL) {
        child(inter, argv[1]);
    } else {
        CHECK_EQ(MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                                MPI_ERRCODES_IGNORE),
                 MPI_SUCCESS);
        parent(inter, argv[1]);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
