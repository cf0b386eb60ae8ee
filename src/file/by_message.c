#include "file/rounds.h"

#include "file/coverage.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS_TAG = 8, /* on the window's communicator, whose own tags win/agent_wire.h lists */
    ANSWER_TAG
};

static struct datatype *message_type(void)
{
    return datatype_predefined(MPI_BYTE);
}

/* A message has the number of runs, the runs and, in a write, their data. */
static MPI_Offset runs_bytes(MPI_Offset runs)
{
    return (MPI_Offset)sizeof runs + runs * (MPI_Offset)sizeof(struct file_run);
}

struct run_list {
    struct file_run *run; /* owned */
    MPI_Offset count, room;
};

static bool list_run(struct run_list *list, struct file_run run)
{
    if (list->count == list->room) {
        MPI_Offset room = list->room ? list->room * 2 : 64;
        struct file_run *more = realloc(list->run, (size_t)room * sizeof run);

        if (!more)
            return false;
        list->run = more;
        list->room = room;
    }
    list->run[list->count++] = run;
    return true;
}

/* Takes the runs before `limit` off the cursor. Their data is one stretch of the access. */
static int take_runs(struct rounds *r, MPI_Offset limit, struct run_list *list, MPI_Offset *data,
                     MPI_Offset *bytes)
{
    struct file_run next;
    MPI_Offset at;
    int error = MPI_SUCCESS;

    while (rounds_next(&r->cursor, limit, &next, &at)) {
        if (!error && !list_run(list, next))
            error = fail(MPI_ERR_NO_MEM, "no memory for the runs of an access in a window of \"%s\"",
                         r->file->name);
        if (list->count == 1 && !error)
            *data = at;
        *bytes += error ? 0 : next.bytes;
    }
    return error;
}

/* Fills the message; the answer gets room. */
static int write_message(struct rounds *r, struct by_message_parcel *p, const struct run_list *list)
{
    bool is_write = r->access->is_write;

    p->message = malloc((size_t)(runs_bytes(list->count) + (is_write ? p->bytes : 0)));
    if (p->message && !is_write && p->bytes)
        p->answer = malloc((size_t)p->bytes);
    if (!p->message || (!is_write && p->bytes && !p->answer))
        return fail(MPI_ERR_NO_MEM, "no memory to exchange %lld bytes with an aggregator",
                    (long long)p->bytes);
    memcpy(p->message, &list->count, sizeof list->count);
    if (list->count)
        memcpy(p->message + sizeof list->count, list->run, (size_t)list->count * sizeof *list->run);
    return is_write ? access_get(r->access, p->data, p->message + runs_bytes(list->count), p->bytes)
                    : MPI_SUCCESS;
}

static bool part_meets(const struct rounds *r, int rank, const struct rounds_window *window)
{
    const struct collective_part *part = &r->a->part[rank];

    return part->bytes && part->begin < window->limit && part->end > window->begin;
}

/* A rank that waits for a message, or whose message waits here, must not do so for ever. */
static void end_without_memory(int error, int rank)
{
    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to exchange the data of a collective access with rank %d: %s", rank, fail_note());
}

static int post_message(const struct rounds *r, const void *message, MPI_Offset bytes, int to, int tag,
                        struct request **sending)
{
    file_traffic_add_message();
    return p2p_isend(message, bytes, message_type(), to, tag, r->file->comm, PLANE_P2P, SEND_STANDARD,
                     sending);
}

/* Where there is no memory for the message, an empty one goes, which needs less. Returns whether it has. */
static bool send_or_tell(struct rounds *r, const void *message, MPI_Offset bytes, int to, int tag,
                         struct request **sending)
{
    int error = post_message(r, message, bytes, to, tag, sending);

    rounds_fail(r, error);
    if (error != MPI_ERR_NO_MEM)
        return false;
    end_without_memory(post_message(r, NULL, 0, to, tag, sending), to);
    return true;
}

/* After an error the message is empty, which the aggregator takes for no runs. */
void by_message_send(struct rounds *r, int aggregator, const struct rounds_window *window)
{
    struct by_message_parcel *p = &r->a->parcel[aggregator];
    int to = r->a->rank[aggregator], error;
    struct run_list list = {NULL, 0, 0};
    MPI_Offset bytes;

    *p = (struct by_message_parcel){.data = r->cursor.data};
    if (!part_meets(r, r->file->rank, window))
        return;
    error = take_runs(r, window->limit, &list, &p->data, &p->bytes);
    if (!error)
        error = write_message(r, p, &list);
    if (!error && p->answer)
        error = p2p_irecv(p->answer, p->bytes, message_type(), to, ANSWER_TAG, r->file->comm, PLANE_P2P,
                          &p->receiving);
    bytes = error ? 0 : runs_bytes(list.count) + (r->access->is_write ? p->bytes : 0);
    free(list.run);
    rounds_fail(r, error);
    if (send_or_tell(r, p->message, bytes, to, RUNS_TAG, &p->sending) && p->receiving)
        rounds_fail(r, p2p_cancel_recv(p->receiving));
}

