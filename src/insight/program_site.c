#include "insight/program_site.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

static uintptr_t low, size; /* of the bindings */

static int look_at_library(struct dl_phdr_info *info, size_t length, void *unused)
{
    static const char *const names[] = {"/libmpifort", "/libmpi_mpifh", "/libmpi_usempi"};

    (void)length;
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(info->dlpi_name, names[i]))
            low = info->dlpi_addr;
    for (int i = 0; low && low == info->dlpi_addr && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            size = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    return low != 0;
}

void program_site_open(void)
{
    dl_iterate_phdr(look_at_library, NULL);
}

bool program_site_is_binding(const void *address)
{
    return (uintptr_t)address - low < size;
}

struct frame_walk {
    bool is_in_binding; /* frames of the checks come first */
    void *found;
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *of)
{
    struct frame_walk *walk = of;
    void *at = (void *)_Unwind_GetIP(context);

    if (program_site_is_binding(at)) {
        walk->is_in_binding = true;
        return _URC_NO_REASON;
    }
    if (!walk->is_in_binding)
        return _URC_NO_REASON;
    walk->found = at;
    return _URC_END_OF_STACK;
}

void *program_site_find(void *site)
{
    struct frame_walk walk = {false, NULL};

    _Unwind_Backtrace(look_at_frame, &walk);
    return walk.found ? walk.found : site;
}
