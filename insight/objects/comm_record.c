#include "insight/objects/comm_record.h"

#include <stdlib.h>

enum {
    KNOWN = 4096
};

int comm_record_shrunk;
static bool known[KNOWN];

void comm_record_know(uint64_t number)
{
    known[number % KNOWN] = true;
}

bool comm_record_is_known(uint64_t number)
{
    return known[number % KNOWN];
}

struct comm_last comm_check_last;

struct comm_record *comm_check_look_up(MPI_Comm comm)
{
    struct comm_record *record = tracked_find(TRACKED_COMM, (uint64_t)(uintptr_t)comm);

    if (record)
        comm_check_last = (struct comm_last){comm, record, tracked_gone};
    return record;
}

struct comm_record *comm_check_of(const struct intercept *call)
{
    return intercept_has(call, AT_COMM)
               ? comm_check_find((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM))
               : NULL;
}

int comm_check_world(const struct comm_record *comm, int rank)
{
    return comm->world && rank >= 0 && rank < comm->targets ? comm->world[rank] : -1;
}

uint32_t comm_check_index(const struct comm_record *comm)
{
    return (uint32_t)(comm->is_second ? comm->targets + comm->rank : comm->rank);
}

int comm_check_member(const struct comm_record *comm, uint32_t index)
{
    uint32_t members = (uint32_t)comm->members, targets = (uint32_t)comm->targets;

    if (!comm->world || index >= members)
        return -1;
    return comm->world[comm->is_inter && !comm->is_second ? (index + targets) % members : index];
}

void comm_check_not_made(MPI_Comm comm)
{
    struct comm_record *record = comm_check_find(comm);

    if (!record)
        return;
    free(record->world);
    tracked_remove(TRACKED_COMM, record->base.handle);
}

void comm_record_shrink(MPI_Comm comm)
{
    struct comm_record *record = comm_check_find(comm);

    if (record)
        record->is_shrunk = true;
    comm_record_shrunk += record != NULL;
}

void comm_check_hold(struct comm_record *comm)
{
    comm->users++;
}

void comm_check_release(struct comm_record *comm)
{
    if (--comm->users > 0 || !comm->is_freed)
        return;
    free(comm->world);
    free(comm);
}
