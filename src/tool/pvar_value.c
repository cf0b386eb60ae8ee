#include "tool/pvar_value.h"

#include "memory/heap.h"
#include "p2p/match/match.h"
#include "progress/progress.h"

bool pvar_value_is_watermark(const struct metric_row *row)
{
    return row->class == MPI_T_PVAR_CLASS_HIGHWATERMARK || row->class == MPI_T_PVAR_CLASS_LOWWATERMARK;
}

bool pvar_value_is_counted(const struct metric_row *row)
{
    return pvar_value_is_watermark(row) || row->class == MPI_T_PVAR_CLASS_COUNTER ||
           row->class == MPI_T_PVAR_CLASS_AGGREGATE || row->class == MPI_T_PVAR_CLASS_TIMER;
}

MPI_Datatype pvar_value_type(const struct metric_row *row)
{
    if (row->class == MPI_T_PVAR_CLASS_STATE)
        return MPI_INT;
    return row->class == MPI_T_PVAR_CLASS_PERCENTAGE ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
}

static uint64_t heap_now(enum metric metric)
{
    uint64_t size, used;

    heap_get_use(&size, &used);
    return metric == METRIC_HEAP_SIZE ? size : used;
}

static uint64_t proof_now(const struct comm *comm, enum hint_proof proof)
{
    return __atomic_load_n(&comm->hints.proof[proof], __ATOMIC_RELAXED);
}

uint64_t pvar_value_now(const struct metric_row *row, const struct comm *comm)
{
    enum metric m = row->metric;

    if (m < METRIC_WORDS)
        return metric_sum(m);
    if (m < METRIC_COMM_WORDS_END)
        return atomic_load_explicit(&comm->word[m - METRIC_WORDS], memory_order_relaxed);
    switch (m) {
    case METRIC_COMM_POSTED:
        return match_count_posted(comm);
    case METRIC_COMM_UNEXPECTED:
        return match_count_unexpected(comm);
    case METRIC_COMM_ANY_TAG:
        return proof_now(comm, PROOF_ANY_TAG);
    case METRIC_COMM_ANY_SOURCE:
        return proof_now(comm, PROOF_ANY_SOURCE);
    case METRIC_COMM_OTHER_LENGTH:
        return proof_now(comm, PROOF_LENGTH);
    case METRIC_CROWD:
        return progress_is_crowded();
    default:
        return heap_now(m);
    }
}

static double heap_part(uint64_t used)
{
    uint64_t size = heap_now(METRIC_HEAP_SIZE);

    return size ? (double)used / (double)size : 0;
}

void pvar_value_store(const struct metric_row *row, uint64_t value, void *buf)
{
    if (row->class == MPI_T_PVAR_CLASS_STATE)
        *(int *)buf = (int)value;
    else if (row->class == MPI_T_PVAR_CLASS_PERCENTAGE)
        *(double *)buf = heap_part(value);
    else
        *(unsigned long long *)buf = value;
}
