#include "cmd/where/job_view.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* NULL: there is no memory for it. */
static struct job_view *find_job(struct job_view **job, int *jobs, const struct traced *t)
{
    struct job_view *more;
    struct rank_view **rank;
    int size = t->size > 0 ? t->size : 1;

    for (int i = 0; i < *jobs; i++)
        if (strcmp((*job)[i].name, t->job) == 0 && (*t->job || (*job)[i].first.pid == t->pid))
            return &(*job)[i];
    rank = calloc((size_t)size, sizeof(struct rank_view *));
    more = rank ? realloc(*job, (size_t)(*jobs + 1) * sizeof *more) : NULL;
    if (!more) {
        free(rank);
        return NULL;
    }
    *job = more;
    more += (*jobs)++;
    *more = (struct job_view){.size = size, .first = *t, .rank = rank};
    strcpy(more->name, t->job);
    return more;
}

/* A process that a rank has forked has its memory: the rank itself is the older one. False: no memory. */
static bool keep_rank(struct job_view *job, const struct traced *t)
{
    struct rank_view *v = job->rank[t->rank];

    if (v && v->traced.started <= t->started)
        return true;
    if (!v) {
        v = calloc(1, sizeof *v);
        if (!v)
            return false;
        job->rank[t->rank] = v;
        job->present++;
    }
    v->traced = *t;
    if (t->started < job->first.started)
        job->first = *t;
    return true;
}

static bool add_process(struct job_view **job, int *jobs, const struct traced *t)
{
    struct job_view *j;

    if (t->size > JOB_RANKS || t->rank < 0)
        return true;
    j = find_job(job, jobs, t);
    return j && (t->rank >= j->size || keep_rank(j, t));
}

int job_list(struct job_view **job, int *refused)
{
    static struct traced t;
    struct dirent *entry;
    DIR *d = opendir("/proc");
    bool has_memory = true;
    int jobs = 0;

    *job = NULL;
    *refused = 0;
    while (d && has_memory && (entry = readdir(d)) != NULL) {
        enum traced_find found;

        if (!isdigit((unsigned char)*entry->d_name))
            continue;
        found = traced_find(atoi(entry->d_name), &t);
        if (found == TRACED_FOUND)
            has_memory = add_process(job, &jobs, &t);
        *refused += found == TRACED_REFUSED && t.is_own;
    }
    if (d)
        closedir(d);
    return has_memory ? jobs : -1;
}

static bool begins_or_ends(const char *call)
{
    static const char *const calls[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize",
                                        "MPI_Session_finalize"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(call, calls[i]) == 0)
            return true;
    return false;
}

/* Whether a thread of this rank is in the same call; of a collective also on the same communicator. */
static bool is_in_call(const struct job_view *job, int rank, const struct rank_thread *as)
{
    const struct rank_view *v = job->rank[rank];

    for (int i = 0; v && i < v->threads; i++)
        if (v->thread[i].in_mpi && strcmp(v->thread[i].call, as->call) == 0 &&
            (!as->comm || v->thread[i].context == as->context))
            return true;
    return false;
}

static const struct job_members *members_with(const struct job_view *job, uint64_t context)
{
    for (int i = 0; i < job->member_lists; i++)
        if (job->members[i].context == context)
            return &job->members[i];
    return NULL;
}

bool *job_members(struct job_view *job, uint64_t context)
{
    const struct job_members *found = members_with(job, context);
    struct job_members *more;

    if (found)
        return found->has;
    more = realloc(job->members, (size_t)(job->member_lists + 1) * sizeof *more);
    if (!more)
        return NULL;
    job->members = more;
    more += job->member_lists;
    *more = (struct job_members){context, calloc((size_t)job->size, 1)};
    job->member_lists += more->has != NULL;
    return more->has;
}

static void forget_members(struct job_view *job)
{
    for (int i = 0; i < job->member_lists; i++)
        free(job->members[i].has);
    job->member_lists = 0;
}

/* Of the communicators in which its threads wait for others than they know. */
static void find_members_of(struct job_view *job, const struct rank_view *v)
{
    for (int i = 0; i < v->threads; i++) {
        const struct rank_thread *thread = &v->thread[i];
        const struct object_comm *c =
            thread->comm && !thread->is_precise ? objects_comm(&v->objects, thread->comm) : NULL;
        bool *has = c ? job_members(job, c->context) : NULL;

        if (has)
            objects_members(&v->traced, c, has, job->size);
    }
}

static bool has_comm(const struct rank_view *v, uint64_t context)
{
    for (int i = 0; v && i < v->objects.comms; i++)
        if (v->objects.comm[i].context == context)
            return true;
    return false;
}

/* Members that are not in the call. */
static int late_members(const struct job_view *job, int rank, const struct rank_thread *thread, bool *late)
{
    const struct rank_view *v = job->rank[rank];
    const struct object_comm *c = thread->comm ? objects_comm(&v->objects, thread->comm) : NULL;
    const struct job_members *members = c ? members_with(job, c->context) : NULL;
    int count = 0;

    for (int p = 0; p < job->size; p++) {
        if (p == rank || is_in_call(job, p, thread))
            continue;
        if (c && !(members && members->has[p]) && !has_comm(job->rank[p], c->context))
            continue;
        late[p] = true;
        count++;
    }
    return count;
}

