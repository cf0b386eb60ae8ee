#include "insight/guard/page_guard.h"

#if defined __x86_64__ && defined __linux__

#include <stdio.h>
#include <string.h>

enum {
    CODES = 64,
    LINE = 512
};

struct stretch {
    uintptr_t low, high;
};

static struct stretch code[CODES], stack, known, runtime;
static int codes;

static const char *const foreign[] = {"/libc.so",   "/libc-",     "/ld-",  "libmpi",
                                      "libinkling", "libpthread", "[vdso]"};

/* Of Fortran: has the program's accesses, in input and output, and no lines. */
static const char runtime_name[] = "/libgfortran";

static bool is_foreign(const char *line)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(line, foreign[i]))
            return true;
    return false;
}

/* The next mapping; `access` is such as "rw-p". */
static bool read_mapping(FILE *maps, char line[LINE], struct stretch *s, char access[8])
{
    return fgets(line, LINE, maps) && sscanf(line, "%lx-%lx %7s", &s->low, &s->high, access) == 3;
}

static bool is_in(const struct stretch *s, uintptr_t address)
{
    return address >= s->low && address < s->high;
}

void guard_memory_read(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[LINE], access[8];
    struct stretch s;

    codes = 0;
    while (maps && codes < CODES && read_mapping(maps, line, &s, access)) {
        if (strcmp(access, "r-xp") == 0 && strstr(line, runtime_name))
            runtime = s;
        else if (strcmp(access, "r-xp") == 0 && !is_foreign(line))
            code[codes++] = s;
        if (is_in(&s, (uintptr_t)&s))
            stack = s;
    }
    if (maps)
        fclose(maps);
}

bool guard_memory_is_program(uintptr_t address)
{
    for (int i = 0; i < codes; i++)
        if (is_in(&code[i], address))
            return true;
    return false;
}

bool guard_memory_is_runtime(uintptr_t address)
{
    return is_in(&runtime, address);
}

bool guard_memory_is_stack(uintptr_t address)
{
    return is_in(&stack, address);
}

static bool has_thread_data(uintptr_t low, uintptr_t high)
{
    uintptr_t self = 0;

    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self + 4096 > low && self < high + 4096;
}

bool guard_memory_is_plain(uintptr_t low, uintptr_t high)
{
    FILE *maps;
    char line[LINE], access[8];
    struct stretch s;
    bool is_plain = low >= known.low && high <= known.high;

    if (has_thread_data(low, high))
        return false;
    if (is_plain)
        return true;
    maps = fopen("/proc/self/maps", "re");
    while (maps && !is_plain && read_mapping(maps, line, &s, access)) {
        is_plain = low >= s.low && high <= s.high && access[0] == 'r' && access[1] == 'w';
        if (is_plain)
            known = s;
    }
    if (maps)
        fclose(maps);
    return is_plain;
}

#endif
