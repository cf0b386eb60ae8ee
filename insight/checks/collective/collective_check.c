#include "insight/checks/collective/collective_check.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/collective_buffers.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/file_record.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <string.h>

enum {
    PAIR_LIMIT = 64 /* ranks whose blocks are compared one by one */
};

/* An argument that the library below refuses makes a rank take no part. Where the program handles its errors itself, a rank's
 * arrival counts for nothing but the roll-call until its call has been accepted: it has returned, or waits. */
enum {
    COME_NOT,
    COME_ASKING,
    COME_ACCEPTED,
    COME_FAILED /* it took part, and the program got an error, which is its own to judge */
};

/* What a rank puts on the board. */
struct attendance {
    uint32_t has_come, procedure;
    int root, rank;
    int group; /* 1, 2: of an intercommunicator, in the order that both groups know; 0: of an intracommunicator */
    int blocks;  /* of each array on the board */
    uint64_t op; /* 0: none, or not significant */
    struct call_place place;
    struct type_signature to, from; /* what it sends to each and receives from each */
    bool sends, receives;           /* ... if it does */
    uint64_t to_each, from_each;    /* arrays of signatures on the board; 0: `to` and `from` hold for all */
    uint64_t parts;                 /* another, of MPI_Reduce_scatter; 0: none */
    bool has_neighbours;
    uint64_t destinations; /* if so: whom it sends to, a bit for each rank */
};

/* One collective. */
struct meeting {
    uint64_t next, number, turn; /* next: in the bucket */
    uint32_t size, sharing;      /* of both groups; sharing: those that come to this board */
    uint32_t decided;            /* ranks that have come and do not ask */
    uint32_t noted;              /* as far_log_add has returned it */
    bool is_reported;
    struct attendance arrival[]; /* by comm_check_index */
};

static size_t meeting_size(uint32_t size)
{
    return sizeof(struct meeting) + size * sizeof(struct attendance);
}

static uint64_t *meeting_slot(uint64_t number, uint64_t turn)
{
    uint64_t *slot = &board->table[(number ^ turn * 0x9e3779b97f4a7c15u) % BOARD_TABLES];

    while (*slot) {
        struct meeting *m = board_at(*slot);

        if (m->number == number && m->turn == turn)
            break;
        slot = &m->next;
    }
    return slot;
}

/* NULL: it is over, or was never opened. */
static struct meeting *meeting_find(uint64_t number, uint64_t turn)
{
    uint64_t offset = *meeting_slot(number, turn);

    return offset ? board_at(offset) : NULL;
}

static struct meeting *meeting_of(const struct intercept *call)
{
    return meeting_find((uint64_t)call->saved[INTERCEPT_SAVED - 2],
                        (uint64_t)call->saved[INTERCEPT_SAVED - 1]);
}

static struct meeting *meeting_open(const struct comm_record *comm, uint64_t number, uint64_t turn)
{
    uint32_t size = (uint32_t)comm->members;
    uint64_t *slot = meeting_slot(number, turn);
    struct meeting *m;

    if (!*slot) {
        *slot = board_allocate(meeting_size(size));
        if (!*slot) {
            finding_list_leave_out(&board->list, UNCHECKED_COLLECTIVES);
            return NULL;
        }
        m = board_at(*slot);
        m->number = number;
        m->turn = turn;
        m->size = size;
        m->sharing = (uint32_t)comm->sharing;
    }
    return board_at(*slot);
}

static void attendance_clear(struct attendance *a)
{
    const uint64_t array[] = {a->to_each, a->from_each, a->parts};

    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        if (array[i])
            board_free(array[i], (size_t)a->blocks * sizeof(struct type_signature));
    *a = (struct attendance){0};
}

static void meeting_close(struct meeting *m)
{
    uint64_t *slot = meeting_slot(m->number, m->turn), old = *slot;

    *slot = m->next;
    for (uint32_t i = 0; i < m->size; i++)
        attendance_clear(&m->arrival[i]);
    board_free(old, meeting_size(m->size));
}

