#include "insight/objects/request_record.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARES = 256 /* records that are kept: to allocate one takes as long as half a check */
};

/* What a plain message sets itself, and what it does not have. */
static const size_t set_part = offsetof(struct request_record, comm),
                    rare_part = offsetof(struct request_record, sent);
static struct request_record *spare; /* to be used again */
static int spares;

struct request_record *request_record_active;

static int64_t untracked; /* of those that are active; the newest */

void request_record_track(struct request_record *r, uint64_t handle, const struct intercept *call)
{
    tracked_describe(&r->base, TRACKED_REQUEST, handle, call);
    if (r->is_plain)
        untracked++;
    else
        tracked_hang_up(&r->base);
}

void request_record_untrack(struct request_record *r)
{
    untracked -= !r->base.at;
    tracked_detach(&r->base);
}

static bool is_untracked(const struct request_record *r)
{
    return r->base.kind == TRACKED_REQUEST && !r->base.at;
}

/* The oldest first. */
void request_record_track_all(void)
{
    struct request_record *r = request_record_active, *last = NULL;

    for (int64_t left = untracked; r && left > 0; r = r->next) {
        left -= is_untracked(r);
        last = r;
    }
    for (r = last; r; r = r->before)
        if (is_untracked(r))
            tracked_hang_up(&r->base);
    untracked = 0;
}

struct request_record *request_check_find(MPI_Request request)
{
    request_record_track_all();
    return request == MPI_REQUEST_NULL ? NULL : tracked_find(TRACKED_REQUEST, (uint64_t)(uintptr_t)request);
}

MPI_Comm request_check_comm(const struct intercept *call)
{
    return call->procedure->family >= FAMILY_START && call->procedure->family <= FAMILY_CANCEL
               ? (MPI_Comm)(intptr_t)call->saved[1]
               : NULL;
}

struct request_record *request_record_make(bool is_plain)
{
    struct request_record *r = spare;

    if (r) {
        spare = r->next;
        spares--;
        memset(r, 0, is_plain ? set_part : rare_part);
    } else if ((r = tracked_must(aligned_alloc(_Alignof(struct request_record), sizeof *r)))) {
        memset(r, 0, sizeof *r);
    } else {
        return NULL;
    }
    r->is_plain = is_plain;
    return r;
}

/* What is rare is zero in those that are kept. */
void request_record_free(struct request_record *r)
{
    if (spares == SPARES) {
        free(r);
        return;
    }
    if (!r->is_plain)
        memset((char *)r + rare_part, 0, sizeof *r - rare_part);
    r->next = spare;
    spare = r;
    spares++;
}

enum {
    POSTED_KEPT = 256
};

static struct posted_receive *spare_receive; /* to be used again */
static int spare_receives;

struct posted_receive *request_receive_new(void)
{
    struct posted_receive *p = spare_receive;

    if (!p)
        return tracked_must(aligned_alloc(_Alignof(struct posted_receive), sizeof *p));
    spare_receive = p->next;
    spare_receives--;
    return p;
}

void request_receive_free(struct posted_receive *p)
{
    if (spare_receives == POSTED_KEPT) {
        free(p);
        return;
    }
    p->next = spare_receive;
    spare_receive = p;
    spare_receives++;
}

const char *request_partition_at(const struct partitions *p, const struct type_record *type, int partition)
{
    return p->buffer + partition * p->count * type->extent;
}

int request_partition_overlap(const struct partitions *p, const void *buffer, int64_t count,
                              MPI_Datatype type, bool is_written)
{
    const struct type_record *own = type_check_find(p->type);

    if (!own || (!p->is_received && !is_written) ||
        !type_check_overlap(buffer, count, type, p->buffer, p->count * p->total, p->type))
        return -1;
    for (int i = 0; i < p->total; i++)
        if (!p->sum[i] == p->is_received &&
            type_check_overlap(buffer, count, type, request_partition_at(p, own, i), p->count, p->type))
            return i;
    return -1;
}
