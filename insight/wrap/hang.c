#include "insight/wrap/wrap.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/request_record.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"
#include "plain/clock.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TICK_MS = 50,
    JOIN_MS = 100,
    ROLL_MS = 5000, /* without any movement */
    POLL_MS = 1000, /* between two calls of a loop that polls */
    HANG_CODE = 66,
    TEXT = 2800,    /* of a finding */
    RANK_TEXT = 900 /* the most that one rank takes of it */
};

/* After one of these calls may wait for what never comes, although all that they need seems to be there. */
static const uint64_t derailing = UINT64_C(1) << FINDING_COLLECTIVE | UINT64_C(1) << FINDING_ROOT |
                                  UINT64_C(1) << FINDING_COUNT | UINT64_C(1) << FINDING_THREAD;

static pthread_t watchdog;
static _Atomic uintptr_t
    turn; /* the watchdog that is to watch; stored with release, loaded with acquire by older ones */
static bool is_stopped; /* it ends, or has ended, and is not joined yet */
static sem_t stops;     /* posted when it is to end */

static const char nothing_moves[] = "nothing has moved for";

/* What the rank that calls the roll has seen. */
struct roll {
    uint64_t sum, since;
    bool is_said;
};

/* Whom a call waits for. */
struct awaited {
    uint64_t targets[BOARD_RANKS / 64];
    bool is_any, can_go_on;
};

static void await_rank(struct awaited *a, int world)
{
    if (world >= 0)
        a->targets[world / 64] |= UINT64_C(1) << world % 64;
    else
        a->can_go_on = true; /* unknown */
}

/* Until its message has met a receive a send waits for that rank; then it takes as long as the data. */
static void await_receiver(struct awaited *a, int to, uint64_t number)
{
    if (message_check_is_taken(to, number))
        a->can_go_on = true;
    else
        await_rank(a, to);
}

/* The call's own message is the last that it has sent there. */
static void await_send(struct awaited *a, const struct intercept *call, const struct comm_record *comm)
{
    int to = comm && !loss_is_revoked(comm->number)
                 ? comm_check_world(comm, (int)intercept_argument(call, AT_DEST))
                 : -1;

    await_receiver(a, to, message_check_last(to));
}

/* `posted`: NULL: it is a probe. */
static void await_message(struct awaited *a, const struct comm_record *comm, int source, int tag,
                          const struct posted_receive *posted)
{
    if (!comm || !comm->world || source == MPI_PROC_NULL || loss_is_revoked(comm->number) ||
        (posted ? message_check_is_coming_to(posted) : message_check_is_coming(comm, source, tag))) {
        a->can_go_on = true;
        return;
    }
    if (source != MPI_ANY_SOURCE) {
        await_rank(a, comm_check_world(comm, source));
        return;
    }
    a->is_any = true;
    for (int i = 0; i < comm->targets; i++)
        if (comm_check_world(comm, i) != process.rank)
            await_rank(a, comm_check_world(comm, i));
}

static void await_request(struct awaited *a, MPI_Request request)
{
    struct request_record *r = request_check_find(request);
    struct comm_record *comm = r ? comm_check_find(r->comm) : NULL;

    if (!r || !r->is_active || !comm || loss_is_revoked(comm->number))
        a->can_go_on = true;
    else if (r->is_partitioned)
        await_rank(a, comm_check_world(comm, r->peer));
    else if (r->starts)
        a->can_go_on = !collective_check_missing(comm, collective_check_number_of_starts(r->number, r->turn),
                                                 r->starts, a->targets);
    else if (r->turn)
        a->can_go_on = !collective_check_missing(comm, r->number, r->turn, a->targets);
    else if (r->posted)
        await_message(a, comm, r->source, r->recvtag, r->posted);
    else if (r->dest != MPI_PROC_NULL)
        await_receiver(a, comm_check_world(comm, r->dest), r->message);
    else
        a->can_go_on = true;
}

static void add_awaited(struct awaited *a, const struct awaited *one)
{
    a->can_go_on |= one->can_go_on;
    a->is_any |= one->is_any;
    for (int k = 0; k < BOARD_RANKS / 64; k++)
        a->targets[k] |= one->targets[k];
}

/* All of several requests, or one of them: `or` of those that cannot go on either way. Who waits for all waits for those that name a rank,
 * whatever the others receive. */
