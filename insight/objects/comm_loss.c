#include "insight/objects/comm_loss.h"

#include "insight/board/process_record.h"
#include "insight/findings/finding.h"
#include "insight/objects/file_record.h"
#include "insight/objects/win_record.h"

#include <stdio.h>

MPI_Errhandler comm_quiet_begin(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (!real.Comm_get_errhandler(comm, &handler))
        real.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return handler;
}

void comm_quiet_end(MPI_Comm comm, MPI_Errhandler handler)
{
    if (handler == MPI_ERRHANDLER_NULL)
        return;
    real.Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_ABORT)
        real.Errhandler_free(&handler);
}

static int class_of_code(int error)
{
    int class = MPI_SUCCESS;

    if (error)
        real.Error_class(error, &class);
    return class;
}

/* The others wait for this rank, which cannot take part. */
_Noreturn static void comm_quiet_give_up(int error)
{
    fprintf(stderr, "inkling check: rank %d has no memory to agree with the others: the job ends\n",
            process.rank);
    process_abort(error, END_ERROR);
}

bool comm_quiet_agree(MPI_Comm comm, bool mine)
{
    MPI_Errhandler handler = comm_quiet_begin(comm);
    int flag = mine, all = 0, error = MPI_ERR_UNSUPPORTED_OPERATION;

    if (real.X_Comm_agree)
        error = real.X_Comm_agree(comm, &flag);
    if (!error || comm_loss_of_error(error) != LOSS_NOT)
        all = flag;
    else if (class_of_code(error) != MPI_ERR_NO_MEM)
        error = real.Allreduce(&flag, &all, 1, MPI_INT, MPI_MIN, comm);
    if (class_of_code(error) == MPI_ERR_NO_MEM)
        comm_quiet_give_up(error);
    comm_quiet_end(comm, handler);
    return all;
}

enum comm_loss comm_loss_of_error(int error)
{
    int class = class_of_code(error);

    return class == MPIX_ERR_PROC_FAILED           ? LOSS_FAILED
           : class == MPIX_ERR_PROC_FAILED_PENDING ? LOSS_PENDING
           : class == MPIX_ERR_REVOKED             ? LOSS_REVOKED
                                                   : LOSS_NOT;
}

bool comm_loss_is_over(const struct comm_record *comm)
{
    bool is_over = comm && loss_is_over(comm->number);

    if (is_over || !comm || !comm->world || loss_news() == 0)
        return is_over;
    for (int i = 0; i < comm->members && !is_over; i++)
        is_over = loss_is_dead(comm->world[i]);
    if (is_over)
        loss_add_over(comm->number);
    return is_over;
}

bool comm_loss_has_ended(const struct request_record *r)
{
    if (r->is_lost || loss_news() == 0)
        return r->is_lost;
    if (r->base.maker && r->base.maker->family == FAMILY_RMA_REQUEST && r->win)
        return comm_loss_is_over(&((const struct win_record *)r->win)->comm);
    return comm_loss_is_over(comm_check_find(r->comm));
}

/* Where no mpiexec has written it down. */
static void learn_dead(void)
{
    MPI_Group failed, world;
    int size = 0, rank;

    if (!process.has_world || !real.X_Comm_get_failed || real.X_Comm_get_failed(MPI_COMM_WORLD, &failed))
        return;
    real.Comm_group(MPI_COMM_WORLD, &world);
    real.Group_size(failed, &size);
    for (int i = 0; i < size; i++)
        if (!real.Group_translate_ranks(failed, 1, &i, world, &rank))
            loss_add_dead(board, rank);
    real.Group_free(&world);
    if (failed != MPI_GROUP_EMPTY)
        real.Group_free(&failed);
}

void comm_loss_learn(const struct comm_record *comm, int error)
{
    enum comm_loss loss = board ? comm_loss_of_error(error) : LOSS_NOT;

    if (loss == LOSS_FAILED || loss == LOSS_PENDING)
        learn_dead();
    if (comm && loss == LOSS_REVOKED)
        loss_add_revoked(comm->number);
    else if (comm && loss != LOSS_NOT)
        loss_add_over(comm->number);
}

void comm_loss_learn_of_call(const struct intercept *call, int error)
{
    if (intercept_has(call, AT_WIN))
        comm_loss_learn(win_check_comm(call), error);
    else if (intercept_has(call, AT_FILE))
        comm_loss_learn(file_check_comm(call), error);
    else if (call->procedure->family == FAMILY_COMM_FREE)
        comm_loss_learn(comm_check_find((MPI_Comm)(intptr_t)call->saved[0]), error);
    else
        comm_loss_learn(comm_check_of(call), error);
}

static void mark_over(struct tracked *record)
{
    comm_loss_is_over((const struct comm_record *)record);
}

void comm_loss_mark_all(void)
{
    if (loss_news() > 0)
        tracked_each(TRACKED_COMM, mark_over);
}
