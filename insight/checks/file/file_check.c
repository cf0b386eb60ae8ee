/* file_check: collective calls on one file handle are the same on all ranks, in one order (MPI-5.0 section 14.6.4), and what
 * must be equal on all ranks is. Also what the file's info asserts (kind_check.c).
 *
 * The library below tells the program of unequal arguments, as MPI_ERR_NOT_SAME, but files begin with MPI_ERRORS_RETURN, so that
 * programs that ignore what calls return never hear of it.
 */
#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/object/object_check.h"
#include "insight/checks/request/request_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/file_record.h"
#include "insight/objects/info_value.h"
#include "insight/objects/type_check.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

/* Style: accesses to files are as access_style says (MPI-5.0 section 15.2.8).
 *
 * Four of its words can be broken by a call: read_once and write_once (this rank does so with a byte twice), sequential and
 * reverse_sequential (an access of one kind goes the other way; to begin anew, from the start of the view or once it has been reached, is none). A program
 * that says random as well has no order. The others say what is done mostly. Not looked at: shared file pointers, for "once" views with
 * gaps, and what goes beyond STYLE_RUNS pieces that have gaps between them.
 */

enum word {
    READ_ONCE = 1,
    WRITE_ONCE = 2,
    SEQUENTIAL = 4,
    REVERSE_SEQUENTIAL = 8,
    RANDOM = 16
};

static const struct {
    const char *text;
    enum word word;
} words[] = {{"read_once", READ_ONCE},
             {"write_once", WRITE_ONCE},
             {"sequential", SEQUENTIAL},
             {"reverse_sequential", REVERSE_SEQUENTIAL},
             {"random", RANDOM}};

static bool is_any_given;

static void file_style_opened(struct file_style *style)
{
    style->unit = 1;
    style->begin = -1;
}

static unsigned read_words(const char *list)
{
    unsigned set = 0;
    size_t length;

    for (const char *word; (word = info_value_word(&list, &length));)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].text) == length && strncmp(word, words[i].text, length) == 0)
                set |= words[i].word;
    return set & RANDOM ? set & (READ_ONCE | WRITE_ONCE) : set;
}

/* What the file's info says from now on. */
static void file_style_learn(const struct intercept *call, struct file_style *style, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    unsigned now;

    info_value_read(info, "access_style", value, sizeof value);
    now = read_words(value);
    if (now == style->words)
        return;
    style->words = now;
    style->given_at = call->site;
    style->begin = -1;
    style->of_reads.runs = style->of_writes.runs = 0;
    is_any_given |= now != 0;
}

/* MPI_File_set_view has set another view. */
static void file_style_view(const struct intercept *call, struct file_style *style)
{
    const struct type_record *etype = type_check_find((MPI_Datatype)(intptr_t)call->argument[2]),
                             *filetype = type_check_find((MPI_Datatype)(intptr_t)call->argument[3]);

    style->unit = etype ? (int64_t)etype->one.bytes : 1;
    style->has_gaps = !etype || !filetype || !filetype->is_dense;
    style->view = call->argument[1] + (style->has_gaps ? 0 : filetype->run[0].offset);
    style->begin = -1;
}

static struct file_style *style_of(const struct intercept *call)
{
    struct file_record *file = is_any_given && intercept_has(call, AT_FILE) && intercept_has(call, AT_COUNT)
                                   ? tracked_find(TRACKED_FILE, (uint64_t)intercept_argument(call, AT_FILE))
                                   : NULL;

    return file && file->style.words ? &file->style : NULL;
}

static bool style_call_has(const struct intercept *call, const char *word)
{
    return strstr(call->procedure->name, word) != NULL;
}

/* Where the access begins, in units of the view; -1: that is not known. */
void file_style_before(struct intercept *call)
{
    MPI_Offset position = -1;

    if (!style_of(call))
        return;
    if (intercept_has(call, AT_OFFSET))
        position = intercept_argument(call, AT_OFFSET);
    else if (!style_call_has(call, "shared") && !style_call_has(call, "ordered"))
        real.File_get_position((MPI_File)(intptr_t)intercept_argument(call, AT_FILE), &position);
    call->saved[1] = position;
}