static uint32_t int_form(const struct procedure *procedure)
{
    return (uint32_t)(procedure - procedures) - procedure->is_large; /* the _c form stands behind it */
}

/* The blocks of an array of counts, one for each rank of the own or the remote group. */
static uint64_t blocks_of(const struct intercept *call, enum role counts, enum role types, enum role type,
                          struct attendance *a, int size)
{
    uint64_t offset = size <= PAIR_LIMIT ? board_allocate((size_t)size * sizeof(struct type_signature)) : 0;
    struct type_signature *block = offset && intercept_argument(call, counts) ? board_at(offset) : NULL;

    if (intercept_has(call, types) && !intercept_argument(call, types))
        block = NULL; /* the library below refuses it */
    a->blocks = size;
    for (int i = 0; block && i < size; i++) {
        MPI_Datatype t = intercept_has(call, types)
                             ? ((const MPI_Datatype *)(intptr_t)intercept_argument(call, types))[i]
                             : (MPI_Datatype)(intptr_t)intercept_argument(call, type);

        block[i] = type_check_signature(t, intercept_element(call, counts, i));
    }
    return offset;
}

static uint64_t blocks_of_neighbours(const struct intercept *call, enum role counts, enum role types,
                                     enum role type, int size, const struct neighbour_list *list)
{
    uint64_t offset = board_allocate((size_t)size * sizeof(struct type_signature));

    if (offset)
        collective_neighbours_blocks(call, (struct array_roles){counts, types, type}, list, board_at(offset),
                                     size);
    return offset;
}

static struct type_signature block_given(const struct intercept *call, enum role count, enum role type)
{
    return type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, type),
                                intercept_argument(call, count));
}

static bool in_place(const struct intercept *call, enum role buffer)
{
    return (void *)(intptr_t)intercept_argument(call, buffer) == MPI_IN_PLACE;
}

/* What the vectors of a reduction have: a group's are as long as the blocks that all of it receive. */
static struct type_signature reduction_vector(const struct intercept *call, const struct comm_record *comm)
{
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    int64_t count = 0;

    for (int i = 0; intercept_argument(call, AT_COUNTS2) && i < comm->size; i++)
        count += intercept_element(call, AT_COUNTS2, i);
    if (!intercept_has(call, AT_COUNTS2))
        count = intercept_argument(call, intercept_has(call, AT_COUNT) ? AT_COUNT : AT_COUNT2);
    if (comm->is_inter && strstr(call->procedure->name, "scatter_block"))
        count *= comm->size;
    return type_check_signature(type, count);
}

/* Reductions: what all ranks have is the same; of two groups one sends what the other receives. */
static void describe_reduction(const struct intercept *call, const struct comm_record *comm,
                               struct attendance *a)
{
    a->sends = collective_check_gives(call, comm);
    a->receives = collective_check_takes(call, comm);
    a->op = (uint64_t)intercept_argument(call, AT_OP);
    if (a->op > 0xffff)
        a->op = UINT64_MAX; /* handles of the program's own operations differ from rank to rank */
    if (intercept_has(call, AT_COUNTS2))
        a->parts = blocks_of(call, AT_COUNTS2, AT_TYPES2, AT_TYPE, a, comm->size);
    a->to = a->from = reduction_vector(call, comm);
}

static void describe_sending(const struct intercept *call, struct attendance *a, int size)
{
    a->sends = true;
    if (intercept_has(call, AT_COUNTS))
        a->sends = (a->to_each = blocks_of(call, AT_COUNTS, AT_TYPES, AT_TYPE, a, size)) != 0;
    else
        a->to = block_given(call, AT_COUNT, AT_TYPE);
}

static void describe_receiving(const struct intercept *call, struct attendance *a, int size)
{
    a->receives = true;
    if (intercept_has(call, AT_COUNTS2))
        a->receives = (a->from_each = blocks_of(call, AT_COUNTS2, AT_TYPES2, AT_TYPE2, a, size)) != 0;
    else
        a->from = block_given(call, AT_COUNT2, AT_TYPE2);
}