/* The data of the runs, between the message and the window. Returns how much of it there was in a read. */
static MPI_Offset copy_listed_runs(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                                   const unsigned char *message, unsigned char *data)
{
    MPI_Offset count, done = 0;
    struct file_run run;

    memcpy(&count, message, sizeof count);
    for (MPI_Offset i = 0; i < count; i++) {
        MPI_Offset at, got;

        memcpy(&run, message + runs_bytes(i), sizeof run);
        at = run.at - begin;
        if (r->access->is_write) {
            memcpy(half->window + at, data + done, (size_t)run.bytes);
            coverage_add(&half->covered, at, run.bytes);
            done += run.bytes;
            continue;
        }
        got = rounds_got(half, at, run.bytes);
        memcpy(data + done, half->window + at, (size_t)got);
        done += got;
        if (got < run.bytes)
            break;
    }
    return done;
}

/* What the runs of a message hold. */
static MPI_Offset data_bytes(const unsigned char *message)
{
    MPI_Offset count, bytes = 0;
    struct file_run run;

    memcpy(&count, message, sizeof count);
    for (MPI_Offset i = 0; i < count; i++) {
        memcpy(&run, message + runs_bytes(i), sizeof run);
        bytes += run.bytes;
    }
    return bytes;
}

static int finish_request(struct request **request, MPI_Offset *bytes)
{
    int error;

    if (!*request)
        return MPI_SUCCESS;
    error = request_wait(*request);
    *bytes = error ? 0 : (*request)->status.bytes;
    request_unref(*request);
    *request = NULL;
    return error;
}

/* An answer without data tells that there is none to be had. */
static void answer_with(struct rounds *r, int rank, const void *data, MPI_Offset bytes)
{
    struct request *sending = NULL;
    MPI_Offset sent;

    send_or_tell(r, data, bytes, rank, ANSWER_TAG, &sending);
    rounds_fail(r, finish_request(&sending, &sent));
}

static void answer_reader(struct rounds *r, int rank, MPI_Offset begin, const struct aggregator_half *half,
                          const unsigned char *message)
{
    MPI_Offset bytes = data_bytes(message);
    unsigned char *data = bytes ? malloc((size_t)bytes) : NULL;

    if (!bytes)
        return;
    if (data)
        bytes = copy_listed_runs(r, half, begin, message, data);
    else
        rounds_fail(r,
                    fail(MPI_ERR_NO_MEM, "no memory to send %lld bytes to rank %d", (long long)bytes, rank));
    answer_with(r, rank, data, data ? bytes : 0);
    free(data);
}

/* The message of a rank for the window of this round, which no later one may find; NULL: the rank is gone. */
static struct matched *find_message(struct rounds *r, int rank, struct status *status)
{
    struct matched *matched = NULL;
    int error = p2p_mprobe(rank, RUNS_TAG, r->file->comm, &matched, status);

    rounds_fail(r, error);
    if (error == MPI_ERR_NO_MEM) /* perhaps there is some by now */
        end_without_memory(p2p_mprobe(rank, RUNS_TAG, r->file->comm, &matched, status), rank);
    return matched;
}

/* Fewer bytes than the message has, and the rest is gone. */
static int take_message(struct rounds *r, int rank, void *to, MPI_Offset bytes, struct matched *matched)
{
    struct status status;
    int error = p2p_mrecv(to, bytes, message_type(), matched, &status);

    if (error != MPI_ERR_NO_MEM)
        return error;
    rounds_fail(r, error);
    error = p2p_mrecv(to, bytes, message_type(), matched, &status);
    end_without_memory(error, rank);
    return error;
}

/* There is no memory for a message of so many bytes. */
static void refuse_message(struct rounds *r, int rank, MPI_Offset bytes)
{
    rounds_fail(r, fail(MPI_ERR_NO_MEM, "no memory for %lld bytes from rank %d", (long long)bytes, rank));
    if (!r->access->is_write && bytes > runs_bytes(0))
        answer_with(r, rank, NULL, 0);
}

/* `begin`: of the window. */
static void serve_rank(struct rounds *r, int rank, MPI_Offset begin, const struct aggregator_half *half)
{
    MPI_Offset bytes, count;
    struct status status = status_empty;
    struct matched *matched = find_message(r, rank, &status);
    unsigned char *message;
    int error;

    if (!matched)
        return;
    bytes = status.bytes;
    message = bytes ? malloc((size_t)bytes) : NULL;
    if (bytes && !message)
        refuse_message(r, rank, bytes);
    error = take_message(r, rank, message, message ? bytes : 0, matched);
    if (!error && message && r->access->is_write) {
        memcpy(&count, message, sizeof count);
        copy_listed_runs(r, half, begin, message, message + runs_bytes(count));
    } else if (!error && message) {
        answer_reader(r, rank, begin, half, message);
    }
    rounds_fail(r, error);
    free(message);
}

void by_message_serve(struct rounds *r, const struct rounds_window *window,
                      const struct aggregator_half *half)
{
    for (int rank = 0; rank < r->file->size; rank++)
        if (!r->a->mapped[rank * r->a->count + r->a->mine] && part_meets(r, rank, window))
            serve_rank(r, rank, window->begin, half);
}

void by_message_finish(struct rounds *r)
{
    MPI_Offset sent, got;

    for (int i = 0; i < r->a->count; i++) {
        struct by_message_parcel *p = &r->a->parcel[i];

        rounds_fail(r, finish_request(&p->sending, &sent));
        got = 0;
        rounds_fail(r, finish_request(&p->receiving, &got));
        if (p->answer) {
            rounds_fail(r, access_put(r->access, p->data, p->answer, got));
            rounds_end_data(r, p->data, p->bytes, got);
        }
        free(p->message);
        free(p->answer);
        *p = (struct by_message_parcel){0};
    }
}
