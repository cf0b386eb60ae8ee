#include "file/advice.h"

#include <fcntl.h>

void file_advise(struct file *file)
{
    int64_t style = hint_value(&file->hints, HINT_ACCESS_STYLE);
    int advice = POSIX_FADV_NORMAL;

    if (style & (STYLE_SEQUENTIAL | STYLE_READ_ONCE))
        advice = POSIX_FADV_SEQUENTIAL;
    if (style & (STYLE_REVERSE_SEQUENTIAL | STYLE_RANDOM))
        advice = POSIX_FADV_RANDOM;
    if (style || file->is_advised)
        file->is_advised = posix_fadvise(file->fd, 0, 0, advice) == 0 && style; /* else nothing is lost */
}