static void describe_blocks(const struct intercept *call, const struct comm_record *comm,
                            struct attendance *a)
{
    bool gives = collective_check_gives(call, comm), takes = collective_check_takes(call, comm);

    if (!intercept_has(call, AT_BUF2)) {
        a->to = a->from = block_given(call, AT_COUNT, AT_TYPE);
        a->sends = gives;
        a->receives = takes;
        return;
    }
    if (gives && !in_place(call, AT_BUF))
        describe_sending(call, a, comm->targets);
    if (takes && !in_place(call, AT_BUF2))
        describe_receiving(call, a, comm->targets);
    if (in_place(call, AT_BUF) && !intercept_has(call, AT_ROOT) && !a->from_each) {
        a->sends = true;
        a->to = a->from;
    }
}

static void describe_neighbours(const struct intercept *call, const struct comm_record *comm,
                                struct attendance *a)
{
    MPI_Comm handle = (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM);
    struct neighbours all;

    if (comm->size > PAIR_LIMIT || !collective_neighbours_find(handle, &all))
        return;
    a->destinations = collective_neighbours_set(&all);
    a->blocks = comm->size;
    a->sends = a->receives = true;
    if (intercept_has(call, AT_COUNTS))
        a->to_each = blocks_of_neighbours(call, AT_COUNTS, AT_TYPES, AT_TYPE, a->blocks, &all.to);
    else
        a->to = block_given(call, AT_COUNT, AT_TYPE);
    if (intercept_has(call, AT_COUNTS2))
        a->from_each = blocks_of_neighbours(call, AT_COUNTS2, AT_TYPES2, AT_TYPE2, a->blocks, &all.from);
    else
        a->from = block_given(call, AT_COUNT2, AT_TYPE2);
}

static void describe_arrival(const struct intercept *call, const struct comm_record *comm,
                             struct attendance *a)
{
    const char *name = call->procedure->name;

    a->procedure = int_form(call->procedure);
    a->root = intercept_has(call, AT_ROOT) ? (int)intercept_argument(call, AT_ROOT) : -1;
    a->rank = comm->rank;
    a->group = comm->is_inter ? 1 + comm->is_second : 0;
    a->has_neighbours = strstr(name, "eighbor") != NULL;
    if (!intercept_has(call, AT_BUF) || call->procedure->family == FAMILY_WIN_MAKE ||
        intercept_has(call, AT_FILE))
        return;
    if (intercept_has(call, AT_ROOT) && !collective_check_takes_part(call, comm))
        return;
    if (a->has_neighbours)
        describe_neighbours(call, comm, a);
    else if (intercept_has(call, AT_OP))
        describe_reduction(call, comm, a);
    else
        describe_blocks(call, comm, a);
}

static struct type_signature block_to(const struct attendance *a, uint32_t rank)
{
    return a->to_each ? ((struct type_signature *)board_at(a->to_each))[rank] : a->to;
}

static struct type_signature block_from(const struct attendance *a, uint32_t rank)
{
    return a->from_each ? ((struct type_signature *)board_at(a->from_each))[rank] : a->from;
}

struct difference {
    enum finding_class class;
    char text[512];
    const char *fix;
    int group; /* of the rank that says it */
};

enum {
    RANK_NAME = 48
};

/* "rank 1", or "rank 1 of the remote group" */
static const char *name_rank(const struct attendance *a, const struct difference *d, char text[RANK_NAME])
{
    snprintf(text, RANK_NAME, a->group == d->group ? "rank %d" : "rank %d of the remote group", a->rank);
    return text;
}

