/* Arrays of datatypes of nonblocking and persistent calls, kept by the request's handle. */
#include "foreign/foreign.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct kept {
    struct kept *next;
    MPI_Request request;
    void *block;
};

_Atomic int kept_count; /* of the list; written under the lock */
static struct kept *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */

void kept_add(struct scratch *scratch, MPI_Request request, int error)
{
    struct kept *kept = malloc(sizeof *kept);

    if (error || !request || !scratch->block || !kept) {
        free(kept);
        scratch_free(scratch);
        return;
    }
    kept->request = request;
    kept->block = scratch->block;
    pthread_mutex_lock(&lock);
    kept->next = first;
    first = kept;
    atomic_fetch_add_explicit(&kept_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void kept_drop_slow(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    for (struct kept **at = &first, *kept; (kept = *at);)
        if (kept->request == request) {
            *at = kept->next;
            free(kept->block);
            free(kept);
            atomic_fetch_sub_explicit(&kept_count, 1, memory_order_relaxed);
        } else {
            at = &kept->next;
        }
    pthread_mutex_unlock(&lock);
}
