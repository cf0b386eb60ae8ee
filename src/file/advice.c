#include "file/advice.h"

#include <fcntl.h>

/* Bits of access_style, in the order of its choices. */
enum {
    READ_ONCE = 1,
    SEQUENTIAL = 16,
    REVERSE_SEQUENTIAL = 32,
    RANDOM = 64
};

void file_advise(struct file *file)
{
    int64_t style = hint_value(&file->hints, HINT_ACCESS_STYLE);
    int advice = POSIX_FADV_NORMAL;

    if (style & (SEQUENTIAL | READ_ONCE))
        advice = POSIX_FADV_SEQUENTIAL;
    if (style & (REVERSE_SEQUENTIAL | RANDOM))
        advice = POSIX_FADV_RANDOM;
    if (style || file->is_advised)
        (void)posix_fadvise(file->fd, 0, 0, advice); /* where it has no effect, nothing is lost */
    file->is_advised = style != 0;
}