/* What one rank sends to another, and what that receives. */
static bool compare_blocks(const struct attendance *a, const struct attendance *b, struct difference *d)
{
    struct type_signature sent, received;
    char sends[128], receives[128], one[RANK_NAME], two[RANK_NAME];

    if (!a->sends || !b->receives || (a->group && a->group == b->group))
        return false;
    if (a->has_neighbours && !(a->destinations >> b->rank & 1))
        return false;
    sent = block_to(a, (uint32_t)b->rank);
    received = block_from(b, (uint32_t)a->rank);
    if (type_check_fits(&sent, &received, false))
        return false;
    type_check_describe(&sent, sends, sizeof sends);
    type_check_describe(&received, receives, sizeof receives);
    d->class = sent.basic == received.basic && sent.items != received.items ? FINDING_COUNT : FINDING_TYPE;
    if (sent.bytes == received.bytes && type_check_is_tolerated(&sent, &received))
        d->class = FINDING_TOLERANCE;
    d->fix = "count and datatype must have the same signature on both sides";
    snprintf(d->text, sizeof d->text, "%s: %s gives %s, and %s takes %s", procedures[a->procedure].name,
             name_rank(a, d, one), sends, name_rank(b, d, two), receives);
    return true;
}

/* The blocks of MPI_Reduce_scatter, which are the same on all ranks of a group. */
static bool compare_counts(const struct attendance *a, const struct attendance *b, struct difference *d)
{
    const struct type_signature *one = board_at(a->parts), *two = board_at(b->parts);

    for (int n = 0; n < a->blocks; n++) {
        if (type_check_fits(&one[n], &two[n], false))
            continue;
        d->class = one[n].basic == two[n].basic ? FINDING_COUNT : FINDING_TYPE;
        d->fix = "recvcounts and datatype must be the same on all ranks of a group";
        snprintf(d->text, sizeof d->text, "%s: block %d has %llu items on rank %d, and %llu on rank %d",
                 procedures[a->procedure].name, n, (unsigned long long)one[n].items, a->rank,
                 (unsigned long long)two[n].items, b->rank);
        return true;
    }
    return false;
}

/* Of an intercommunicator one rank is MPI_ROOT, the others of its group are MPI_PROC_NULL, and the other group names that rank
 * (MPI-5.0 section 6.2.3). */
static bool roots_agree(const struct attendance *a, const struct attendance *b)
{
    const struct attendance *names = a->root >= 0 ? a : b, *named = names == a ? b : a;

    if (a == b || !a->group || procedures[a->procedure].at[AT_ROOT] < 0)
        return a->root == b->root;
    if (a->group == b->group)
        return a->root == b->root ? a->root != MPI_ROOT : a->root < 0 && b->root < 0;
    if (names->root < 0 || named->root >= 0)
        return false;
    return named->root == (named->rank == names->root ? MPI_ROOT : MPI_PROC_NULL);
}

static const char *name_root(const struct attendance *a, char text[RANK_NAME])
{
    snprintf(text, RANK_NAME, "%d", a->root);
    return !a->group || a->root >= 0 ? text : a->root == MPI_ROOT ? "MPI_ROOT" : "MPI_PROC_NULL";
}

static void say_roots(const struct attendance *a, const struct attendance *b, struct difference *d)
{
    char one[RANK_NAME], two[RANK_NAME], root[RANK_NAME], other[RANK_NAME];

    d->class = FINDING_ROOT;
    d->fix = a->group ? "one rank is MPI_ROOT, the others of its group are MPI_PROC_NULL, and all of the "
                        "other group name that rank"
                      : "all ranks name the same root";
    snprintf(d->text, sizeof d->text, "%s: %s says root %s, and %s root %s", procedures[a->procedure].name,
             name_rank(a, d, one), name_root(a, root), name_rank(b, d, two), name_root(b, other));
}