/* Adds a piece; false: some of its bytes are there already. */
static bool style_add_bytes(struct style_bytes *b, int64_t low, int64_t high)
{
    int i = 0, end;

    while (i < b->runs && b->run[i].high < low)
        i++;
    for (end = i; end < b->runs && b->run[end].low <= high; end++)
        if (b->run[end].low < high && low < b->run[end].high)
            return false;
    if (end > i) { /* it touches its neighbours */
        b->run[i].low = low < b->run[i].low ? low : b->run[i].low;
        b->run[i].high = high > b->run[end - 1].high ? high : b->run[end - 1].high;
        memmove(&b->run[i + 1], &b->run[end], (size_t)(b->runs - end) * sizeof *b->run);
        b->runs -= end - i - 1;
    } else if (b->runs < STYLE_RUNS) {
        memmove(&b->run[i + 1], &b->run[i], (size_t)(b->runs++ - i) * sizeof *b->run);
        b->run[i] = (struct style_run){low, high};
    }
    return true;
}

static void say_broken(struct intercept *call, const struct file_style *style, enum word word,
                       const char *what)
{
    int i = 0;

    while (words[i].word != word)
        i++;
    finding_add(&(struct finding_about){.class = FINDING_HINT,
                                        .call = call,
                                        .other = finding_place(style->accessed_at),
                                        .role = "the access before",
                                        .made = style->given_at,
                                        .made_by = "the hint set",
                                        .fix = "take the word out of the hint, or access the file so"},
                "%s %s, on a file with access_style=%s", call->procedure->name, what, words[i].text);
}

static void style_look_at_order(struct intercept *call, const struct file_style *style, int64_t begin,
                                bool is_write)
{
    if (style->begin < 0 || style->is_write != is_write)
        return;
    if (style->words & SEQUENTIAL && begin < style->begin && begin > 0)
        say_broken(call, style, SEQUENTIAL, "begins before the access before");
    else if (style->words & REVERSE_SEQUENTIAL && begin > style->begin && style->begin > 0)
        say_broken(call, style, REVERSE_SEQUENTIAL, "begins behind the access before");
}

void file_style_after(struct intercept *call)
{
    struct file_style *style = style_of(call);
    int64_t begin, bytes;
    bool is_write;

    if (!style)
        return;
    if (call->saved[1] < 0) {
        style->begin = -1;
        return;
    }
    is_write = style_call_has(call, "write");
    begin = call->saved[1] * style->unit;
    bytes = (int64_t)type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
                                          intercept_argument(call, AT_COUNT))
                .bytes;
    if (bytes == 0)
        return;
    style_look_at_order(call, style, begin, is_write);
    if (style->words & (is_write ? WRITE_ONCE : READ_ONCE) && !style->has_gaps &&
        !style_add_bytes(is_write ? &style->of_writes : &style->of_reads, style->view + begin,
                         style->view + begin + bytes))
        say_broken(call, style, is_write ? WRITE_ONCE : READ_ONCE,
                   is_write ? "writes bytes for the second time" : "reads bytes for the second time");
    style->begin = begin;
    style->is_write = is_write;
    style->accessed_at = call->site;
}

/* Accesses of several ranks to the same bytes of a file that they have opened together (MPI-5.0 section 14.6.1).
 *
 * Where neither MPI_File_sync, nor another open or close, lies between, and the file is not in atomic mode, what a write and another
 * access of the same bytes leave is not defined. If nothing orders the two (order_clock.h) that is a finding, else a tolerance: on
 * one host the order suffices. Small writes of the same bytes pass. Shared file pointers are left out, and accesses in more than FILE_PARTS pieces.
 */

enum {
    FILE_ACCESSES = 64, /* to a file, the last ones */
    FILE_PARTS = 8
};

enum {
    FILE_GIVEN = 64,  /* bytes of a write */
    ETYPES = 64,      /* of an access to a view with gaps */
    TAG = 0x66696c65, /* files are apart from what else is on the board */
    POSITION_AT = 2   /* of call->saved */
};

