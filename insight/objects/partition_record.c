#include "insight/objects/partition_record.h"

const char *partition_start(const struct partitions *p, const struct type_record *type, int partition)
{
    return p->buffer + partition * p->count * type->extent;
}

int partition_check_overlap(const struct partitions *p, const void *buffer, int64_t count, MPI_Datatype type,
                            bool is_written)
{
    const struct type_record *own = type_check_find(p->type);

    if (!own || (!p->is_received && !is_written) ||
        !type_check_overlap(buffer, count, type, p->buffer, p->count * p->total, p->type))
        return -1;
    for (int i = 0; i < p->total; i++)
        if (!p->sum[i] == p->is_received &&
            type_check_overlap(buffer, count, type, partition_start(p, own, i), p->count, p->type))
            return i;
    return -1;
}