static void await_requests(struct awaited *a, const struct intercept *call)
{
    struct awaited any = {0};
    const MPI_Request *request = (MPI_Request *)(intptr_t)call->many;
    bool needs_all = call->procedure->family == FAMILY_WAITALL;
    int open = 0, named = 0;

    for (int64_t i = 0; request && i < intercept_argument(call, AT_TOTAL); i++) {
        struct awaited one = {0};

        if (request[i] == MPI_REQUEST_NULL)
            continue;
        await_request(&one, request[i]);
        if (one.can_go_on && needs_all)
            continue;
        open++;
        named += !one.is_any;
        add_awaited(one.is_any ? &any : a, &one);
    }
    if (!needs_all || named == 0)
        add_awaited(a, &any);
    a->is_any |= !needs_all;
    a->can_go_on |= open == 0;
}

static void await_sendrecv(struct awaited *a, const struct intercept *call, const struct comm_record *comm)
{
    await_message(a, comm, (int)intercept_argument(call, AT_SOURCE),
                  (int)intercept_argument(call, AT_RECVTAG), call->detail);
    if (!a->can_go_on || !comm)
        return;
    a->can_go_on = false;
    await_send(a, call, comm);
}

/* In MPI_Win_start's epoch for those that are to post, in MPI_Win_post's for those that are to complete, else for a lock. */
static void await_window(struct awaited *a, const struct intercept *call)
{
    const struct win_record *w = win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));
    enum family family = call->procedure->family;
    const int *ranks = NULL;
    int count = 0, holder = -1;

    if (w && comm_loss_is_over(&w->comm))
        w = NULL; /* the library ends it */
    if (w && family == FAMILY_WIN_WAIT && !intercept_has(call, AT_FLAG)) {
        ranks = w->posted_to;
        count = w->posted_count;
    } else if (w && w->is_started && (family == FAMILY_WIN_COMPLETE || family == FAMILY_RMA)) {
        ranks = w->started_to;
        count = w->started_count;
    } else if (w && family == FAMILY_WIN_LOCK && intercept_has(call, AT_TARGET)) {
        holder = win_check_holder(w, (int)intercept_argument(call, AT_TARGET));
        ranks = holder >= 0 && holder != process.rank ? &holder : NULL;
        count = 1;
    }
    for (int i = 0; ranks && i < count; i++)
        await_rank(a, ranks[i]);
    a->can_go_on |= !ranks || count == 0;
}

static void find_awaited(struct awaited *a, const struct intercept *call)
{
    const struct comm_record *comm = comm_check_of(call);

    switch (call->procedure->family) {
    case FAMILY_RECV:
    case FAMILY_PROBE:
        await_message(a, comm, (int)intercept_argument(call, AT_SOURCE),
                      (int)intercept_argument(call, AT_RECVTAG),
                      call->procedure->family == FAMILY_RECV ? call->detail : NULL);
        break;
    case FAMILY_SEND:
        await_send(a, call, comm);
        break;
    case FAMILY_SENDRECV:
        await_sendrecv(a, call, comm);
        break;
    case FAMILY_WAIT:
        await_request(a, (MPI_Request)(intptr_t)call->saved[0]);
        break;
    case FAMILY_WAITALL:
    case FAMILY_WAITANY:
    case FAMILY_WAITSOME:
        await_requests(a, call);
        break;
    case FAMILY_COLLECTIVE:
    case FAMILY_COMM_MAKE:
    case FAMILY_COMM_FREE:
    case FAMILY_FINALIZE:
    case FAMILY_WIN_MAKE:
    case FAMILY_WIN_FREE:
    case FAMILY_WIN_FENCE:
    case FAMILY_FILE_OPEN:
    case FAMILY_FILE_COLLECTIVE:
    case FAMILY_FILE_CLOSE:
        a->can_go_on = !collective_check_awaited(call, a->targets);
        break;
    case FAMILY_RMA:
    case FAMILY_WIN_COMPLETE:
    case FAMILY_WIN_WAIT:
    case FAMILY_WIN_LOCK:
        await_window(a, call);
        break;
    default:
        a->can_go_on = true;
    }
}

/* All other ranks: as long as one of them runs, it may help. */
static void hang_await_others(struct awaited *a)
{
    *a = (struct awaited){.can_go_on = process.size == 1};
    for (int i = 0; i < process.size; i++)
        if (i != process.rank)
            await_rank(a, i);
}

static uint64_t now_ms(void)
{
    return clock_ns() / 1000000;
}

/* How long this rank has got nothing done, and polled in vain. */
struct rest {
    uint64_t progress, since;
    uint64_t polls, polled_at;
};

