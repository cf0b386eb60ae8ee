/* The program's stack, with file and line if addr2line and debug information are available. */
#include "api/raise.h"
#include "plain/privilege.h"
#include "plain/source_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

enum {
    FRAME_LIMIT = 24,
    LINE_SIZE = 768
};

/* False: nobody says in time which lines these are. */
static bool backtrace_describe(void *address, const Dl_info *where, bool has_lines, char *line)
{
    /* the call, not the instruction after it */
    uint64_t offset = (uint64_t)((uintptr_t)address - 1 - (uintptr_t)where->dli_fbase);
    struct source_place found = {.number = 0}, *place = &found;

    if (has_lines)
        has_lines = source_place_find(where->dli_fname, &offset, &place, 1, SOURCE_PLACE_RANK_MS);
    if (found.number)
        snprintf(line, LINE_SIZE, "%s at %s:%d", found.function, found.file, found.number);
    else if (where->dli_sname)
        snprintf(line, LINE_SIZE, "%s in %s", where->dli_sname, where->dli_fname);
    else
        snprintf(line, LINE_SIZE, "0x%llx in %s", (unsigned long long)offset, where->dli_fname);
    return has_lines;
}

void backtrace_format(char *text, size_t size)
{
    void *frame[FRAME_LIMIT];
    int count = backtrace(frame, FRAME_LIMIT);
    Dl_info here, where;
    size_t used = 0;
    bool is_outside = false, has_lines = !privilege_is_raised();

    text[0] = '\0';
    if (!dladdr((void *)(uintptr_t)backtrace_format, &here))
        return;
    for (int i = 0; i < count && used + 1 < size; i++) {
        char line[LINE_SIZE];

        if (!dladdr(frame[i], &where) || (!is_outside && where.dli_fbase == here.dli_fbase))
            continue;
        is_outside = true;
        has_lines = backtrace_describe(frame[i], &where, has_lines, line);
        used += (size_t)snprintf(text + used, size - used, "    at %s\n", line);
        if (strncmp(line, "main ", 5) == 0)
            break;
    }
}
