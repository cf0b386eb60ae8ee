#include "cmd/where/say.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOLD_MOST = 3 /* messages without a receive, of one thread */
};

void say_more(char *to, size_t room, const char *format, ...)
{
    size_t used = strlen(to);
    va_list list;

    va_start(list, format);
    vsnprintf(to + used, room - used, format, list);
    va_end(list);
}

void say_ranks(const bool *has, int size, char *to, size_t room)
{
    const char *between = "";

    *to = 0;
    for (int r = 0; r < size; r++) {
        int last = r;

        if (!has[r])
            continue;
        while (last + 1 < size && has[last + 1])
            last++;
        if (strlen(to) + 32 > room) {
            say_more(to, room, ", ...");
            return;
        }
        say_more(to, room, last == r ? "%s%d" : last == r + 1 ? "%s%d, %d" : "%s%d-%d", between, r, last);
        between = ", ";
        r = last;
    }
}

static void say_tag(int tag, char *to, size_t room)
{
    if (tag == MPI_ANY_TAG)
        say_more(to, room, ", any tag");
    else
        say_more(to, room, ", tag %d", tag);
}

static void say_source(int source, char *to, size_t room)
{
    if (source == MPI_ANY_SOURCE)
        say_more(to, room, " from any rank");
    else
        say_more(to, room, " from %d", source);
}

/* A message that waits at the receiver for this send: it knows the tag. */
static const struct object_message *find_waiting_message(const struct job_view *job, int rank,
                                                         const struct rank_thread *thread)
{
    const struct rank_view *v = thread->awaits ? job->rank[thread->awaited[0]] : NULL;
    const struct object_comm *mine = objects_comm(&job->rank[rank]->objects, thread->comm);
    const struct object_message *found = NULL;

    for (int i = 0; v && mine && v->has_objects && i < v->objects.messages; i++) {
        const struct object_message *m = &v->objects.message[i];
        const struct object_comm *c = objects_comm(&v->objects, m->comm);

        if (!c || c->context != mine->context || m->source != mine->rank)
            continue;
        if (found && found->tag != m->tag)
            return NULL;
        found = m;
    }
    return found;
}

static void say_send(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                     size_t room)
{
    const struct object_message *sent =
        thread->awaits && thread->awaited[0] < job->size ? find_waiting_message(job, rank, thread) : NULL;

    say_more(to, room, " to %d", thread->peer);
    if (sent)
        say_tag(sent->tag, to, room);
    say_more(to, room, ", %llu bytes,", (unsigned long long)thread->bytes);
}

/* The arguments, as far as they are known. */
static void say_arguments(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                          size_t room)
{
    char name[OBJECTS_NAME + 64];

    if (thread->wait == FOR_MESSAGE || thread->wait == FOR_PROBE) {
        say_source(thread->peer, to, room);
        say_tag(thread->tag, to, room);
        say_more(to, room, ",");
    } else if (thread->wait == FOR_RECEIVER) {
        say_send(job, rank, thread, to, room);
    } else if (thread->wait == FOR_LOCK && thread->peer >= 0) {
        say_more(to, room, " of rank %d", thread->peer);
    }
    if (thread->comm) {
        objects_name(&job->rank[rank]->objects, thread->comm, name, sizeof name);
        say_more(to, room, " on %s", name);
    }
}

/* In a tree of ranks each waits for another one, and all of them for the same in the end. */
static int find_behind(const struct job_view *job, const struct rank_thread *thread, const bool *late)
{
    int direct = 0, behind;

    if (!thread->is_settled || (thread->wait != FOR_COLLECTIVE && thread->wait != FOR_PART))
        return -1;
    while (!late[direct])
        direct++;
    behind = job_find_behind(job, direct, thread);
    return behind == direct ? -1 : behind;
}

static void say_late(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                     size_t room)
{
    bool *late = calloc((size_t)job->size, 1);
    char list[512];
    int count = late ? job_late(job, rank, thread, late) : 0;
    int behind = count == 1 ? find_behind(job, thread, late) : -1;

    if (behind >= 0) {
        say_more(to, room, ", waits for rank %d through others", behind);
    } else if (count) {
        say_ranks(late, job->size, list, sizeof list);
        say_more(to, room, ", waits for rank%s %s", count > 1 ? "s" : "", list);
        if (thread->wait == FOR_LOCK)
            say_more(to, room, ", which has locked it");
    }
    free(late);
}

/* Whether an earlier message of the list is of the same sender, tag and communicator. */
static bool is_like_earlier(const struct objects *o, int i)
{
    const struct object_message *m = &o->message[i];

    for (int e = 0; e < i; e++)
        if (o->message[e].comm == m->comm && o->message[e].source == m->source && o->message[e].tag == m->tag)
            return true;
    return false;
}

