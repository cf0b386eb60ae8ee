#include "making/survive.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "coll/algo/host_groups.h"
#include "making/make.h"
#include "net/shm/consensus.h"
#include "p2p/accord.h"
#include "p2p/failure.h"
#include "p2p/lane.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"
#include "progress/poll_queue.h"

#include <stdlib.h>
#include <string.h>

/* One call. */
struct survival {
    struct link link; /* in the queue of nonblocking ones */
    struct comm *parent;
    struct comm *child; /* shrink: not open yet; NULL: agree */
    int *flag;
    int value; /* of flag, in the call */
    bool has_begun;
    int error;               /* it could not begin */
    struct request *request; /* nonblocking */
};

/* What a communicator needs for agreements. */
struct survive_place {
    int *member;                 /* of its ranks: their bits in sets */
    struct consensus *consensus; /* where all share a host and a job: bits are local ranks */
    struct accord_group group;   /* elsewhere: bits are ranks */
    int number;                  /* of the last agreement there */
    struct accord *agreement;    /* of the active call there */
    struct accord_value *mine;   /* the contribution; in `sets` are those of either kind */
    size_t words;                /* of a set */
    struct survival *active;     /* the call that has begun and not ended */
};

/* Of an intercommunicator: that of both groups in one. */
static struct survive_place *survive_place_of(struct comm *comm)
{
    return (struct survive_place *)comm_whole(comm)->agreements;
}

static void survive_free_place(struct comm *comm)
{
    struct survive_place *p = survive_place_of(comm);

    if (p->consensus)
        consensus_close(p->consensus);
    free(p->member);
    free(p->mine);
    free(p->group.hosts);
    free(p);
}

/* Whether all are of this host and job: the same on all ranks. */
static bool have_shared_memory(const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++)
        if (comm->group->process[i] >= boot.size || host_local_rank(comm->group->process[i]) < 0)
            return false;
    return net_host();
}

/* Who shares a host is known alike where all are of one job. */
static struct accord_hosts *survive_find_hosts(int size, const int *process, bool has_guests)
{
    uint64_t *key = malloc((size_t)size * sizeof *key);
    struct accord_hosts *hosts;

    for (int i = 0; key && i < size; i++)
        key[i] = has_guests ? (uint64_t)i : host_groups_key(process[i]);
    hosts = key ? accord_hosts_new(size, key) : NULL;
    free(key);
    return hosts;
}

static int survive_fill_place(struct comm *comm, struct survive_place *p)
{
    bool is_near = have_shared_memory(comm);
    int bits = is_near ? boot.local_size : comm->size;

    p->member = malloc((size_t)comm->size * sizeof *p->member);
    p->mine = accord_value_new(bits);
    p->words = accord_words(bits);
    p->group = (struct accord_group){comm->context, comm->size, comm->rank, comm->group->process, NULL};
    if (!is_near)
        p->group.hosts = survive_find_hosts(comm->size, comm->group->process, comm->group->has_guests);
    if (!p->member || !p->mine || !(is_near || p->group.hosts))
        return fail(MPI_ERR_NO_MEM, "no memory for agreements");
    for (int i = 0; i < comm->size; i++)
        p->member[i] = is_near ? host_local_rank(comm->group->process[i]) : i;
    if (is_near)
        p->consensus = consensus_open(comm->context, comm->size, p->member);
    return is_near && !p->consensus ? fail_class() : MPI_SUCCESS;
}

static int survive_make_place(struct comm *comm)
{
    struct survive_place *p = calloc(1, sizeof *p);
    int error;

    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory for agreements");
    comm->agreements = (void *)p;
    comm->agreements_free = survive_free_place;
    error = survive_fill_place(comm, p);
    if (error) {
        survive_free_place(comm);
        comm->agreements = NULL;
    }
    return error;
}

static int survive_find_place(struct comm *comm)
{
    if (survive_place_of(comm))
        return MPI_SUCCESS;
    if (!net_survives())
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "the job was not started with mpiexec --survive");
    return survive_make_place(comm_whole(comm));
}