/* How the call of one rank differs from that of another. */
static bool compare_arrivals(const struct attendance *a, const struct attendance *b, struct difference *d)
{
    const char *name = procedures[a->procedure].name;
    char one[RANK_NAME], two[RANK_NAME];

    d->group = a->group;
    if (a->procedure != b->procedure) {
        d->class = FINDING_COLLECTIVE;
        d->fix = "all ranks of a communicator call the same collectives in the same order";
        snprintf(d->text, sizeof d->text, "%s calls %s where %s calls %s", name_rank(a, d, one), name,
                 name_rank(b, d, two), procedures[b->procedure].name);
    } else if (!roots_agree(a, b)) {
        say_roots(a, b, d);
    } else if (a->op && b->op && a->op != b->op) {
        d->class = FINDING_OPERATION;
        d->fix = "all ranks give the same operation";
        snprintf(d->text, sizeof d->text, "%s: %s and %s give different operations", name,
                 name_rank(a, d, one), name_rank(b, d, two));
    } else if (a->parts && b->parts && a->group == b->group) {
        return compare_counts(a, b, d);
    } else {
        return compare_blocks(a, b, d) || compare_blocks(b, a, d);
    }
    return true;
}

/* The last arrival is said to be odd, unless it agrees with another and differs from one alone. */
static void compare_all(struct intercept *call, struct meeting *m, uint32_t rank)
{
    struct difference d, found;
    uint32_t other = m->size, differing = 0, agreeing = 0;

    for (uint32_t i = 0; i < m->size; i++) {
        if (m->arrival[i].has_come != COME_ACCEPTED)
            continue;
        if (!compare_arrivals(&m->arrival[rank], &m->arrival[i], &d)) {
            agreeing++;
            continue;
        }
        differing++;
        other = i;
        found = d;
    }
    if (differing == 0 || m->is_reported)
        return;
    m->is_reported = true;
    far_log_report(&board->far, m->noted);
    if (found.class == FINDING_COLLECTIVE && board_goes_on(m->number, m->turn))
        return;
    board_unlock();
    finding_add(&(struct finding_about){.class = found.class,
                                        .call = call,
                                        .other = m->arrival[other].place,
                                        .role = "the other rank's call",
                                        .fix = found.fix},
                "%s%s", found.text,
                differing > 1 && agreeing <= 1 && m->size > 2 ? "; the first is the odd one" : "");
    board_lock();
}

static bool may_be_refused(const struct intercept *call, const struct comm_record *comm)
{
    enum family family = call->procedure->family;

    if (family == FAMILY_FILE_OPEN)
        return true; /* whatever the communicator's handler is */
    return comm->fatal == MPI_ERRHANDLER_NULL &&
           (family == FAMILY_COLLECTIVE || family == FAMILY_ICOLLECTIVE || family == FAMILY_COLLECTIVE_INIT ||
            family == FAMILY_COMM_MAKE || family == FAMILY_COMM_IMAKE || family == FAMILY_WIN_MAKE ||
            family == FAMILY_FILE_COLLECTIVE || family == FAMILY_FILE_ICOLLECTIVE);
}

static struct attendance attendance_far(const struct far_call *call)
{
    return (struct attendance){.procedure = call->procedure,
                               .root = call->root,
                               .rank = call->rank,
                               .group = call->group,
                               .op = call->op};
}

bool collective_check_far(const struct far_call *one, const struct far_call *two)
{
    struct attendance a = attendance_far(one), b = attendance_far(two);
    struct difference d;

    if (!compare_arrivals(&a, &b, &d))
        return false;
    finding_add(&(struct finding_about){.class = d.class,
                                        .at = one->place,
                                        .other = two->place,
                                        .role = "the other rank's call",
                                        .fix = d.fix,
                                        .rank = &one->world},
                "%s", d.text);
    return true;
}

/* For the boards of the other members. */
static void note_far(struct meeting *m, uint32_t rank)
{
    const struct attendance *a = &m->arrival[rank];

    if (m->noted || m->sharing == m->size || !process.gathers)
        return;
    m->noted = far_log_add(&board->far, &(struct far_call){.number = m->number,
                                                           .turn = m->turn,
                                                           .op = a->op,
                                                           .place = a->place,
                                                           .procedure = a->procedure,
                                                           .root = a->root,
                                                           .rank = a->rank,
                                                           .group = a->group,
                                                           .world = process.rank});
}