struct opened_access {
    bool is_write;
    int origin; /* rank in MPI_COMM_WORLD; parts == 0: no access */
    uint64_t interval, syncs;
    uint64_t turn;               /* of a collective call; 0: of another */
    uint32_t known[ORDER_RANKS]; /* the intervals of others that its rank knew of */
    uint32_t procedure;
    struct call_place place;
    int parts;
    struct byte_run part[FILE_PARTS];
    int given; /* how many of the bytes that it writes are known, from part[0] on, which is all */
    unsigned char given_bytes[FILE_GIVEN];
};

/* An entry of the board's table. */
struct file_share {
    uint64_t next, number, count;
    int users;
    struct opened_access access[FILE_ACCESSES];
};

static uint64_t *file_share_slot(uint64_t number)
{
    uint64_t *slot = &board->table[(number * 31) % BOARD_TABLES];

    while (*slot && ((struct file_share *)board_at(*slot))->number != (number ^ TAG))
        slot = &((struct file_share *)board_at(*slot))->next;
    return slot;
}

static void file_conflict_opened(const struct intercept *call, struct file_order *order,
                                 const struct comm_record *comm)
{
    uint64_t *slot;
    struct file_share *share;

    order->is_unknown = intercept_argument(call, AT_AMODE) & MPI_MODE_SEQUENTIAL;
    order->number = comm->number;
    if (!comm->world || comm->size == 1 || !process.is_shared || process.size > ORDER_RANKS)
        return;
    order_start_all();
    for (int i = 0; i < process.size; i++)
        order->opened[i] = order_known(i);
    board_lock();
    slot = file_share_slot(comm->number);
    if (!*slot && (*slot = board_allocate(sizeof *share)))
        ((struct file_share *)board_at(*slot))->number = comm->number ^ TAG;
    order->shared = *slot;
    if (*slot)
        ((struct file_share *)board_at(*slot))->users++;
    board_unlock();
}

static void file_conflict_closed(struct file_order *order)
{
    uint64_t *slot;
    struct file_share *share;

    if (!order->shared)
        return;
    board_lock();
    slot = file_share_slot(order->number);
    share = board_at(order->shared);
    if (--share->users == 0 && *slot == order->shared) {
        *slot = share->next;
        board_free(order->shared, sizeof *share);
    }
    board_unlock();
    order->shared = 0;
}

/* MPI_File_sync, MPI_File_set_atomicity or MPI_File_set_view has been called. */
static void file_conflict_changed(const struct intercept *call, struct file_order *order)
{
    switch (call->procedure - procedures) {
    case PROCEDURE_File_sync:
        order->syncs++;
        break;
    case PROCEDURE_File_set_atomicity:
        order->is_atomic = call->argument[1];
        break;
    case PROCEDURE_File_set_view:
        order->is_unknown |= strcmp((const char *)(intptr_t)call->argument[4], "native") != 0;
        break;
    default:
        break;
    }
}

static bool file_call_has(const struct intercept *call, const char *word)
{
    return strstr(call->procedure->name, word) != NULL;
}

/* The file, if the call accesses it at a place that is its own. */
static struct file_record *accessed_file(const struct intercept *call)
{
    struct file_record *file = intercept_has(call, AT_FILE) && intercept_has(call, AT_COUNT)
                                   ? tracked_find(TRACKED_FILE, (uint64_t)intercept_argument(call, AT_FILE))
                                   : NULL;

    return file && file->order.shared && !file->order.is_atomic && !file->order.is_unknown &&
                   !file_call_has(call, "shared") && !file_call_has(call, "ordered")
               ? file
               : NULL;
}

void file_conflict_before(struct intercept *call)
{
    MPI_Offset position = -1;

    if (!accessed_file(call))
        return;
    if (intercept_has(call, AT_OFFSET))
        position = intercept_argument(call, AT_OFFSET);
    else
        real.File_get_position((MPI_File)(intptr_t)intercept_argument(call, AT_FILE), &position);
    call->saved[POSITION_AT] = position;
}

/* False: there is no room. */
static bool add_file_part(struct opened_access *a, int64_t offset, int64_t length)
{
    struct byte_run *last = a->parts > 0 ? &a->part[a->parts - 1] : NULL;

    if (last && last->offset + last->length == offset) {
        last->length += length;
        return true;
    }
    if (a->parts == FILE_PARTS)
        return false;
    a->part[a->parts++] = (struct byte_run){offset, length};
    return true;
}

