#include "coll/shm/irregular.h"

#include "coll/shm/mailbox.h"
#include "plain/fail.h"

void irregular_begin(struct shm_run *run, struct irregular *irregular, struct comm *comm)
{
    int root = run->call->root;

    *irregular = (struct irregular){.comm = comm, .number = schedule_next_tag(comm_whole(comm))};
    run->irregular = irregular;
    if (!comm_is_inter(comm))
        return;
    irregular->is_idle = root == MPI_PROC_NULL;
    run->root = irregular->is_idle ? 0
                : root == MPI_ROOT ? (uint8_t)comm_whole_local(comm, comm->rank)
                                   : (uint8_t)comm_whole_remote(comm, root);
}

void irregular_pack_input(struct shm_run *run, unsigned char *to)
{
    engine_copy_in(run, run->call->in, 0, to, block_bytes(run->call->in));
}

bool irregular_put(struct shm_run *run, size_t bytes, size_t most,
                   void pack(struct shm_run *run, unsigned char *to))
{
    bool fits = bytes <= most;

    if (!fits)
        bytes = 0;
    run->irregular->has_messages = !fits;
    run->payload = mailbox_reserve(run->boxes, run->sequence, bytes, run->sequence, true);
    if (!run->payload)
        return false;
    if (fits)
        pack(run, run->payload);
    else
        run->tag |= TAG_MESSAGES;
    engine_put(run, bytes);
    return true;
}

void irregular_expect(struct shm_run *run, int r)
{
    run->irregular->has_messages = true;
    run->irregular->senders |= (uint64_t)1 << r;
}

bool irregular_has_published(const struct shm_run *run, int r)
{
    return !(run->irregular->senders >> r & 1);
}

void irregular_take(struct shm_run *run, int r, const unsigned char *data, size_t bytes, struct coll_block to)
{
    if (bytes != block_bytes(to)) {
        engine_note(run, fail(MPI_ERR_TRUNCATE,
                              "rank %d has %zu bytes for this one, where %zu are "
                              "due: the counts or types of the ranks "
                              "do not fit together",
                              r, bytes, block_bytes(to)));
        return;
    }
    engine_prefetch(data, bytes);
    engine_copy_out(run, data, to);
}

void irregular_take_line(struct shm_run *run, int r, struct coll_block to)
{
    irregular_take(run, r, mailbox_data(run->boxes, r, run->sequence),
                   mailbox_line(run->boxes, r, run->sequence)->head.bytes, to);
}

/* A root that collects receives from some ranks. Otherwise all take the steps that they would without mailboxes. */
static void irregular_build(struct schedule *s, const struct shm_run *run)
{
    const struct choice_list *list = run->call->list;
    struct comm *comm = run->irregular->comm;
    bool is_root = run->root == run->boxes->rank;

    if (comm_is_inter(comm)) {
        list->inter(s, run->call);
    } else if (is_root && run->step->way == WAY_TO_ROOT) {
        for (int r = 0; r < run->boxes->size; r++)
            if (!irregular_has_published(run, r))
                schedule_recv(s, block_place_of(&run->call->places->to, r), r);
    } else {
        list->algorithm[list->algorithms - 1].build(s, run->call);
    }
}

static int irregular_send(struct shm_run *run, enum form form)
{
    struct irregular *irregular = run->irregular;
    struct schedule *s;
    int error = schedule_open_as(irregular->comm, form, NULL, irregular->number, &s);

    if (error)
        return error;
    irregular_build(s, run);
    return schedule_close(s, &irregular->messages);
}

int irregular_finish(struct shm_run *run)
{
    if (run->irregular->has_messages)
        engine_note(run, irregular_send(run, FORM_BLOCKING));
    return run->error;
}

bool irregular_advance(struct shm_run *run)
{
    struct irregular *irregular = run->irregular;

    if (!irregular->has_messages)
        return true;
    if (!irregular->messages)
        engine_note(run, irregular_send(run, FORM_NONBLOCKING));
    if (irregular->messages && !request_is_done(irregular->messages))
        return false;
    if (irregular->messages) {
        engine_note(run, request_wait(irregular->messages));
        if (!irregular->messages->immortal)
            request_unref(irregular->messages);
    }
    return true;
}
