#include "insight/checks/buffer/buffer_use.h"

#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/collective_buffers.h"
#include "insight/objects/file_record.h"
#include "insight/objects/info_value.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"

#include <string.h>

enum {
    KINDS_ASSERTED = 16, /* a bit beside those of enum memory_maker */
    OF_MPI = MEMORY_ALLOC_MEM | MEMORY_WIN_ALLOCATE | MEMORY_WIN_ALLOCATE_SHARED
};

static const struct {
    const char *restrictor, *text;
    enum memory_maker maker;
} makers[] = {{NULL, "that MPI has not allocated", MEMORY_NOT_OF_MPI},
              {"alloc_mem", "of MPI_Alloc_mem", MEMORY_ALLOC_MEM},
              {"win_allocate", "of MPI_Win_allocate", MEMORY_WIN_ALLOCATE},
              {"win_allocate_shared", "of MPI_Win_allocate_shared", MEMORY_WIN_ALLOCATE_SHARED}};

bool kind_check_is_wanted;

/* "mpi:alloc_mem": several restrictors mean memory of any of them. */
static unsigned makers_of_element(const char *element, size_t length)
{
    size_t name = strcspn(element, ":,");
    unsigned set = 0;

    if (name != 3 || strncmp(element, "mpi", 3) != 0)
        return MEMORY_NOT_OF_MPI; /* the system's, or a device's */
    if (name == length)
        return OF_MPI;
    for (size_t at = name + 1, end; at < length; at += end + 1) {
        end = strcspn(element + at, ":,");
        for (int i = 1; i < 4; i++)
            if (strlen(makers[i].restrictor) == end && strncmp(element + at, makers[i].restrictor, end) == 0)
                set |= makers[i].maker;
    }
    return set ? set : OF_MPI;
}

static unsigned makers_of_list(const char *list)
{
    unsigned set = KINDS_ASSERTED;
    size_t length;

    for (const char *word; (word = info_value_word(&list, &length));)
        set |= makers_of_element(word, length);
    return set;
}

void kind_check_learn(const struct intercept *call, struct comm_record *record, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    unsigned kinds;

    info_value_read(info, "mpi_assert_memory_alloc_kinds", value, sizeof value);
    kinds = *value ? makers_of_list(value) : 0;
    if (kinds != record->kinds)
        record->kinds_at = call->site;
    record->kinds = kinds;
    kind_check_is_wanted |= kinds != 0;
}

static void look_at_memory(struct intercept *call, const struct comm_record *record, uintptr_t address)
{
    enum memory_maker maker = mpi_memory_at(address);
    int i = 0;

    if (record->kinds & maker || (maker == MEMORY_NOT_OF_MPI && mpi_memory_is_lost()))
        return;
    while (makers[i].maker != maker)
        i++;
    finding_add(
        &(struct finding_about){.class = FINDING_HINT,
                                .call = call,
                                .made = record->kinds_at,
                                .made_by = "the hint set",
                                .fix = "take memory of an asserted kind, or add its kind to the list"},
        "%s is given memory %s, which is of no kind that mpi_assert_memory_alloc_kinds lists",
        call->procedure->name, makers[i].text);
}

static void look_at_buffer(struct intercept *call, const struct comm_record *record, enum role buffer,
                           enum role count, enum role type)
{
    const void *start = (const void *)(intptr_t)intercept_argument(call, buffer);
    int64_t items = intercept_has(call, count) ? intercept_argument(call, count) : 1;
    uintptr_t low, high;

    if (start && intercept_has(call, type) &&
        type_check_span(start, items, (MPI_Datatype)(intptr_t)intercept_argument(call, type), &low, &high))
        look_at_memory(call, record, low);
}

static bool is_peer(const struct intercept *call, enum role peer)
{
    return intercept_argument(call, peer) != MPI_PROC_NULL;
}

static void look_at_collective(struct intercept *call, const struct comm_record *comm)
{
    bool has_two = intercept_has(call, AT_BUF2), takes = collective_check_takes(call, comm);

    if (intercept_has(call, AT_COUNT) && (collective_check_gives(call, comm) || (takes && !has_two)))
        look_at_buffer(call, comm, AT_BUF, AT_COUNT, AT_TYPE);
    if (has_two && intercept_has(call, AT_COUNT2) && takes)
        look_at_buffer(call, comm, AT_BUF2, AT_COUNT2, intercept_has(call, AT_TYPE2) ? AT_TYPE2 : AT_TYPE);
}

static void look_at_message(struct intercept *call, const struct comm_record *comm)
{
    bool sends = intercept_has(call, AT_DEST) && is_peer(call, AT_DEST),
         receives = intercept_has(call, AT_SOURCE) && is_peer(call, AT_SOURCE),
         has_two = intercept_has(call, AT_BUF2);

    if (sends || (receives && !has_two))
        look_at_buffer(call, comm, AT_BUF, AT_COUNT, AT_TYPE);
    if (receives && has_two)
        look_at_buffer(call, comm, AT_BUF2, AT_COUNT2, AT_TYPE2);
}

static void look_at_access(struct intercept *call, const struct comm_record *win)
{
    if (!is_peer(call, AT_TARGET))
        return;
    if (!intercept_has(call, AT_OP) || intercept_argument(call, AT_OP) != (intptr_t)MPI_NO_OP)
        look_at_buffer(call, win, AT_BUF, AT_COUNT, AT_TYPE);
    if (intercept_has(call, AT_RESULT))
        look_at_buffer(call, win, AT_RESULT, AT_RESULT_COUNT,
                       intercept_has(call, AT_RESULT_TYPE) ? AT_RESULT_TYPE : AT_TYPE);
}

void kind_check_window(struct intercept *call, const struct comm_record *record)
{
    uintptr_t base = (uintptr_t)intercept_argument(call, AT_BASE);

    if (record->kinds && base && intercept_argument(call, AT_SIZE) > 0)
        look_at_memory(call, record, base);
}

static const struct comm_record *record_of(const struct intercept *call)
{
    if (intercept_has(call, AT_WIN))
        return win_check_comm(call);
    return intercept_has(call, AT_FILE) ? file_check_comm(call) : comm_check_of(call);
}

void kind_check(struct intercept *call)
{
    const struct comm_record *record;

    if (!intercept_has(call, AT_BUF) && call->procedure->family != FAMILY_WIN_ATTACH)
        return;
    record = record_of(call);
    if (!record || !record->kinds)
        return;
    if (call->procedure->family == FAMILY_WIN_ATTACH)
        kind_check_window(call, record);
    else if (intercept_has(call, AT_FILE))
        look_at_buffer(call, record, AT_BUF, AT_COUNT, AT_TYPE);
    else if (intercept_has(call, AT_WIN))
        look_at_access(call, record);
    else if (intercept_has(call, AT_DEST) || intercept_has(call, AT_SOURCE))
        look_at_message(call, record);
    else
        look_at_collective(call, record);
}
