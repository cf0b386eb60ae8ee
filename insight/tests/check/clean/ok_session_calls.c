/* ranks: 4 */
#include "session.h"

static void handle(MPI_Session *s, int *code, ...)
{
    (void)s;
    (void)code;
}

static void exchange(MPI_Comm c)
{
    int me, all, got, sum;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &all);
    MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % all, 0, &got, 1, MPI_INT, (me + all - 1) % all, 0, c,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, c);
    for (int i = 1; i < all && me == 0; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, MPI_STATUS_IGNORE);
    if (me > 0)
        MPI_Send(&me, 1, MPI_INT, 0, 1, c);
}

/* rank 0 posts, the others access */
static void post_and_start(void)
{
    MPI_Group all, part;
    MPI_Win win;
    int *slot, others[3] = {1, 2, 3}, none = 0;

    MPI_Win_allocate(4 * sizeof *slot, sizeof *slot, MPI_INFO_NULL, comm, &slot, &win);
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, rank == 0 ? 3 : 1, rank == 0 ? others : &none, &part);
    if (rank == 0) {
        MPI_Win_post(part, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(part, 0, win);
        MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&part);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}

int main(void)
{
    MPI_Errhandler handler;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < 3; i++) {
        MPI_Comm half, copy, part;
        MPI_Request request;
        MPI_Group group, first;
        int firsts[2] = {0, 2};

        if (i == 1)
            usleep(rank * 20000);
        begin_session();
        exchange(comm);
        MPI_Comm_split(comm, rank / 2, -rank, &half);
        exchange(half);
        MPI_Comm_idup(half, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        exchange(copy);
        MPI_Comm_group(comm, &group);
        MPI_Group_incl(group, 2, firsts, &first);
        if (rank % 2 == 0) {
            MPI_Comm_create_group(comm, first, 3, &part);
            exchange(part);
            MPI_Comm_free(&part);
            MPI_Comm_create_from_group(first, "firsts", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
            exchange(part);
            MPI_Comm_free(&part);
        }
        MPI_Group_free(&first);
        MPI_Group_free(&group);
        post_and_start();
        MPI_Comm_free(&copy);
        MPI_Comm_free(&half);
        if (i == 2)
            MPI_Session_create_errhandler(handle, &handler);
        end_session();
    }
    MPI_Errhandler_free(&handler);
    MPI_Info_free(&info);
    return 0;
}
