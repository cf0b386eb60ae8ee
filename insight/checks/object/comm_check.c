#include "insight/checks/object/object_check.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/message/message_check.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/file_record.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix_numbers(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;

    return h ^ h >> 32;
}

/* Of these ranks of the group, those in MPI_COMM_WORLD. Keeps no object: a clean program must leave none under check. */
static int ranks_in_world(MPI_Group group, int size, const int *rank, int *world_rank)
{
    MPI_Group world;
    int error = real.Comm_group(MPI_COMM_WORLD, &world);

    if (error)
        return error;
    error = real.Group_translate_ranks(group, size, rank, world, world_rank);
    real.Group_free(&world);
    return error;
}

/* NULL: a member is not of MPI_COMM_WORLD. */
static int *translate_group(MPI_Group group, int size)
{
    int *all = tracked_must(malloc((size_t)(size ? size : 1) * 2 * sizeof *all));

    for (int i = 0; all && i < size; i++)
        all[size + i] = i;
    if (!all || ranks_in_world(group, size, all + size, all)) {
        free(all);
        return NULL;
    }
    for (int i = 0; i < size; i++) {
        if (all[i] == MPI_UNDEFINED) {
            free(all);
            return NULL;
        }
    }
    return all;
}

/* Nothing is known of ranks that have another board. Returns how many have this one. */
static int keep_sharers(int *world, int size)
{
    int sharing = 0;

    for (int i = 0; world && i < size; i++) {
        if (process_shares(world[i]))
            sharing++;
        else
            world[i] = -1;
    }
    return sharing;
}

int *comm_check_group(MPI_Group group, MPI_Win win, const struct comm_record *members, int *size)
{
    MPI_Group all = MPI_GROUP_NULL;
    int *world = NULL, rank;

    if (!members->world || real.Group_size(group, size) || real.Win_get_group(win, &all))
        return NULL;
    world = tracked_must(malloc((size_t)(*size + 1) * sizeof *world));
    for (int i = 0; world && i < *size; i++) {
        real.Group_translate_ranks(group, 1, &i, all, &rank);
        world[i] = comm_check_world(members, rank);
    }
    real.Group_free(&all);
    return world;
}

static uint64_t hash_ranks(const int *ranks, int size)
{
    uint64_t hash = 17;

    for (int i = 0; ranks && i < size; i++)
        hash = mix_numbers(hash, (uint64_t)ranks[i]);
    return hash;
}

static void find_size(struct comm_record *record, MPI_Comm comm)
{
    int is_inter = 0;

    real.Comm_test_inter(comm, &is_inter);
    real.Comm_rank(comm, &record->rank);
    real.Comm_size(comm, &record->size);
    record->is_inter = is_inter;
    record->targets = record->members = record->size;
    if (is_inter && !real.Comm_remote_size(comm, &record->targets))
        record->members = record->size + record->targets;
}

/* Puts the remote group before the own one. Both groups get the same sum. */
static uint64_t join_remote_group(struct comm_record *record, MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    int *own = record->world, *remote;
    uint64_t hash;

    real.Comm_remote_group(comm, &group);
    remote = translate_group(group, record->targets);
    real.Group_free(&group);
    hash = hash_ranks(own, record->size) + hash_ranks(remote, record->targets);
    record->world = own && remote ? tracked_must(malloc((size_t)record->members * sizeof *own)) : NULL;
    if (record->world) {
        memcpy(record->world, remote, (size_t)record->targets * sizeof *own);
        memcpy(record->world + record->targets, own, (size_t)record->size * sizeof *own);
        record->is_second = own[0] > remote[0];
    }
    free(own);
    free(remote);
    return hash;
}

static void find_members(struct comm_record *record, MPI_Comm comm, uint64_t from)
{
    MPI_Group group = MPI_GROUP_NULL;
    uint64_t hash;

    real.Comm_group(comm, &group);
    record->world = translate_group(group, record->size);
    real.Group_free(&group);
    hash = record->is_inter ? join_remote_group(record, comm) : hash_ranks(record->world, record->size);
    record->number = mix_numbers(from, hash);
    record->sharing = keep_sharers(record->world, record->members);
    if (!process.is_shared) {
        free(record->world);
        record->world = NULL;
    }
}