/* Which bytes of the file; false: not known. */
static bool find_file_bytes(const struct intercept *call, const struct file_record *file,
                            struct opened_access *a)
{
    struct type_signature s = type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
                                                   intercept_argument(call, AT_COUNT));
    int64_t unit = file->style.unit, count = unit > 0 ? (int64_t)s.bytes / unit : 0;
    MPI_Offset first = call->saved[POSITION_AT], at;

    if (!s.is_known || count == 0 || first < 0)
        return false;
    if (!file->style.has_gaps)
        return add_file_part(a, file->style.view + first * unit, count * unit);
    for (int64_t i = 0; i < count; i++)
        if (count > ETYPES ||
            real.File_get_byte_offset((MPI_File)(intptr_t)intercept_argument(call, AT_FILE), first + i,
                                      &at) ||
            !add_file_part(a, at, unit))
            return false;
    return true;
}

/* The bytes that a small write without gaps gives. */
static void fill_given(const struct intercept *call, struct opened_access *a)
{
    const struct type_record *type =
        type_check_find((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE));

    if (!a->is_write || a->parts != 1 || a->part[0].length > FILE_GIVEN || !type || !type->is_dense)
        return;
    a->given = (int)a->part[0].length;
    memcpy(a->given_bytes, (const char *)(intptr_t)intercept_argument(call, AT_BUF) + type->run[0].offset,
           (size_t)a->given);
}

/* Whether two writes leave the same, whichever is the last. */
static bool write_the_same(const struct opened_access *a, const struct opened_access *b)
{
    int64_t low = a->part[0].offset > b->part[0].offset ? a->part[0].offset : b->part[0].offset;
    int64_t a_end = a->part[0].offset + a->given, b_end = b->part[0].offset + b->given;

    return a->given && b->given &&
           memcmp(a->given_bytes + (low - a->part[0].offset), b->given_bytes + (low - b->part[0].offset),
                  (size_t)((a_end < b_end ? a_end : b_end) - low)) == 0;
}

static bool is_unsynchronized(const struct opened_access *old, const struct opened_access *new)
{
    return old->origin != new->origin && old->syncs == new->syncs && (old->is_write || new->is_write) &&
           type_check_runs_meet(old->part, old->parts, new->part, new->parts) && !write_the_same(old, new);
}

/* Clocks are read as they are now: what this rank has learned in MPI_File_open may be of what another did after it. */
static bool has_learned(const struct file_order *order, const struct opened_access *old)
{
    return order_is_known(old->origin, old->interval) &&
           (order_is_given_up() || old->interval > order->opened[old->origin]);
}

static bool is_unordered(const struct file_order *order, const struct opened_access *old,
                         const struct opened_access *new)
{
    if (old->turn && old->turn == new->turn)
        return true;
    return !has_learned(order, old) && old->known[new->origin] < (uint32_t) new->interval;
}

static void say_file_conflict(struct intercept *call, const struct opened_access *old,
                              const struct opened_access *new, bool has_order)
{
    finding_add(
        &(struct finding_about){.class = has_order ? FINDING_TOLERANCE : FINDING_FILE_CONFLICT,
                                .call = call,
                                .other = old->place,
                                .role = "the other access",
                                .fix = has_order ? "call MPI_File_sync before and after what orders them"
                                                 : "put MPI_File_sync, MPI_Barrier and MPI_File_sync between "
                                                   "them, or call MPI_File_set_atomicity"},
        "%s of rank %d and %s of rank %d access the same bytes of a file, %s",
        procedures[new->procedure].name, new->origin, procedures[old->procedure].name, old->origin,
        has_order ? "and no MPI_File_sync lies between them" : "and nothing orders them");
}

