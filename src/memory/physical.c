#include "memory/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

static uint64_t physical_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Free pages, pages that the kernel would reclaim, and swap. */
static uint64_t left_on_machine(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128], name[64];
    uint64_t kib, left = 0;
    bool found = false;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^:]: %" SCNu64, name, &kib) != 2)
            continue;
        found |= strcmp(name, "MemAvailable") == 0;
        if (strcmp(name, "MemAvailable") == 0 || strcmp(name, "SwapFree") == 0)
            left += kib * 1024;
    }
    if (file)
        fclose(file);
    return found ? left : UINT64_MAX;
}

/* The number in folder/name; UINT64_MAX: there is none, or it is the word max. */
static uint64_t physical_read_number(const char *folder, const char *name)
{
    char path[PATH_MAX];
    uint64_t number = UINT64_MAX;
    FILE *file;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return UINT64_MAX;
    file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &number) != 1)
        number = UINT64_MAX;
    fclose(file);
    return number;
}

/* What a control group still allows its processes. File pages count as used, although the kernel would
 * reclaim them. */
static uint64_t left_in(const char *folder, const char *limit_name, const char *used_name)
{
    uint64_t limit = physical_read_number(folder, limit_name), used = physical_read_number(folder, used_name);

    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

/* The least that this process's group and the groups around it allow, up to the root. */
static uint64_t left_in_groups(void)
{
    char line[PATH_MAX], folder[PATH_MAX + 64];
    FILE *file = fopen("/proc/self/cgroup", "re");
    uint64_t left = left_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes");

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
        while (strlen(folder) > strlen("/sys/fs/cgroup")) {
            left = physical_smaller(left, left_in(folder, "memory.max", "memory.current"));
            *strrchr(folder, '/') = '\0';
        }
        left = physical_smaller(left, left_in("/sys/fs/cgroup", "memory.max", "memory.current"));
    }
    if (file)
        fclose(file);
    return left;
}

uint64_t physical_available(void)
{
    return physical_smaller(left_on_machine(), left_in_groups());
}

uint64_t physical_installed(void)
{
    struct sysinfo machine;

    if (sysinfo(&machine))
        return UINT64_MAX;
    return ((uint64_t)machine.totalram + machine.totalswap) * machine.mem_unit;
}