/* A member of a communicator of a session. */
struct member {
    uint64_t board, number; /* the number that the first one says counts */
    int64_t rank;           /* among those that have this board */
};

static struct member member_here(uint64_t from)
{
    static uint64_t made;
    uint64_t own = mix_numbers(board->nonce, (uint64_t)process.rank);

    return (struct member){board->nonce, mix_numbers(mix_numbers(from, own), ++made), process.rank};
}

/* Each rank is told of the remote group by its members, and then of its own group by one of them. */
static int ask_both_groups(struct comm_record *record, MPI_Comm comm, const struct member *mine,
                           struct member *all)
{
    static const int none[BOARD_RANKS];
    int counts[BOARD_RANKS] = {(int)sizeof *all * record->size};
    int told = record->rank == 0 ? (int)sizeof *all * record->targets : 0;
    int error = real.Allgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, comm);

    if (error || !record->is_inter)
        return error;
    return real.Allgatherv(all, told, MPI_BYTE, all + record->targets, counts, none, MPI_BYTE, comm);
}

/* The caller's lock is given up while others are awaited, whose threads may need it. */
static void ask_session_members(struct comm_record *record, MPI_Comm comm, uint64_t from)
{
    struct member mine = member_here(from), all[BOARD_RANKS] = {0};
    MPI_Errhandler handler = comm_quiet_begin(comm);
    int error;

    call_lock_release();
    error = ask_both_groups(record, comm, &mine, all);
    call_lock_take();
    comm_quiet_end(comm, handler);
    for (int i = 0; error && i < record->members; i++)
        all[i] = mine; /* nobody else has this number */
    record->is_second = record->is_inter && all[record->targets].number > all[0].number;
    record->number = all[record->is_inter && !record->is_second ? record->targets : 0].number;
    record->world = error || !process.is_shared
                        ? NULL
                        : tracked_must(malloc((size_t)record->members * sizeof *record->world));
    for (int i = 0; record->world && i < record->members; i++)
        record->world[i] = all[i].board == mine.board ? (int)all[i].rank : -1;
    record->sharing = keep_sharers(record->world, record->members);
    if (record->sharing < record->members)
        order_give_up();
}

/* Is made of what sessions know, by all members of its parent at most. The other side of MPI_Comm_connect and the like may be no
 * session. */
static bool is_of_session(const struct comm_record *record, const struct intercept *call)
{
    const struct comm_record *parent = call ? comm_check_of(call) : NULL;

    if (!call || (record->is_inter && call->procedure->family == FAMILY_COMM_GROUP_MAKE &&
                  !strstr(call->procedure->name, "Intercomm")))
        return false;
    return parent ? parent->is_of_session : strstr(call->procedure->name, "_from_group") != NULL;
}

/* How often this process has made one of that parent and tag with these members, who all count alike. */
static uint64_t count_namesakes(uint64_t number)
{
    static struct made_count {
        struct made_count *next;
        uint64_t number, count;
    } * bucket[256];
    struct made_count **place = &bucket[number >> 56];

    while (*place && (*place)->number != number)
        place = &(*place)->next;
    if (!*place && !(*place = tracked_must(calloc(1, sizeof **place))))
        return 0;
    (*place)->number = number;
    return ++(*place)->count;
}

static void learn_groups(struct comm_record *record, MPI_Comm comm, uint64_t from,
                         const struct intercept *call)
{
    record->number = from;
    find_size(record, comm);
    record->is_of_session = is_of_session(record, call);
    if (record->is_of_session && record->members <= BOARD_RANKS)
        ask_session_members(record, comm, from);
    else if (process.has_world && !record->is_of_session &&
             !(call && strstr(call->procedure->name, "_from_group")))
        find_members(record, comm, from);
    if (call && call->procedure->family == FAMILY_COMM_GROUP_MAKE && !record->is_of_session)
        record->number = mix_numbers(record->number, count_namesakes(record->number));
    comm_record_know(record->number);
    if (!record->world)
        order_give_up();
}