int job_late(const struct job_view *job, int rank, const struct rank_thread *thread, bool *late)
{
    int count = 0;

    memset(late, 0, (size_t)job->size * sizeof *late);
    if (!thread->in_mpi)
        return 0;
    for (int i = 0; thread->waits && i < thread->awaits; i++)
        if (thread->awaited[i] < job->size && !late[thread->awaited[i]]) {
            late[thread->awaited[i]] = true;
            count++;
        }
    if (count || thread->is_precise || !thread->is_settled)
        return count;
    if ((thread->waits && thread->wait == FOR_COLLECTIVE) || (!thread->comm && begins_or_ends(thread->call)))
        return late_members(job, rank, thread, late);
    return 0;
}

/* Whether each of its threads waits, or sleeps outside MPI, as who joins threads does. Fills in whom they wait for, in `all`; `late` is
 * room for those of one. */
static bool find_waits(const struct job_view *job, int rank, bool *all, bool *late)
{
    const struct rank_view *v = job->rank[rank];
    bool works = !v, waits = false;

    for (int i = 0; v && i < v->threads; i++) {
        const struct rank_thread *thread = &v->thread[i];
        int count = thread->is_settled ? job_late(job, rank, thread, late) : 0;

        if (count || (thread->is_settled && thread->waits && thread->wait != FOR_UNKNOWN))
            waits = true;
        else
            works = works || thread->in_mpi || thread->state != 'S';
        for (int p = 0; count && p < job->size; p++)
            all[p] = all[p] || late[p];
    }
    return waits && !works;
}

bool job_refresh(struct job_view *job)
{
    static struct traced t;

    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = job->rank[r];

        if (v && *v->host)
            continue; /* another host tells of it */
        if (v && traced_find(v->traced.pid, &t) == TRACED_FOUND && t.started == v->traced.started) {
            v->traced = t;
        } else if (v) {
            free(v);
            job->rank[r] = NULL;
            job->present--;
        }
    }
    return job->present > 0;
}

void job_look_here(struct job_view *job)
{
    forget_members(job);
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && !*job->rank[r]->host)
            rank_look(job->rank[r]);
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && !*job->rank[r]->host) {
            rank_settle(job->rank[r]);
            find_members_of(job, job->rank[r]);
        }
}

/* Hosts look one after the other: a wait counts if it had begun before they were asked, so that all of them went on at that moment. */
static void unsettle_later(struct job_view *job)
{
    uint64_t latest = job->asked_ns - RANK_SETTLED_MS * UINT64_C(1000000);

    for (int r = 0; r < job->size; r++)
        for (int i = 0; job->rank[r] && i < job->rank[r]->threads; i++) {
            struct rank_thread *thread = &job->rank[r]->thread[i];

            thread->is_settled = thread->is_settled && thread->waits && thread->since_ns < latest;
        }
}

bool job_conclude(struct job_view *job)
{
    size_t size = (size_t)job->size;
    bool *late = malloc(size);

    free(job->late);
    free(job->blocked);
    job->late = calloc(size, size);
    job->blocked = calloc(size, 1);
    if (!late || !job->late || !job->blocked) {
        free(late);
        return false;
    }
    if (job->asked_ns)
        unsettle_later(job);
    for (int r = 0; r < job->size; r++)
        job->blocked[r] = find_waits(job, r, job->late + (size_t)r * size, late);
    free(late);
    return true;
}

bool job_look(struct job_view *job)
{
    job_look_here(job);
    return job_conclude(job);
}

/* A walk along who waits for whom, from one rank: state 1 is on the way, 2 is done. Returns where a circle closes; -1: there is none. */
static int walk_circle(const struct job_view *job, int rank, char *state, int *way, int depth)
{
    int closes = -1;

    state[rank] = 1;
    way[depth] = rank;
    for (int p = 0; p < job->size && closes < 0; p++) {
        if (state[p] == 2 || !job_awaits(job, rank, p) || !job->blocked[p])
            continue;
        if (state[p] == 1) {
            way[depth + 1] = -1;
            return p;
        }
        closes = walk_circle(job, p, state, way, depth + 1);
    }
    if (closes < 0)
        state[rank] = 2;
    return closes;
}

int job_find_circle(const struct job_view *job, int *circle)
{
    char *state = calloc((size_t)job->size, 1);
    int *way = malloc(((size_t)job->size + 1) * sizeof *way);
    int count = 0, closes = -1;

    for (int r = 0; state && way && r < job->size && closes < 0; r++)
        if (!state[r] && job->rank[r] && job->blocked[r])
            closes = walk_circle(job, r, state, way, 0);
    for (int i = 0, is_in = 0; closes >= 0 && way[i] >= 0; i++) {
        is_in = is_in || way[i] == closes;
        if (is_in)
            circle[count++] = way[i];
    }
    free(state);
    free(way);
    return count;
}

/* The first rank that a rank waits for; -1: it waits for none. */
static int first_awaited(const struct job_view *job, int rank)
{
    for (int p = 0; p < job->size; p++)
        if (job_awaits(job, rank, p))
            return p;
    return -1;
}

int job_find_behind(const struct job_view *job, int process, const struct rank_thread *thread)
{
    for (int steps = 0; steps <= job->size; steps++) {
        int next =
            job->blocked[process] && is_in_call(job, process, thread) ? first_awaited(job, process) : -1;

        if (next < 0)
            return process;
        process = next;
    }
    return -1;
}

int job_find_culprit(const struct job_view *job, int rank)
{
    for (int steps = 0; steps <= job->size; steps++) {
        int next = first_awaited(job, rank);

        if (next < 0)
            return -1;
        if (!job->rank[next] || !job->blocked[next])
            return next;
        rank = next;
    }
    return -1;
}
