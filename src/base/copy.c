#include "base/copy.h"

void copy_in_blocks(void *to, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += COPY_BLOCK)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < COPY_BLOCK ? bytes - at : COPY_BLOCK);
}