static struct comm_record *add_comm(MPI_Comm comm, uint64_t from, const struct intercept *call)
{
    struct comm_record *record = tracked_add(TRACKED_COMM, (uint64_t)(uintptr_t)comm, sizeof *record, call);

    if (record)
        learn_groups(record, comm, from, call);
    return record;
}

void comm_check_start(void)
{
    MPI_Comm parent = MPI_COMM_NULL;

    add_comm(MPI_COMM_WORLD, 1, NULL);
    add_comm(MPI_COMM_SELF, 2, NULL);
    if (process.gathers || (!real.Comm_get_parent(&parent) && parent != MPI_COMM_NULL))
        order_give_up();
}

uint64_t comm_check_derive(struct comm_record *comm)
{
    return mix_numbers(comm->number, ++comm->made);
}

/* Not all members of the parent take part, so nothing is compared. */
void comm_check_meeting(struct intercept *call)
{
    (void)call;
    order_tell();
}

void comm_check_enter_finalize(struct intercept *call, struct comm_record *world)
{
    collective_check_enter(call, world);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 5381;

    for (; text && *text; text++)
        hash = mix_numbers(hash, (unsigned char)*text);
    return hash;
}

/* Whether the members of the new one have one parent: who accepts and who connects do not, nor do two groups. */
static bool has_one_parent(const struct intercept *call)
{
    static const char *const joined[] = {"Intercomm", "Comm_accept", "Comm_connect"};

    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (strstr(call->procedure->name, joined[i]))
            return false;
    return true;
}

/* What the members of the new one know alike. Where only a part of the parent's make it, they know the parent and the tag. */
static uint64_t number_from(const struct intercept *call)
{
    struct comm_record *parent = comm_check_of(call);

    if (call->procedure->family != FAMILY_COMM_GROUP_MAKE && parent)
        return comm_check_derive(parent);
    return mix_numbers(parent && has_one_parent(call) ? parent->number : 3,
                       intercept_has(call, AT_STRINGTAG)
                           ? hash_text((const char *)(intptr_t)intercept_argument(call, AT_STRINGTAG))
                           : (uint64_t)intercept_argument(call, AT_TAG));
}

static struct comm_record *made(struct intercept *call)
{
    MPI_Comm *new = (MPI_Comm *)(intptr_t)intercept_argument(call, AT_NEW);
    uint64_t from = number_from(call);

    return *new == MPI_COMM_NULL ? NULL : add_comm(*new, from, call);
}

void comm_check_made(struct intercept *call, int error)
{
    struct comm_record *record = error ? NULL : made(call);

    collective_check_after(call, error);
    order_learn_all(record);
    if (record && (MPI_Info)(intptr_t)intercept_argument(call, AT_INFO) != MPI_INFO_NULL &&
        intercept_has(call, AT_INFO))
        hint_check_learn(call, record, *(MPI_Comm *)(intptr_t)intercept_argument(call, AT_NEW));
    if (record && intercept_has(call, AT_COMM))
        error_check_inherit((uint64_t)intercept_argument(call, AT_COMM), record->base.handle);
    else if (record)
        error_check_take_comm((MPI_Comm)(uintptr_t)record->base.handle);
}

/* The new communicator can be used only when the request is complete; its groups are those of the old one. */
void comm_check_idup(struct intercept *call, int error)
{
    struct comm_record *parent = comm_check_of(call), *record;
    MPI_Comm *new = (MPI_Comm *)(intptr_t)intercept_argument(call, AT_NEW);

    if (error || !parent)
        return;
    record = tracked_add(TRACKED_COMM, (uint64_t)(uintptr_t) * new, sizeof *record, call);
    if (!record)
        return;
    record->number = comm_check_derive(parent);
    record->rank = parent->rank;
    record->size = parent->size;
    record->targets = parent->targets;
    record->members = parent->members;
    record->sharing = parent->sharing;
    record->is_inter = parent->is_inter;
    record->is_second = parent->is_second;
    record->is_of_session = parent->is_of_session;
    record->fatal = parent->fatal;
    record->world =
        parent->world ? tracked_must(malloc((size_t)(record->members + 1) * sizeof *record->world)) : NULL;
    if (record->world)
        memcpy(record->world, parent->world, (size_t)record->members * sizeof *record->world);
    comm_record_know(record->number);
}