/* The last one closes the meeting. */
static void decide(struct intercept *call, struct meeting *m, uint32_t rank, uint32_t how)
{
    m->arrival[rank].has_come = how;
    m->decided++;
    if (how == COME_ACCEPTED) {
        note_far(m, rank);
        compare_all(call, m, rank);
    }
    if (m->decided == m->sharing)
        meeting_close(m);
}

static void decide_asked(struct intercept *call, const struct comm_record *comm, uint32_t how)
{
    struct meeting *m;

    if (!comm || !comm->world || !process.is_shared || !may_be_refused(call, comm))
        return;
    board_lock();
    m = meeting_of(call);
    if (m && m->arrival[comm_check_index(comm)].has_come == COME_ASKING)
        decide(call, m, comm_check_index(comm), how);
    board_unlock();
}

static struct comm_record *members_of(const struct intercept *call)
{
    return intercept_has(call, AT_FILE) ? file_check_comm(call) : comm_check_of(call);
}

void collective_check_accepted(struct intercept *call)
{
    decide_asked(call, members_of(call), COME_ACCEPTED);
}

void collective_check_enter_object(struct intercept *call, struct comm_record *comm, uint64_t number,
                                   uint64_t turn)
{
    struct call_place place;
    struct meeting *m;

    call->saved[INTERCEPT_SAVED - 2] = (int64_t)number;
    call->saved[INTERCEPT_SAVED - 1] = (int64_t)turn;
    order_enter(number, turn);
    if (!comm->world || !process.is_shared || comm_loss_is_over(comm))
        return;
    if (call->procedure->family == FAMILY_COLLECTIVE && !comm->is_inter &&
        !strstr(call->procedure->name, "eighbor"))
        buffering_check_met(call, number, turn, comm->size);
    place = finding_place(call->site);
    board_lock();
    m = meeting_open(comm, number, turn);
    if (m) {
        struct attendance *a = &m->arrival[comm_check_index(comm)];

        attendance_clear(a);
        describe_arrival(call, comm, a);
        a->place = place;
        if (may_be_refused(call, comm))
            a->has_come = COME_ASKING;
        else
            decide(call, m, comm_check_index(comm), COME_ACCEPTED);
    }
    board_unlock();
}

uint64_t collective_check_number_of_starts(uint64_t number, uint64_t made)
{
    return number ^ made * 0xff51afd7ed558ccdu ^ 0x6265677567;
}

void collective_check_begin(struct intercept *call, const struct comm_record *comm, uint64_t number,
                            uint64_t turn)
{
    struct call_place place = finding_place(call->site); /* takes the lock */
    struct meeting *m;

    if (!comm->world || comm_loss_is_over(comm))
        return;
    board_lock();
    m = meeting_open(comm, number, turn);
    if (m) {
        m->arrival[comm_check_index(comm)] = (struct attendance){.has_come = COME_ACCEPTED, .place = place};
        if (++m->decided == m->sharing)
            meeting_close(m);
    }
    board_unlock();
}

void collective_check_start(struct intercept *call, struct comm_record *comm, uint64_t made)
{
    struct call_place place = finding_place(call->site);
    struct attendance first = {0};
    struct meeting *m;

    if (!comm->world || comm_loss_is_over(comm))
        return;
    board_lock();
    m = meeting_open(comm, comm->number ^ 0x7374617274, ++comm->starts);
    for (uint32_t i = 0; m && i < m->size && !first.has_come; i++)
        if (m->arrival[i].has_come && m->arrival[i].op != made)
            first = m->arrival[i];
    if (m) {
        m->arrival[comm_check_index(comm)] =
            (struct attendance){.has_come = COME_ACCEPTED, .op = made, .place = place};
        if (++m->decided == m->sharing)
            meeting_close(m);
    }
    board_unlock();
    if (first.has_come)
        finding_add(
            &(struct finding_about){
                .class = FINDING_HINT,
                .call = call,
                .other = first.place,
                .role = "the other rank's start",
                .made = comm->asserted_at,
                .made_by = "the hint set",
                .fix = "start persistent collectives in one order on all ranks, or take the hint away"},
            "ranks start persistent collectives in different orders on a communicator with "
            "mpi_assert_strict_persistent_collective_ordering=true");
}