static void watch_rest(struct rest *rest)
{
    if (intercept_progress() != rest->progress)
        rest->since = now_ms();
    if (process.polls != rest->polls)
        rest->polled_at = now_ms();
    rest->progress = intercept_progress();
    rest->polls = process.polls;
}

static bool is_poll(const struct intercept *call)
{
    return call && intercept_has(call, AT_FLAG);
}

/* Waits for others in a call, and it is not known for whom: which members come to make a communicator, or which message a receive of
 * MPI_ANY_SOURCE has taken from another. */
static bool is_meeting(const struct intercept *call)
{
    if (!call || call->next)
        return false;
    switch (call->procedure->family) {
    case FAMILY_COMM_GROUP_MAKE: /* what spawns, or connects to other jobs, waits for these */
        return call->procedure == &procedures[PROCEDURE_Comm_create_group] ||
               call->procedure == &procedures[PROCEDURE_Comm_create_from_group] ||
               call->procedure == &procedures[PROCEDURE_Intercomm_create] ||
               call->procedure == &procedures[PROCEDURE_Intercomm_create_from_groups];
    case FAMILY_COMM_MAKE:
    case FAMILY_COMM_SHRINK:
    case FAMILY_COMM_AGREE:
    case FAMILY_SEND:
    case FAMILY_RECV:
    case FAMILY_SENDRECV:
    case FAMILY_PROBE:
    case FAMILY_WAIT:
    case FAMILY_WAITALL:
    case FAMILY_WAITANY:
    case FAMILY_WAITSOME:
    case FAMILY_COLLECTIVE:
        return true;
    default:
        return false;
    }
}

/* What a rank does that waits for nobody in a call, but has got nothing done for long. */
static enum rank_state publish_rest(struct board_rank *r, const struct intercept *call,
                                    const struct rest *rest)
{
    bool polls = now_ms() - rest->polled_at < POLL_MS && process.polled;

    if (now_ms() - rest->since < ROLL_MS / 2)
        return RANK_RUNNING;
    if (polls && (!call || (is_poll(call) && !call->next))) {
        r->place = finding_place(process.polled_at);
        snprintf(r->text, sizeof r->text, "polls with %s", process.polled->name);
        return RANK_POLLING;
    }
    r->place = finding_place(call ? call->site : process.last_site);
    snprintf(r->text, sizeof r->text, call ? "has not returned from %s" : "is in no call since %s",
             call ? call->procedure->name : "its last one");
    if (!call)
        return RANK_OUTSIDE;
    return is_meeting(call) ? RANK_MEETING : RANK_STILL;
}

/* What stands on the board is of an earlier call, and is about to be overwritten: who judges by some of the new must not take it for the
 * old, although this watchdog may be kept from running in between. */
static void withdraw_entry(struct board_rank *r)
{
    if (atomic_load_explicit(&r->progress, memory_order_relaxed) == intercept_progress())
        return;
    atomic_store_explicit(&r->progress, intercept_progress(), memory_order_relaxed);
    atomic_store_explicit(&r->state, RANK_RUNNING, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* pairs with the fence in circle_find */
}

/* Writes what this rank is doing. */
static void publish(struct intercept *call, uint64_t since, const struct rest *rest)
{
    enum rank_state state = RANK_WAITING;
    struct board_rank *r = &board->rank[process.rank];
    struct awaited a = {0};
    bool is_derailed = finding_is_known(derailing);
    bool is_alone = call && !call->next && !thread_check_is_shared();
    bool waits = call && (is_alone || is_derailed) && now_ms() - since >= PATIENCE_MS / 2;

    atomic_store_explicit(&r->since, since, memory_order_relaxed);
    if (waits)
        collective_check_accepted(call); /* what is refused returns at once */
    if (waits)
        message_check_tell_taken();
    if (waits && is_alone)
        find_awaited(&a, call);
    if (waits && is_derailed && (a.can_go_on || !is_alone))
        hang_await_others(&a);
    withdraw_entry(r);
    if (waits && !a.can_go_on) {
        r->is_any = a.is_any;
        memcpy(r->targets, a.targets, sizeof r->targets);
        r->place = finding_place(call->site);
        intercept_describe(call, r->text, sizeof r->text);
        awaited_text_describe(call, r->detail, sizeof r->detail);
    }
    if (!waits || a.can_go_on)
        state = publish_rest(r, call, rest);
    atomic_store_explicit(&r->progress, intercept_progress(), memory_order_relaxed);
    /* release: what it waits for is written */
    atomic_store_explicit(&r->state, state, memory_order_release);
    /* release: all is; pairs with the acquire in read_looked */
    atomic_store_explicit(&r->looked, now_ms(), memory_order_release);
}

static int next_in_cycle(int rank, const bool *goes)
{
    for (int t = 0; t < process.size; t++)
        if (circle_awaits(&board->rank[rank], t) && !goes[t] &&
            atomic_load_explicit(&board->rank[t].state, memory_order_acquire) == RANK_WAITING)
            return t;
    return -1;
}

/* "cycle: 0 -> 1 -> 0" */
static void describe_cycle(int first, const bool *goes, char *text, size_t size)
{
    bool seen[BOARD_RANKS] = {false};
    size_t used = 0;
    int rank = first, start;

    for (; rank >= 0 && !seen[rank]; rank = next_in_cycle(rank, goes))
        seen[rank] = true;
    text[0] = '\0';
    if (rank < 0)
        return;
    used = (size_t)snprintf(text, size, "\n  cycle: rank %d", start = rank);
    do {
        rank = next_in_cycle(rank, goes);
        used += (size_t)snprintf(text + used, size - used, " -> %d", rank);
    } while (rank != start && used < size - 16);
}

static void describe_targets(const struct board_rank *r, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, r->is_any ? "one of rank" : "rank");
    int named = 0;

    for (int t = 0; t < process.size && named <= 6 && used < size - 16; t++) {
        if (!circle_awaits(r, t))
            continue;
        if (named < 6)
            used += (size_t)snprintf(text + used, size - used, "%s %d", named ? "," : "", t);
        else
            used += (size_t)snprintf(text + used, size - used, ", ...");
        named++;
    }
}

