#include "insight/memory/memory_use.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE = 512,
    PAGE = 4096, /* or more */
    PAGES = 64,  /* asked about at a time */
    AROUND = 16, /* ... where few would do */
    ALONE = 64
};

static struct mapped_stretch heap, stack, data; /* heap.high: not used, it is the break */
static bool is_read;
struct mapped_stretch memory_mapped_seen;

/* The first is the program. */
static int look_at_program(struct dl_phdr_info *info, size_t length, void *unused)
{
    (void)length;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
            continue;
        data.low = info->dlpi_addr + part->p_vaddr;
        data.high = data.low + part->p_memsz;
    }
    return 1;
}

static void read_maps(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[LINE];
    uintptr_t low, high;

    is_read = true;
    dl_iterate_phdr(look_at_program, NULL);
    while (maps && fgets(line, LINE, maps)) {
        if (sscanf(line, "%lx-%lx", &low, &high) != 2)
            continue;
        if (strstr(line, "[heap]") && !heap.low)
            heap.low = low;
        if (strstr(line, "[stack]")) {
            stack.low = low;
            stack.high = high;
        }
    }
    if (maps)
        fclose(maps);
}

bool memory_mapped_is_lasting(uintptr_t low, uintptr_t high)
{
    if (!is_read)
        read_maps();
    return (low >= stack.low && high <= stack.high) || (low >= data.low && high <= data.high) ||
           (heap.low && low >= heap.low && high <= (uintptr_t)sbrk(0));
}

/* `low` is the start of a page of any size that there is. */
static bool is_mapped(uintptr_t low, uintptr_t high)
{
    unsigned char pages[PAGES];

    for (; low < high; low += PAGES * PAGE) {
        size_t bytes = high - low < PAGES * PAGE ? high - low : PAGES * PAGE;

        if (mincore((void *)low, bytes, pages) && errno == ENOMEM)
            return false;
    }
    return true;
}

/* All of it; then it is known for the rest of the call. */
static bool is_mapped_now(uintptr_t low, uintptr_t high)
{
    if (!is_mapped(low, high))
        return false;
    memory_mapped_seen = (struct mapped_stretch){low, high};
    return true;
}

/* What a call asks about often lies together. */
static bool is_lasting(uintptr_t low, uintptr_t high)
{
    if (!memory_mapped_is_lasting(low, high))
        return false;
    if (low >= data.low && high <= data.high)
        memory_mapped_seen = data;
    else if (low >= stack.low && high <= stack.high)
        memory_mapped_seen = stack;
    return true;
}

bool memory_mapped_ask(uintptr_t low, uintptr_t high)
{
    static int alone; /* so often nothing is asked about what lies around: it was not all mapped */
    static uintptr_t page;
    const uintptr_t stretch = (uintptr_t)AROUND * PAGE; /* the largest pages have 64 KiB */

    if (is_lasting(low, high))
        return true;
    if (!page)
        page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (high - low < stretch && alone == 0) {
        if (is_mapped_now(low / stretch * stretch, (high + stretch - 1) / stretch * stretch))
            return true;
        alone = ALONE;
    }
    alone -= alone > 0;
    return is_mapped_now(low / page * page, (high + page - 1) / page * page);
}