/* Lane 0. */
static void fill_sets(struct comm *comm, struct survive_place *p)
{
    const struct group *everybody = comm_whole(comm)->group;
    uint64_t *failed = p->mine->sets, *accepted = failed + p->words;
    int list[everybody->size], count = failure_list(comm, everybody->size, list);

    memset(failed, 0, 2 * p->words * sizeof *failed);
    for (int i = 0; i < count; i++) {
        int bit = p->member[group_rank_of(everybody, list[i])];

        failed[bit / 64] |= (uint64_t)1 << bit % 64;
        if (i < comm->acknowledged)
            accepted[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

/* Those who wait for this rank's contribution. */
static void wake_members(const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++) {
        struct peer *peer = i == comm->rank ? NULL : net_peer(0, comm->group->process[i]);

        if (peer && !peer->lost && peer->transport->nudge)
            peer->transport->nudge(peer);
    }
}

/* Lane 0. */
static int begin_in_memory(struct survive_place *p, const struct comm *comm)
{
    struct contribution mine = {.value = p->mine->value,
                                .context = p->mine->context,
                                .failed = p->mine->sets,
                                .accepted = p->mine->sets + p->words};

    consensus_begin(p->consensus, &mine);
    wake_members(comm);
    return MPI_SUCCESS;
}

static int begin_by_messages(struct survive_place *p)
{
    p->agreement = accord_begin(&p->group, ++p->number, p->mine);
    return p->agreement ? MPI_SUCCESS : fail_class();
}

/* Each group of an intercommunicator has a half of the value, and gets what the other one says. */
static uint64_t agree_value(const struct survival *s)
{
    uint64_t flag = (uint32_t)s->value;

    if (!comm_is_inter(s->parent))
        return flag;
    return comm_is_first(s->parent) ? (uint64_t)UINT32_MAX << 32 | flag : flag << 32 | UINT32_MAX;
}

static int agree_result(const struct survival *s, uint64_t value)
{
    return (int)(comm_is_inter(s->parent) && comm_is_first(s->parent) ? value >> 32 : value);
}

static int survive_begin(struct survival *s)
{
    struct survive_place *p = survive_place_of(s->parent);
    int error;

    lane_take(&lanes[0]);
    p->mine->value = agree_value(s);
    p->mine->context = s->child ? comm_next_context(s->parent->context) : 0;
    fill_sets(s->parent, p);
    error = p->consensus ? begin_in_memory(p, comm_whole(s->parent)) : begin_by_messages(p);
    lane_release(&lanes[0]);
    if (error)
        return error;
    p->active = s;
    s->has_begun = true;
    return MPI_SUCCESS;
}

/* All who contributed have acknowledged all who have failed. */
static bool is_accepted(const uint64_t *failed, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (failed[i] & ~failed[words + i])
            return false;
    return true;
}

static bool poll_messages(struct survive_place *p, struct decision *decision)
{
    const struct accord_value *v;

    lane_take(&lanes[0]);
    v = accord_poll(p->agreement);
    lane_release(&lanes[0]);
    if (v)
        *decision = (struct decision){v->value, v->context, is_accepted(v->sets, p->words), v->sets};
    return v;
}

/* Begins when the call before has ended. True: it is over: decided, or an error. */
static bool survive_advance(struct survival *s, struct decision *decision)
{
    struct survive_place *p = survive_place_of(s->parent);

    if (!s->has_begun && p->active)
        return false;
    if (!s->has_begun)
        s->error = survive_begin(s);
    if (s->error)
        return true;
    if (!(p->consensus ? consensus_poll(p->consensus, decision) : poll_messages(p, decision)))
        return false;
    p->active = NULL;
    return true;
}

static bool has_failed(const struct survive_place *p, const struct decision *d, int rank)
{
    int bit = p->member[rank];

    return d->failed[bit / 64] >> bit % 64 & 1;
}

static int close_agree(struct survival *s, const struct decision *d)
{
    *s->flag = agree_result(s, d->value);
    return d->is_accepted
               ? MPI_SUCCESS
               : fail(MPIX_ERR_PROC_FAILED, "a process of the communicator has failed, and a rank has not "
                                            "acknowledged it (MPIX_Comm_ack_failed), or has finalized");
}

/* Those of `size` ranks from this one on that live; how many. */
static int survivors(const struct survival *s, const struct decision *d, int first, int size, int *process)
{
    struct comm *whole = comm_whole(s->parent);
    int count = 0;

    for (int i = first; i < first + size; i++)
        if (!has_failed(survive_place_of(whole), d, i))
            process[count++] = whole->group->process[i];
    return count;
}

static void set_survivors(const struct survival *s, const struct decision *d)
{
    int process[s->parent->size];

    comm_keep(s->child, survivors(s, d, 0, s->parent->size, process), process);
}

static int set_both_survivors(const struct survival *s, const struct decision *d)
{
    const struct comm *parent = s->parent;
    int process[parent->size], remote[parent->remote->size];
    int count = survivors(s, d, comm_whole_local(parent, 0), parent->size, process);
    int remote_count = survivors(s, d, comm_whole_remote(parent, 0), parent->remote->size, remote);

    if (!remote_count)
        return fail(MPIX_ERR_PROC_FAILED, "no process of the remote group is left");
    comm_keep_both(s->child, count, process, remote_count, remote);
    return MPI_SUCCESS;
}

/* Gives the new communicator its ranks, and opens it. */
static int close_shrink(struct survival *s, const struct decision *d)
{
    int error = MPI_SUCCESS;

    if (comm_is_inter(s->parent))
        error = set_both_survivors(s, d);
    else
        set_survivors(s, d);
    if (!error)
        mitigate_open(s->child, d->context);
    return error;
}

static int close_call(struct survival *s, const struct decision *d)
{
    int error = s->error ? s->error : s->child ? close_shrink(s, d) : close_agree(s, d);

    if (error && s->child)
        make_discard(s->child);
    return error;
}

/* With all ranks of comm, in groups of its own: who is left is known when it is decided. */
static int make_child(struct comm *comm, struct comm **child)
{
    struct group *group = NULL, *remote = NULL;
    int error = group_new_in(comm->session, comm->size, comm->group->process, &group);

    if (!error && comm_is_inter(comm))
        error = group_new_in(comm->session, comm->remote->size, comm->remote->process, &remote);
    if (!error && remote)
        error = make_prepare_inter(comm, group, remote, comm_is_first(comm), NULL, "MPIX_Comm_shrink", child);
    else if (!error)
        error = make_prepare(comm, group, NULL, "MPIX_Comm_shrink", child);
    if (group)
        group_unref(group);
    if (remote)
        group_unref(remote);
    return error;
}

static int survive_prepare(struct comm *comm, bool is_shrink, struct survival *s)
{
    int error = survive_find_place(comm);

    *s = (struct survival){.parent = comm};
    return !error && is_shrink ? make_child(comm, &s->child) : error;
}

static int wait_for(struct survival *s)
{
    struct decision decision;
    struct wait w = WAIT_START;

    while (!survive_advance(s, &decision))
        if (survive_place_of(s->parent)->consensus)
            progress_wait_word(&w, WORD_SLEEPS);
        else
            progress_wait(&w);
    progress_wait_again(&w);
    return close_call(s, &decision);
}

static int prepare_agreement(struct comm *comm, int *flag, struct survival *s)
{
    int error = survive_prepare(comm, false, s);

    if (error)
        return error;
    s->flag = flag;
    s->value = *flag;
    return MPI_SUCCESS;
}

int survive_agree(struct comm *comm, int *flag)
{
    struct survival s;
    int error = prepare_agreement(comm, flag, &s);

    return error ? error : wait_for(&s);
}

int survive_shrink(struct comm *comm, struct comm **newcomm)
{
    struct survival s;
    int error = survive_prepare(comm, true, &s);

    if (!error)
        error = wait_for(&s);
    if (!error)
        *newcomm = s.child;
    return error;
}

static struct poll_queue in_flight = POLL_QUEUE_INIT(in_flight);

static struct survival **survive_slot_of(struct request *r)
{
    return (struct survival **)(void *)r->space;
}

static void release_survival(struct request *r)
{
    comm_unref((*survive_slot_of(r))->parent);
    free(*survive_slot_of(r));
}

static const struct request_ops survival_ops = {.release = release_survival};

static int survive_advance_all(bool all)
{
    struct link *next;
    int events = 0;

    (void)all;
    for (struct link *l = poll_queue_next(&in_flight, &in_flight.entries, &in_flight.entries); l; l = next) {
        struct survival *s = LIST_ENTRY(l, struct survival, link);
        struct decision decision;

        next = poll_queue_next(&in_flight, l, &in_flight.entries);
        if (!survive_advance(s, &decision))
            continue;
        lock_take(&in_flight.lock);
        poll_queue_remove(&in_flight, l);
        lock_release(&in_flight.lock);
        request_complete(s->request, close_call(s, &decision));
        request_unref(s->request);
        events++;
    }
    return events;
}

static int poll_survivals(bool all)
{
    return poll_queue_run(&in_flight, survive_advance_all, all);
}

static int survive_start(const struct survival *made, struct request **request)
{
    struct survival *s = malloc(sizeof *s);
    int error = s ? request_new(REQUEST_COMM, &survival_ops, request)
                  : fail(MPI_ERR_NO_MEM, "no memory for an agreement");

    if (error) {
        free(s);
        if (made->child)
            make_discard(made->child);
        return error;
    }
    *s = *made;
    s->request = *request;
    *survive_slot_of(*request) = s;
    comm_ref(s->parent);
    (*request)->owner = &s->parent->object;
    (*request)->active = true;
    request_ref(*request);
    poll_queue_register(&in_flight, poll_survivals);
    lock_take(&in_flight.lock);
    poll_queue_add(&in_flight, &s->link, false);
    lock_release(&in_flight.lock);
    poll_survivals(false);
    return MPI_SUCCESS;
}

int survive_iagree(struct comm *comm, int *flag, struct request **request)
{
    struct survival s;
    int error = prepare_agreement(comm, flag, &s);

    return error ? error : survive_start(&s, request);
}

int survive_ishrink(struct comm *comm, struct comm **newcomm, struct request **request)
{
    struct survival s;
    int error = survive_prepare(comm, true, &s);

    if (!error)
        error = survive_start(&s, request);
    if (!error)
        *newcomm = s.child;
    return error;
}

static int begin_parting(struct accord_group *everybody, struct accord **a)
{
    static int number;
    struct accord_value *nothing = accord_value_new(boot.size);
    int *process = malloc((size_t)boot.size * sizeof *process);

    everybody->process = process;
    for (int i = 0; process && i < boot.size; i++)
        process[i] = i;
    everybody->hosts = process ? survive_find_hosts(boot.size, process, false) : NULL;
    if (!nothing || !everybody->hosts) {
        free(nothing);
        return fail(MPI_ERR_NO_MEM, "no memory to wait for %d processes", boot.size);
    }
    lane_take(&lanes[0]);
    *a = accord_begin(everybody, ++number, nothing);
    lane_release(&lanes[0]);
    free(nothing);
    return *a ? MPI_SUCCESS : fail_class();
}

/* The context 0 is no communicator's. */
int survive_part(void)
{
    struct accord_group everybody = {0, boot.size, boot.rank, NULL, NULL};
    struct accord *a = NULL;
    struct wait w = WAIT_START;
    int error = begin_parting(&everybody, &a);
    bool is_over = error;

    while (!is_over) {
        lane_take(&lanes[0]);
        is_over = accord_poll(a) && net_has_sent_all();
        lane_release(&lanes[0]);
        progress_wait(&w);
    }
    free((void *)(uintptr_t)everybody.process);
    free(everybody.hosts);
    return error;
}
