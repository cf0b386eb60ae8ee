/* What the ranks of a job amount to, in one line. */
#include "cmd/where/say.h"

#include <stdlib.h>
#include <string.h>

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