void collective_check_enter(struct intercept *call, struct comm_record *comm)
{
    collective_check_enter_object(call, comm, comm->number, ++comm->calls);
}

void collective_check_before(struct intercept *call)
{
    struct comm_record *comm = comm_check_of(call);

    order_tell();
    thread_check_collective(call);
    buffer_use_collective(call);
    if (comm)
        collective_check_enter(call, comm);
}

/* A rank whose arguments are refused has taken no part. */
static void withdraw(const struct intercept *call)
{
    struct comm_record *comm = members_of(call);
    uint64_t turn = (uint64_t)call->saved[INTERCEPT_SAVED - 1];
    struct meeting *m;

    if (!comm || !comm->world || !process.is_shared || comm->calls != turn)
        return;
    board_lock();
    m = meeting_of(call);
    if (m) {
        m->decided -= m->arrival[comm_check_index(comm)].has_come != COME_ASKING;
        attendance_clear(&m->arrival[comm_check_index(comm)]);
        comm->calls--;
    }
    board_unlock();
}

/* Some errors say that it took part, and failed here or at another rank. A file is opened nowhere if it cannot be at one rank. */
static bool took_part(const struct intercept *call, int class)
{
    if (call->procedure->family == FAMILY_FILE_OPEN)
        return class != MPI_ERR_COMM && class != MPI_ERR_ARG;
    return class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER || class == MPI_ERR_NO_MEM ||
           class == MPI_ERR_NOT_SAME;
}

void collective_check_returned(struct intercept *call, int error)
{
    int class = MPI_SUCCESS;

    if (error)
        real.Error_class(error, &class);
    if (!error)
        collective_check_accepted(call);
    else if (comm_loss_of_error(error) != LOSS_NOT)
        decide_asked(call, members_of(call), COME_FAILED);
    else if (took_part(call, class))
        decide_asked(call, members_of(call), intercept_has(call, AT_FILE) ? COME_ACCEPTED : COME_FAILED);
    else
        withdraw(call);
}

void collective_check_learn(const struct intercept *call, const struct comm_record *comm)
{
    order_leave(comm, (uint64_t)call->saved[INTERCEPT_SAVED - 2], (uint64_t)call->saved[INTERCEPT_SAVED - 1]);
}

void collective_check_after(struct intercept *call, int error)
{
    collective_check_returned(call, error);
    if (error) {
        buffering_check_give_up();
        return;
    }
    collective_check_learn(call, comm_check_of(call));
}

int collective_check_missing(const struct comm_record *comm, uint64_t number, uint64_t turn, uint64_t *set)
{
    struct meeting *m;
    int missing = 0;

    if (!comm || !comm->world || !turn || comm_loss_is_over(comm)) /* over: the library ends it */
        return 0;
    board_lock();
    m = meeting_find(number, turn);
    for (uint32_t i = 0; m && i < m->size; i++) {
        int world = comm_check_member(comm, i);

        if (m->arrival[i].has_come || world < 0)
            continue;
        set[world / 64] |= UINT64_C(1) << world % 64;
        missing++;
    }
    board_unlock();
    return missing;
}

int collective_check_awaited(const struct intercept *call, uint64_t *set)
{
    const struct comm_record *comm = comm_check_of(call);

    if (call->procedure->family == FAMILY_FINALIZE)
        comm = comm_check_find(MPI_COMM_WORLD);
    else if (call->procedure->family == FAMILY_COMM_FREE)
        comm = comm_check_find((MPI_Comm)(intptr_t)call->saved[0]);
    else if (intercept_has(call, AT_WIN))
        comm = win_check_comm(call);
    else if (intercept_has(call, AT_FILE))
        comm = file_check_comm(call);
    return collective_check_missing(comm, (uint64_t)call->saved[INTERCEPT_SAVED - 2],
                                    (uint64_t)call->saved[INTERCEPT_SAVED - 1], set);
}
