#include "file/file.h"

#include "hint/hint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

enum {
    LUSTRE_MAGIC = 0x0BD00BD0,        /* f_type of statfs(2) */
    DELAY_CREATE = O_NOCTTY | FASYNC, /* O_LOV_DELAY_CREATE */
    LAYOUT_MAGIC = 0x0BD10BD0,        /* LOV_USER_MAGIC_V1 */
    PATTERN_STRIPED = 1,              /* LOV_PATTERN_RAID0 */
    ANY_DEVICE = 0xffff,              /* as the first one */
    FACTOR_MOST = 2000,               /* LOV_MAX_STRIPE_COUNT */
    UNIT_LEAST = 64 << 10             /* LOV_MIN_STRIPE_SIZE; units are its multiples */
};

/* What the ioctl takes: a layout of version 1 without objects. */
struct striping_layout {
    uint32_t magic, pattern;
    uint64_t object[2];
    uint32_t unit;
    uint16_t count, first;
} __attribute__((packed));

#define SET_LAYOUT _IOW('f', 154, long) /* LL_IOC_LOV_SETSTRIPE */

static bool is_asked(const struct file *file)
{
    return hint_value(&file->hints, HINT_STRIPING_FACTOR) || hint_value(&file->hints, HINT_STRIPING_UNIT);
}

/* Whether the folder that the file will be in is on Lustre. */
static bool is_on_lustre(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) + 1 : 0;
    struct statfs system;
    char *folder = length ? strndup(name, length) : strdup(".");
    bool found = folder && statfs(folder, &system) == 0 && (unsigned long)system.f_type == LUSTRE_MAGIC;

    free(folder);
    return found;
}

int striping_flags(const struct file *file)
{
    return file->amode & MPI_MODE_CREATE && is_asked(file) && is_on_lustre(file->name) ? DELAY_CREATE : 0;
}

/* The multiple of the least unit that is nearest from above. */
static uint32_t unit_of(const struct file *file)
{
    int64_t unit = hint_value(&file->hints, HINT_STRIPING_UNIT);

    return (uint32_t)((unit + UNIT_LEAST - 1) / UNIT_LEAST * UNIT_LEAST);
}

/* Lustre refuses to change a layout, with EEXIST, and what it cannot do. The file is usable either way. */
void striping_set(struct file *file, int flags)
{
    int64_t factor = hint_value(&file->hints, HINT_STRIPING_FACTOR);
    struct striping_layout layout = {.magic = LAYOUT_MAGIC,
                                     .pattern = PATTERN_STRIPED,
                                     .unit = unit_of(file),
                                     .count = (uint16_t)(factor < FACTOR_MOST ? factor : FACTOR_MOST),
                                     .first = ANY_DEVICE};

    if (!flags)
        return;
    file->striping_error = ioctl(file->fd, SET_LAYOUT, &layout) ? errno : 0;
    if (!file->striping_error)
        file->stripe = layout.unit;
}

const char *striping_absence(const struct file *file)
{
    if (file->system != LUSTRE_MAGIC)
        return "no file system that stripes";
    if (!(file->amode & MPI_MODE_CREATE))
        return "the file was not created here";
    if (file->striping_error == EEXIST)
        return "the file was there before";
    return file->striping_error ? "the file system refused it" : NULL;
}