/* Unexpected messages that explain why a receive waits: from the same process, under another tag or communicator. */
static void say_unexpected(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                           size_t room)
{
    const struct rank_view *v = job->rank[rank];
    int told = 0, all = v->objects.messages + v->objects.messages_left;

    for (int i = 0; i < v->objects.messages && told < TOLD_MOST; i++) {
        const struct object_message *m = &v->objects.message[i];
        const struct object_comm *c = objects_comm(&v->objects, m->comm);
        char name[OBJECTS_NAME + 64];

        if (!c || is_like_earlier(&v->objects, i) || (thread->awaits && m->process != thread->awaited[0]))
            continue;
        objects_name(&v->objects, m->comm, name, sizeof name);
        say_more(to, room, "; a message from %d with tag %d%s%s is unexpected there", m->source, m->tag,
                 m->comm == thread->comm ? "" : " on ", m->comm == thread->comm ? "" : name);
        told++;
    }
    if (all > TOLD_MOST)
        say_more(to, room, "; %d messages are unexpected there in all", all);
}

/* Locks and epochs that this rank has open: others may wait for them. */
static void say_epochs(const struct rank_view *v, char *to, size_t room)
{
    for (int i = 0; i < v->objects.windows; i++) {
        const struct object_window *w = &v->objects.window[i];
        char name[OBJECTS_NAME + 64];

        objects_name(&v->objects, w->comm, name, sizeof name);
        if (w->locks)
            say_more(to, room, "; has locked rank %d%s of %s", w->locked[0],
                     w->locks > 1 ? " and others" : "", name);
        if (w->has_started)
            say_more(to, room, "; an epoch of MPI_Win_start is open on %s", name);
        if (w->has_posted)
            say_more(to, room, "; an epoch of MPI_Win_post is open on %s", name);
    }
}

static void say_call(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                     size_t room)
{
    const struct rank_view *v = job->rank[rank];

    if (*thread->call)
        say_more(to, room, "%s", thread->call);
    else if (*thread->collective)
        say_more(to, room, "in MPI, in the collective %s,", thread->collective);
    else
        say_more(to, room, "in MPI,");
    if (thread->waits && strncmp(thread->call, "MPI_Wait", 8) == 0)
        say_more(to, room, "%s",
                 thread->wait == FOR_MESSAGE    ? " for a receive"
                 : thread->wait == FOR_RECEIVER ? " for a send"
                                                : "");
    if (thread->waits)
        say_arguments(job, rank, thread, to, room);
    if (*thread->place)
        say_more(to, room, " %s", thread->place);
    say_late(job, rank, thread, to, room);
    if (thread->waits && (thread->wait == FOR_MESSAGE || thread->wait == FOR_PROBE))
        say_unexpected(job, rank, thread, to, room);
    if (thread->waits && *thread->posted)
        say_more(to, room, "; posted %s", thread->posted);
    if (v->has_objects)
        say_open(v, to, room);
}

const char *say_refusal(const struct rank_view *v)
{
    return v->traced.is_refused
               ? "may not be looked at by this user; no answer: in the program, or in a call that "
                 "makes no progress"
               : "may not be looked at by this user: ptrace is not permitted";
}

void say_thread(const struct job_view *job, int rank, const struct rank_thread *thread, char *to, size_t room)
{
    const struct rank_view *v = job->rank[rank];

    *to = 0;
    if (thread->in_mpi)
        say_call(job, rank, thread, to, room);
    else if (*thread->doing)
        say_more(to, room, "%s", thread->doing);
    else if (thread->is_unseen && v->traced.is_refused)
        say_more(to, room, "%s", say_refusal(v));
    else
        say_more(to, room, "outside MPI, as far as can be told");
    if (v->has_objects)
        say_epochs(v, to, room);
    if (!v->traced.is_open && !thread->in_mpi)
        say_more(to, room, "; before MPI_Init");
    if (thread->state == 'T')
        say_more(to, room, "; stopped by a signal");
}

/* What the ranks of a job amount to, in one line. */

/* The ranks that wait for any of those in `of`; returns how many. */
static int find_waiters(const struct job_view *job, const bool *of, bool *waits)
{
    int count = 0;

    memset(waits, 0, (size_t)job->size * sizeof *waits);
    for (int r = 0; r < job->size; r++)
        for (int p = 0; p < job->size && !waits[r] && !of[r]; p++)
            if (of[p] && job_awaits(job, r, p)) {
                waits[r] = true;
                count++;
            }
    return count;
}

static bool is_stopped(const struct rank_view *v)
{
    return v && v->traced.state == 'T';
}

/* Ranks that can do nothing for those that wait. */
static bool say_absent(const struct job_view *job, bool stopped, bool *of, bool *waits, char *to, size_t room)
{
    char list[256], others[256];
    int count = 0, waiters;

    for (int r = 0; r < job->size; r++) {
        of[r] = stopped ? is_stopped(job->rank[r]) : !job->rank[r];
        count += of[r];
    }
    if (!count || count == job->size)
        return false;
    waiters = find_waiters(job, of, waits);
    say_ranks(of, job->size, list, sizeof list);
    say_ranks(waits, job->size, others, sizeof others);
    snprintf(to, room, "rank%s %s %s%s%s%s%s", count > 1 ? "s" : "", list, count > 1 ? "are" : "is",
             stopped ? " stopped by a signal" : " not there: ended, not started, or on another host",
             waiters ? (waiters > 1 ? "; ranks " : "; rank ") : "", waiters ? others : "",
             waiters ? (waiters > 1 ? " wait for it" : " waits for it") : "");
    return stopped || waiters;
}