/* What its members know alike: that it is their n-th call, whoever has failed in the others. */
static uint64_t number_of_shrunk(struct comm_record *parent)
{
    return parent ? mix_numbers(parent->number ^ 0x736872696e6b, ++parent->shrinks) : 3;
}

void comm_check_shrunk(struct intercept *call, int error)
{
    struct comm_record *parent = comm_check_of(call);
    uint64_t from = number_of_shrunk(parent);
    MPI_Comm new = error ? MPI_COMM_NULL : *(MPI_Comm *)(intptr_t)intercept_argument(call, AT_NEW);

    if (error || !add_comm(new, from, call))
        return;
    order_learn_all(parent);
    error_check_inherit((uint64_t)intercept_argument(call, AT_COMM), (uint64_t)(uintptr_t) new);
}

/* Its members are known when the request is complete. */
void comm_check_ishrink(struct intercept *call, int error)
{
    struct comm_record *parent = comm_check_of(call), *record;
    uint64_t from = number_of_shrunk(parent);

    if (error || !parent)
        return;
    record = tracked_add(TRACKED_COMM, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW),
                         sizeof *record, call);
    if (!record)
        return;
    record->number = from;
    record->is_of_session = parent->is_of_session;
    record->fatal = parent->fatal;
}

/* Of a session's it would take messages, which nobody need wait for here. */
static void learn_shrunk(struct tracked *of)
{
    struct comm_record *record = (struct comm_record *)of;
    MPI_Comm comm = (MPI_Comm)(uintptr_t)of->handle;

    if (!record->is_shrunk)
        return;
    record->is_shrunk = false;
    find_size(record, comm);
    if (process.has_world && !record->is_of_session)
        find_members(record, comm, record->number);
    comm_record_know(record->number);
}

void comm_check_learn_shrunk(void)
{
    comm_record_shrunk = 0;
    tracked_each(TRACKED_COMM, learn_shrunk);
}

void comm_check_agreed(struct intercept *call, int error)
{
    if (!error || comm_loss_of_error(error) != LOSS_NOT)
        order_learn_all(comm_check_of(call));
}

/* Before others hear of it. */
void comm_check_revoke(struct intercept *call)
{
    const struct comm_record *comm = intercept_has(call, AT_WIN)    ? win_check_comm(call)
                                     : intercept_has(call, AT_FILE) ? file_check_comm(call)
                                                                    : comm_check_of(call);

    if (comm)
        loss_add_revoked(comm->number);
}

void comm_check_freeing(struct intercept *call)
{
    MPI_Comm *handle = (MPI_Comm *)(intptr_t)intercept_argument(call, AT_COMM);
    struct comm_record *record = handle ? comm_check_find(*handle) : NULL;

    call->saved[0] = (int64_t)(intptr_t)(handle ? *handle : MPI_COMM_NULL);
    if (record)
        collective_check_enter(call, record); /* which marks what is over, too */
}

void comm_check_freed(struct intercept *call, int error)
{
    struct comm_record *record = comm_check_find((MPI_Comm)(intptr_t)call->saved[0]);

    if (!record || (error && *(MPI_Comm *)(intptr_t)intercept_argument(call, AT_COMM) != MPI_COMM_NULL))
        return;
    tracked_detach(&record->base);
    record->is_freed = true;
    record->users++;
    comm_check_release(record);
}

void comm_check_info(struct intercept *call, int error)
{
    struct comm_record *record = comm_check_of(call);

    if (!error && record)
        hint_check_learn(call, record, (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));
}
