/* survive_memory [agree|iagree|shrink|ishrink]: all sorts of calls, while the last rank dies and allocations of another one fail (allocation.c). A
 * call of the rank without memory gives MPI_ERR_NO_MEM or goes on; where it cannot take part in an agreement it leaves. The others go on to the
 * right result.
 *
 * With an argument only that call meets such an allocation, and nobody leaves: MPI_ERR_NO_MEM says that the rank has not taken part yet. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* allocation.c */
void fault_begin(void) __attribute__((weak));
void fault_end(void) __attribute__((weak));

enum {
    LARGE = 1 << 17, /* items that do not travel at once */
    TRIES = 3
};

static MPI_Comm comm;
static int me, rank, size; /* in MPI_COMM_WORLD; in comm */
static int in[LARGE], out[LARGE];

static _Noreturn void wrong(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    if (code)
        MPI_Error_string(code, text, &length);
    fprintf(stderr, "rank %d: not so: %s %s\n", me, what, text);
    exit(3);
}

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

static int check(int error, const char *what)
{
    int class = class_of(error);

    if (error && class != MPI_ERR_NO_MEM && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED &&
        class != MPI_ERR_OTHER)
        wrong(what, error);
    return error;
}

static int messages(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, error = MPI_SUCCESS;

    for (int count = 1; count <= LARGE && !error; count += LARGE - 1) {
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        int first;

        in[0] = rank;
        out[0] = -1;
        error = MPI_Irecv(out, count, MPI_INT, left, 1, comm, &request[0]);
        first = MPI_Isend(in, count, MPI_INT, right, 1, comm, &request[1]);
        error = error ? error : first;
        if (error)
            MPIX_Comm_revoke(comm); /* ends what the neighbours wait for, and the other request */
        for (int i = 0; i < 2; i++) {
            first = MPI_Wait(&request[i], MPI_STATUS_IGNORE);
            error = error ? error : first;
        }
        if (!error && out[0] != left)
            wrong("a message", 0);
    }
    return check(error, "messages");
}

static int sums(void)
{
    MPI_Request request;
    int sum = 0, expected = size * (size - 1) / 2,
        error = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);

    if (!error && sum != expected)
        wrong("a sum", 0);
    in[LARGE - 1] = rank;
    if (!error)
        error = MPI_Iallreduce(in, out, LARGE, MPI_INT, MPI_SUM, comm, &request);
    if (!error)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!error && out[LARGE - 1] != expected)
        wrong("a sum of many", 0);
    return check(error, "sums");
}

static int copies(void)
{
    MPI_Comm copy;
    int error = MPI_Comm_dup(comm, &copy);

    if (error)
        return check(error, "MPI_Comm_dup");
    error = MPI_Barrier(copy);
    if (error)
        MPIX_Comm_revoke(copy);
    MPI_Comm_free(&copy);
    return check(error, "MPI_Barrier");
}

static int window(void)
{
    int *base, error, freed;
    MPI_Win win;

    error = MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, comm, &base, &win);
    if (error)
        return check(error, "MPI_Win_allocate");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    error = MPI_Win_fence(0, win);
    if (!error)
        error = MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    if (!error)
        error = MPI_Win_fence(0, win);
    if (!error && *base != (rank + size - 1) % size)
        wrong("a put", 0);
    if (error)
        MPIX_Win_revoke(win);
    freed = MPI_Win_free(&win);
    return check(error ? error : freed, "a window");
}

/* The last rank, at the first call; the others ask it for a message. */
static int dies(void)
{
    static bool is_over;
    int error = MPI_SUCCESS;

    if (is_over)
        return MPI_SUCCESS;
    is_over = true;
    if (rank == size - 1)
        raise(SIGKILL);
    error = MPI_Recv(out, 1, MPI_INT, size - 1, 2, comm, MPI_STATUS_IGNORE);
    if (!error)
        wrong("a message of the dead", 0);
    return check(error, "MPI_Recv");
}

static int (*const step[])(void) = {messages, sums, copies, window, dies, messages, sums, copies, window};

static int finish(int error, MPI_Request *request)
{
    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* This rank cannot tell the others what they need from it. */
static _Noreturn void leave(const char *call, int error)
{
    check(error, call);
    fprintf(stderr, "rank %d leaves: %s\n", me, call);
    exit(4);
}

/* Whether a step has succeeded on all ranks. */
static bool agree(bool is_right, int number)
{
    int flag = is_right, error = MPI_ERR_NO_MEM;
    MPI_Request request;

    for (int i = 0; i < TRIES && class_of(error) == MPI_ERR_NO_MEM; i++)
        error = number % 2 ? finish(MPIX_Comm_iagree(comm, &flag, &request), &request)
                           : MPIX_Comm_agree(comm, &flag);
    if (error && class_of(error) != MPIX_ERR_PROC_FAILED)
        leave("MPIX_Comm_agree", error);
    return !error && flag;
}

static void shrink(int number)
{
    MPI_Comm next;
    MPI_Request request;
    int error = MPI_ERR_NO_MEM;

    for (int i = 0; i < TRIES && class_of(error) == MPI_ERR_NO_MEM; i++)
        error = number % 2 ? finish(MPIX_Comm_ishrink(comm, &next, &request), &request)
                           : MPIX_Comm_shrink(comm, &next);
    if (error)
        leave("MPIX_Comm_shrink", error);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    comm = next;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

static void set_fault(void (*change)(void))
{
    if (change)
        change();
}

/* A loss, and one call for it; the communicator must be of all who live, on all of them. */
static void try_one(const char *call)
{
    int sum = 0, living = size - 1;

    dies();
    set_fault(fault_begin);
    if (strstr(call, "agree"))
        agree(true, call[0] == 'i');
    else
        shrink(call[0] == 'i');
    set_fault(fault_end);
    if (strstr(call, "agree"))
        shrink(0);
    if (MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm) || size != living || sum != living)
        wrong("the communicator of who lives", 0);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? 0 : (int)(sizeof step / sizeof *step);

    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (argc > 1)
        try_one(argv[1]);
    for (int i = 0, tries = 0; i < steps; tries++) {
        int error = step[i]();

        if (error)
            MPIX_Comm_revoke(comm); /* others may wait for this rank */
        if (agree(!error, i)) {
            i++;
            tries = 0;
        } else if (tries == TRIES) {
            leave("a step that fails again and again", error);
        } else {
            shrink(i);
        }
    }
    MPI_Finalize();
    printf("rank %d of %d has done all\n", me, size);
    return 0;
}