static bool is_collective_wait(const struct rank_thread *thread)
{
    return thread->is_settled && thread->waits &&
           (thread->wait == FOR_COLLECTIVE || thread->wait == FOR_PART);
}

/* A thread in a collective of the same communicator under another name. */
static const struct rank_thread *find_other(const struct rank_view *v, const struct rank_thread *as)
{
    for (int i = 0; v && i < v->threads; i++)
        if (is_collective_wait(&v->thread[i]) && v->thread[i].context == as->context &&
            strcmp(v->thread[i].call, as->call) != 0)
            return &v->thread[i];
    return NULL;
}

/* Of ranks that wait in a circle: whether two are in different collectives of a communicator. Elsewhere one may be further than another. */
static bool say_other_collective(const struct job_view *job, const int *circle, int count, char *to,
                                 size_t room)
{
    for (int i = 0; i < count; i++)
        for (int n = 0; n < job->rank[circle[i]]->threads; n++) {
            const struct rank_view *v = job->rank[circle[i]];
            const struct rank_thread *thread = &v->thread[n];

            for (int k = i + 1; is_collective_wait(thread) && thread->context && k < count; k++) {
                const struct rank_thread *other = find_other(job->rank[circle[k]], thread);
                bool is_first = circle[i] < circle[k];
                char name[OBJECTS_NAME + 64];

                if (!other)
                    continue;
                objects_name(&v->objects, thread->comm, name, sizeof name);
                snprintf(to, room, "different collectives on %s: rank %d is in %s, rank %d in %s", name,
                         circle[is_first ? i : k], (is_first ? thread : other)->call,
                         circle[is_first ? k : i], (is_first ? other : thread)->call);
                return true;
            }
        }
    return false;
}

static bool say_circle(const struct job_view *job, char *to, size_t room)
{
    int *circle = malloc((size_t)job->size * sizeof *circle);
    int count = circle ? job_find_circle(job, circle) : 0;
    size_t used;

    if (count && !say_other_collective(job, circle, count, to, room)) {
        snprintf(to, room, "a circle: rank");
        for (int i = 0; i < count && strlen(to) + 64 < room; i++) {
            used = strlen(to);
            snprintf(to + used, room - used, i ? ", which waits for %d" : " %d", circle[i]);
        }
        used = strlen(to);
        snprintf(to + used, room - used, ", which waits for %d", circle[0]);
    }
    free(circle);
    return count > 0;
}

/* All that are blocked wait for one rank in the end, which is not. */
static bool say_culprit(const struct job_view *job, bool *waits, char *to, size_t room)
{
    static char phrase[SAY_PHRASE];
    int culprit = -1, count = 0;
    char list[256];

    memset(waits, 0, (size_t)job->size * sizeof *waits);
    for (int r = 0; r < job->size; r++) {
        int c = job->rank[r] && job->blocked[r] ? job_find_culprit(job, r) : -1;

        if (c < 0)
            continue;
        if (culprit >= 0 && c != culprit)
            return false;
        culprit = c;
        waits[r] = true;
        count++;
    }
    if (culprit < 0 || !job->rank[culprit])
        return false;
    say_ranks(waits, job->size, list, sizeof list);
    if (job->rank[culprit]->is_refused) {
        snprintf(to, room, "rank%s %s wait%s for rank %d, which %s", count > 1 ? "s" : "", list,
                 count > 1 ? "" : "s", culprit, say_refusal(job->rank[culprit]));
        return true;
    }
    if (!job->rank[culprit]->threads || job->rank[culprit]->thread[0].is_unseen)
        return false;
    say_thread(job, culprit, &job->rank[culprit]->thread[0], phrase, sizeof phrase);
    snprintf(to, room, "rank%s %s wait%s for rank %d, which %s%s", count > 1 ? "s" : "", list,
             count > 1 ? "" : "s", culprit,
             job->rank[culprit]->thread[0].in_mpi            ? "is in "
             : strncmp(phrase, "outside", strlen("outside")) ? ""
                                                             : "is ",
             phrase);
    return true;
}

void say_verdict(const struct job_view *job, char *to, size_t room)
{
    bool *of = calloc((size_t)job->size, 1), *waits = calloc((size_t)job->size, 1);

    *to = 0;
    if (of && waits && !say_absent(job, false, of, waits, to, room) &&
        !say_absent(job, true, of, waits, to, room) && !say_circle(job, to, room) &&
        !say_culprit(job, waits, to, room))
        *to = 0;
    free(of);
    free(waits);
}