/* "  rank 1 waits for rank 0 in MPI_Recv(...) at solve.c:12", and what that is */
static size_t describe_rank(int rank, char *text, size_t size)
{
    const struct board_rank *r = &board->rank[rank];
    char targets[96], place[64];

    finding_place_text(r->place, place, sizeof place);
    if (atomic_load_explicit(&r->state, memory_order_acquire) != RANK_WAITING)
        return (size_t)snprintf(text, size, "\n  rank %d %.100s at %s", rank, r->text, place);
    describe_targets(r, targets, sizeof targets);
    return (size_t)snprintf(text, size, "\n  rank %d waits for %s in %.100s at %s%s", rank, targets, r->text,
                            place, r->detail);
}

static void say_deadlock(int first, const bool *goes)
{
    const struct board_rank *r = &board->rank[first];
    int other = next_in_cycle(first, goes), said = 0;
    char text[TEXT], cycle[160];
    size_t used = (size_t)snprintf(text, sizeof text, "ranks wait for each other, and nothing moves");

    for (int i = 0; i < process.size && said < 8 && used < sizeof text - RANK_TEXT; i++) {
        if (goes[i] || atomic_load_explicit(&board->rank[i].state, memory_order_acquire) != RANK_WAITING)
            continue;
        used += describe_rank(i, text + used, sizeof text - used);
        said++;
    }
    describe_cycle(first, goes, cycle, sizeof cycle);
    finding_add(
        &(struct finding_about){
            .class = FINDING_DEADLOCK,
            .other = other >= 0 ? board->rank[other].place : (struct call_place){0, 0},
            .role = "another",
            .at = r->place,
            .fix = "let one side receive first, or use nonblocking calls; every rank must call what the "
                   "others wait for"},
        "%s%s", text, cycle);
}

static void end_job(int first, const bool *goes)
{
    uint64_t causes = ~(UINT64_C(1) << FINDING_LEAK | UINT64_C(1) << FINDING_BUFFER |
                        UINT64_C(1) << FINDING_LOST | UINT64_C(1) << FINDING_REQUEST);

    if (atomic_exchange_explicit(&board->is_hung, 1, memory_order_acq_rel))
        return;
    finding_withdraw(nothing_moves); /* this says more */
    if (!finding_is_known(causes))
        say_deadlock(first, goes);
    call_lock_leave();
    process_abort(HANG_CODE, END_DEADLOCK);
}

/* The first rank that waits decides for all. */
static void judge(struct circle *circle)
{
    bool goes[BOARD_RANKS];
    int first = circle_find(circle, goes);

    if (first >= 0)
        end_job(first, goes);
}

/* It has left MPI_Finalize, or has died. */
static bool hang_has_left(int rank)
{
    enum rank_state state = loss_state_of(rank);

    return state == RANK_ENDED || state == RANK_LOST;
}