void file_conflict_after(struct intercept *call)
{
    struct file_record *file = accessed_file(call);
    struct file_share *share = file ? board_at(file->order.shared) : NULL;
    struct opened_access old = {0}, new = {.is_write = file_call_has(call, "write"),
                                           .origin = process.rank,
                                           .interval = order_interval(),
                                           .procedure = (uint32_t)(call->procedure - procedures),
                                           .place = finding_place(call->site)};

    if (!file || comm_loss_is_over(&file->comm) || !find_file_bytes(call, file, &new))
        return;
    fill_given(call, &new);
    new.syncs = file->order.syncs;
    new.turn = file_call_has(call, "_all") ? file->comm.calls : 0;
    for (int i = 0; i < process.size; i++)
        new.known[i] = (uint32_t)order_known(i);
    board_lock();
    for (int i = 0; i < FILE_ACCESSES; i++) {
        const struct opened_access *a = &share->access[i];

        if (is_unsynchronized(a, &new) && (!old.parts || is_unordered(&file->order, a, &new)))
            old = *a;
    }
    share->access[share->count++ % FILE_ACCESSES] = new;
    board_unlock();
    if (old.parts)
        say_file_conflict(call, &old, &new, !is_unordered(&file->order, &old, &new));
}

static void say_not_same(struct intercept *call, int error)
{
    int class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";

    if (error)
        real.Error_class(error, &class);
    if (class != MPI_ERR_NOT_SAME)
        return;
    real.Error_string(error, text, &length);
    finding_add(&(struct finding_about){.class = FINDING_ARGUMENT,
                                        .call = call,
                                        .fix = "give the same value on all ranks"},
                "%s", text);
}

static void learn_file_hints(const struct intercept *call, struct file_record *file, MPI_File handle)
{
    MPI_Info info = MPI_INFO_NULL;

    if (real.File_get_info(handle, &info) || info == MPI_INFO_NULL)
        return;
    info_value_add_given(call, info);
    file_style_learn(call, &file->style, info);
    kind_check_learn(call, &file->comm, info);
    real.Info_free(&info);
}

void file_check_opened(struct intercept *call, int error)
{
    struct comm_record *comm = comm_check_of(call);
    const MPI_File *handle = (MPI_File *)(intptr_t)intercept_argument(call, AT_NEW);
    struct file_record *file =
        error ? NULL : tracked_add(TRACKED_FILE, (uint64_t)(uintptr_t)*handle, sizeof *file, call);

    say_not_same(call, error);
    if (!file || !comm)
        return;
    file->comm = *comm;
    file->comm.number = comm_check_derive(comm);
    file->comm.calls = 0;
    file->comm.fatal = MPI_ERRHANDLER_NULL; /* files begin with MPI_ERRORS_RETURN */
    file->comm.world =
        comm->world ? tracked_must(malloc((size_t)(comm->targets + 1) * sizeof *comm->world)) : NULL;
    if (file->comm.world)
        memcpy(file->comm.world, comm->world, (size_t)comm->targets * sizeof *comm->world);
    file->comm.kinds = 0;
    file_style_opened(&file->style);
    file_conflict_opened(call, &file->order, &file->comm);
    learn_file_hints(call, file, *handle);
}

void file_check_before(struct intercept *call)
{
    struct file_record *file;

    if (call->procedure->family == FAMILY_FILE_CLOSE)
        call->saved[0] = *(int64_t *)(intptr_t)intercept_argument(call, AT_FILE);
    order_tell();
    file = file_check_of(call);
    if (file)
        collective_check_enter(call, &file->comm);
}

/* The buffers of a split collective are under way until it ends. */
static bool is_split_begin(const struct intercept *call)
{
    return strstr(call->procedure->name, "_begin") != NULL;
}

void file_check_after(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    collective_check_returned(call, error);
    say_not_same(call, error);
    if (error)
        return;
    collective_check_learn(call, file_check_comm(call));
    if (file && is_split_begin(call))
        request_check_hold_file(call, file);
    if (file && call->procedure == &procedures[PROCEDURE_File_set_view])
        file_style_view(call, &file->style);
    if (file)
        file_conflict_changed(call, &file->order);
    if (file && intercept_has(call, AT_INFO))
        learn_file_hints(call, file, (MPI_File)(intptr_t)intercept_argument(call, AT_FILE));
}

void file_check_ended(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    if (file && !error)
        request_check_release(call, file, -1);
}

void file_check_closed(struct intercept *call, int error)
{
    struct file_record *file = file_check_of(call);

    file_check_after(call, error);
    if (!file || (error && *(MPI_File *)(intptr_t)intercept_argument(call, AT_FILE) != MPI_FILE_NULL))
        return;
    file_conflict_closed(&file->order);
    free(file->comm.world);
    tracked_remove(TRACKED_FILE, file->base.handle);
}
