#include "runtime/alloc_mem.h"

#include "base/fail.h"
#include "hint/report.h"
#include "memory/memory.h"

#include <stdio.h>
#include <string.h>

/* Reports the use of the hints at once: no object remains to be asked later. */
static void alloc_mem_report(struct hints *h, MPI_Aint size)
{
    char object[64];

    if (report_level() == REPORT_OFF)
        return;
    snprintf(object, sizeof object, "memory of %lld bytes", (long long)size);
    report_print(object, h, NULL, NULL);
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