/* Says what each rank does; `first` is one that has not ended. */
static void say_roll(int first, bool is_fault)
{
    char text[TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s %d seconds", nothing_moves, ROLL_MS / 1000);

    for (int i = first; i < process.size && used < sizeof text - RANK_TEXT; i++)
        if (!hang_has_left(i))
            used += describe_rank(i, text + used, sizeof text - used);
    finding_add(
        &(struct finding_about){
            .class = is_fault ? FINDING_DEADLOCK : FINDING_STANDSTILL,
            .at = board->rank[first].place,
            .fix = is_fault ? "what a rank waits or polls for must be sent, or begun, by another"
                            : "look at the rank that waits for no other"},
        "%s", text);
}

/* Who waits, polls or meets others may never go on; who does neither may only be slow. Where no rank is in a call all of them compute. */
static bool is_all_quiet(bool *is_fault)
{
    bool is_any_inside = false;

    *is_fault = true;
    for (int i = 0; i < process.size; i++) {
        enum rank_state state = loss_state_of(i);

        if (state == RANK_ABSENT || state == RANK_RUNNING)
            return false;
        *is_fault &= state != RANK_STILL && state != RANK_OUTSIDE;
        is_any_inside |= state != RANK_OUTSIDE && state != RANK_ENDED && state != RANK_LOST;
    }
    return is_any_inside;
}

/* The first rank that has not ended calls the roll when nothing has moved for long, and takes back what it has said once something
 * moves: a loop that polls may end by itself, so the job is not ended. */
static void call_roll(struct roll *roll)
{
    uint64_t now = 0;
    int first = 0;
    bool is_fault;

    while (first < process.size && hang_has_left(first))
        first++;
    for (int i = 0; i < process.size; i++)
        now += atomic_load_explicit(&board->rank[i].progress, memory_order_relaxed);
    if (first != process.rank || now != roll->sum || !is_all_quiet(&is_fault)) {
        if (roll->is_said)
            finding_withdraw(nothing_moves);
        *roll = (struct roll){.sum = now, .since = now_ms()};
    } else if (!roll->is_said && now_ms() - roll->since >= ROLL_MS / 2) {
        roll->is_said = true;
        say_roll(first, is_fault);
    }
}

static bool is_over(const void *mine)
{
    return atomic_load_explicit(&turn, memory_order_acquire) != (uintptr_t)mine;
}

static struct timespec after_ms(clockid_t clock, long ms)
{
    struct timespec t;

    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

/* Sleeps for a tick, or until hang_stop. */
static void rest_a_tick(void)
{
    const struct timespec end = after_ms(CLOCK_REALTIME, TICK_MS);

    sem_timedwait(&stops, &end);
}

static void *watch(void *mine)
{
    uint64_t progress = 0, since = now_ms();
    struct intercept *last = NULL;
    struct circle circle = {.since = since};
    struct roll roll = {.since = since};
    struct rest rest = {.since = since};

    while (!is_over(mine)) {
        rest_a_tick();
        call_lock_visit();
        if (is_over(mine)) {
            call_lock_leave();
            break;
        }
        if (intercept_progress() != progress || intercept_calls() != last) {
            progress = intercept_progress();
            last = intercept_calls();
            since = now_ms();
        }
        message_check_settle();
        watch_rest(&rest);
        publish(last, since, &rest);
        judge(&circle);
        call_roll(&roll);
        call_lock_leave();
    }
    return NULL;
}

void hang_start(void)
{
    sigset_t all, old;

    hang_join();
    if (!process.is_shared)
        return;
    board->rank[process.rank].state = RANK_RUNNING;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* of pages that are guarded */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    process.has_watchdog = pthread_create(&watchdog, NULL, watch,
                                          (void *)atomic_load_explicit(&turn, memory_order_relaxed)) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The caller has the lock, which the watchdog may wait for. */
void hang_stop(void)
{
    if (!process.has_watchdog)
        return;
    process.has_watchdog = false;
    atomic_fetch_add_explicit(&turn, 1, memory_order_release);
    atomic_store_explicit(&board->rank[process.rank].state, RANK_ENDED, memory_order_release);
    finding_withdraw(nothing_moves);
    is_stopped = true;
    sem_post(&stops);
}

/* Bounded: it may wait for a lock of a thread that ends the process. */
void hang_join(void)
{
    const struct timespec end = after_ms(CLOCK_REALTIME, JOIN_MS);

    if (is_stopped && pthread_timedjoin_np(watchdog, NULL, &end))
        pthread_detach(watchdog);
    is_stopped = false;
}
