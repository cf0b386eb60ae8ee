#include "insight/board/board.h"

#include <string.h>

enum {
    SLOTS = 2 * FAR_CALLS
};

/* Where a collective is: one more than the index. */
static uint16_t slots[SLOTS];

uint32_t far_log_add(struct far_log *log, const struct far_call *call)
{
    if (log->count == FAR_CALLS) {
        log->is_full = true;
        return 0;
    }
    log->call[log->count++] = *call;
    return log->count;
}

void far_log_report(struct far_log *log, uint32_t added)
{
    if (added)
        log->call[added - 1].is_reported = true;
}

static uint16_t *far_log_slot(const struct far_log *log, const struct far_call *wanted)
{
    size_t at = (wanted->number ^ wanted->turn * 0x9e3779b97f4a7c15u) % SLOTS;

    for (; slots[at]; at = (at + 1) % SLOTS) {
        const struct far_call *call = &log->call[slots[at] - 1];

        if (call->number == wanted->number && call->turn == wanted->turn)
            break;
    }
    return &slots[at];
}

static void index_calls(const struct far_log *log)
{
    memset(slots, 0, sizeof slots);
    for (uint32_t i = 0; i < log->count; i++)
        *far_log_slot(log, &log->call[i]) = (uint16_t)(i + 1);
}

/* After the first difference on an object the ranks are out of step. */
static bool is_out_of_step(uint64_t number, bool now)
{
    static uint64_t objects[64];
    static int count;

    for (int i = 0; i < count; i++)
        if (objects[i] == number)
            return true;
    if (now && count < 64)
        objects[count++] = number;
    return false;
}

/* Whether two boards differ in a collective on which the ranks of each are at one. */
static bool far_calls_differ(struct far_call *one, struct far_call *two,
                             bool (*compare)(const struct far_call *one, const struct far_call *two))
{
    two->is_reported |= one->is_reported;
    return !two->is_reported && compare(one, two);
}

void far_log_merge(struct far_log *log, struct finding_list *list, const struct far_log *other,
                   const struct finding_list *modules,
                   bool (*compare)(const struct far_call *one, const struct far_call *two))
{
    index_calls(log);
    for (uint32_t i = 0; i < other->count; i++) {
        struct far_call call = other->call[i];
        uint16_t *slot = far_log_slot(log, &call);

        if (call.place.module)
            call.place.module = finding_list_module(list, modules->module[call.place.module - 1]);
        if (!*slot && log->count < FAR_CALLS) {
            *slot = (uint16_t)far_log_add(log, &call);
        } else if (*slot && !is_out_of_step(call.number, false) &&
                   far_calls_differ(&call, &log->call[*slot - 1], compare)) {
            is_out_of_step(call.number, true);
        }
    }
    log->is_full |= other->is_full;
}
