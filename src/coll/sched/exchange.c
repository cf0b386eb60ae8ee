#include "coll/sched/exchange.h"

#include "coll/sched/schedule.h"

/* Rank 0 has everything, and sends it to all. */
static void exchange_answer(struct schedule *s, struct coll_block all)
{
    if (s->rank)
        schedule_recv(s, all, 0);
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        schedule_send(s, all, r);
}

int exchange_bytes(struct comm *comm, const void *mine, void *all, size_t bytes)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    struct coll_block own = {(void *)(uintptr_t)mine, (MPI_Count)bytes, byte};
    struct places places = {.base = all, .each = (MPI_Count)bytes, .type = byte};
    struct schedule *s;
    int error = schedule_open(comm, FORM_BLOCKING, NULL, &s);

    if (error)
        return error;
    if (s->rank)
        schedule_send(s, own, 0);
    else
        schedule_copy(s, own, block_place_of(&places, 0));
    for (int r = 1; s->rank == 0 && r < s->size; r++)
        schedule_recv(s, block_place_of(&places, r), r);
    schedule_wait(s);
    exchange_answer(s, (struct coll_block){all, (MPI_Count)bytes * s->size, byte});
    return schedule_close(s, NULL);
}

int exchange_and(struct comm *comm, uint64_t *word, size_t words)
{
    struct coll_block own = {word, (MPI_Count)words, datatype_predefined(MPI_UINT64_T)}, other = own;
    struct schedule *s;
    int error = schedule_open(comm, FORM_BLOCKING, &op_predefined[OP_BAND], &s);

    if (error)
        return error;
    if (s->rank)
        schedule_send(s, own, 0);
    else
        other = schedule_scratch(s, own.count, own.type);
    for (int r = 1; s->rank == 0 && r < s->size; r++) {
        schedule_recv(s, other, r);
        schedule_wait(s);
        schedule_reduce(s, other, own);
    }
    schedule_wait(s);
    exchange_answer(s, own);
    return schedule_close(s, NULL);
}
