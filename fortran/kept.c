#include "kept.h"

#include "section.h"

#include <pthread.h>
#include <stdlib.h>

/* The list and the numbers are written under the lock. No call to MPI is made with it: callbacks may come back here. */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *kept_list;
static _Atomic uint64_t kept_calls;
_Atomic uint64_t kept_count;

void kept_add(struct kept *kept, int request)
{
    pthread_mutex_lock(&kept_lock);
    kept->request = request;
    kept->number = atomic_fetch_add_explicit(&kept_calls, 1, memory_order_relaxed) + 1;
    kept->next = kept_list;
    kept_list = kept;
    atomic_fetch_add_explicit(&kept_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&kept_lock);
}

uint64_t kept_mark(void)
{
    return kept_any() ? atomic_load_explicit(&kept_calls, memory_order_relaxed) : 0;
}

static void kept_remove(int request, uint64_t mark, bool complete)
{
    pthread_mutex_lock(&kept_lock);
    for (struct kept **at = &kept_list; *at;) {
        struct kept *kept = *at;

        if (kept->request != request || kept->number > mark) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        if (complete && kept->is_copy)
            section_put_back((struct section_copy *)kept);
        free(kept);
        atomic_fetch_sub_explicit(&kept_count, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&kept_lock);
}

void kept_complete(int request, uint64_t mark)
{
    kept_remove(request, mark, true);
}

void kept_drop(int request)
{
    kept_remove(request, UINT64_MAX, false);
}

/* Does something with each copy of a request, unless `act` is NULL, and says whether there is one. */
static bool kept_copies(int request, void (*act)(struct section_copy *copy))
{
    bool found = false;

    pthread_mutex_lock(&kept_lock);
    for (struct kept *kept = kept_list; kept; kept = kept->next) {
        if (kept->request == request && kept->is_copy) {
            found = true;
            if (act)
                act((struct section_copy *)kept);
        }
    }
    pthread_mutex_unlock(&kept_lock);
    return found;
}

void kept_look(const int *request, int64_t count)
{
    int complete;

    for (int64_t i = 0; kept_any() && i < count; i++)
        if (kept_copies(request[i], NULL) &&
            PMPI_Request_get_status(request_in(request[i]), &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
            complete)
            kept_copies(request[i], section_put_back);
}

void kept_start(const int *request, int64_t count)
{
    for (int64_t i = 0; kept_any() && i < count; i++)
        kept_copies(request[i], section_take);
}

/* The copy of a partitioned request. It stays while the operation is under way, so the caller needs no lock for it. NULL: none. */
static struct section_copy *kept_partitions(int request)
{
    struct section_copy *found = NULL;

    if (!kept_any())
        return NULL;
    pthread_mutex_lock(&kept_lock);
    for (struct kept *kept = kept_list; kept && !found; kept = kept->next)
        if (kept->request == request && kept->is_copy)
            found = (struct section_copy *)kept;
    pthread_mutex_unlock(&kept_lock);
    return found;
}

void kept_ready(int request, int64_t low, int64_t high)
{
    struct section_copy *copy = kept_partitions(request);

    if (copy)
        section_take_partitions(copy, low, high);
}

void kept_arrived(int request, int64_t partition)
{
    struct section_copy *copy = kept_partitions(request);

    if (copy)
        section_put_partition(copy, partition);
}
