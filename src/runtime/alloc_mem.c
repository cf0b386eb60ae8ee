/* MPI_Alloc_mem, and the report of its hints. */
#include "runtime/runtime.h"

#include "boot/boot.h"
#include "making/hint_report.h"
#include "memory/memory.h"
#include "plain/fail.h"

#include <stdio.h>
#include <string.h>

static void alloc_mem_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct hints *h = object;

    if (hint_table[id].acts_on == ACTS_ON_ALIGNMENT && hint_value(h, id) < 64)
        effect->absence = "memory begins so anyway";
}

/* Reports the use of the hints at once: no object remains to be asked later. */
static void alloc_mem_report(struct hints *h, MPI_Aint size)
{
    char title[64];

    snprintf(title, sizeof title, "memory of %lld bytes", (long long)size);
    hint_report_object(
        &(struct report_object){.kind = "memory", .title = title, .rank = boot.rank, .is_final = true}, h,
        alloc_mem_effect, h);
}

int runtime_alloc_mem(MPI_Aint size, struct info *info, void *block)
{
    struct hints h;
    size_t alignment;
    void *at;
    int error;

    if (size < 0)
        return fail(MPI_ERR_ARG, "size is %lld; memory has at least 0 bytes", (long long)size);
    hints_init(&h, ON_MEMORY);
    info_offer(info, &h, AT_CREATE, "MPI_Alloc_mem");
    alignment = (size_t)hint_value(&h, HINT_MINIMUM_MEMORY_ALIGNMENT);
    alloc_mem_report(&h, size);
    hints_fini(&h);
    error = memory_alloc((size_t)size, alignment, &at);
    if (!error)
        memcpy(block, &at, sizeof at);
    return error;
}
