/* copy: memcpy for messages. Most carry a word or two, and a call costs more than copying these. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The two do not overlap; either may be NULL when bytes is 0. */
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes - 8 <= 8) { /* 8 to 16: the first and the last word, which may be one */
        uint64_t first, last;

        memcpy(&first, from, 8);
        memcpy(&last, (const char *)from + bytes - 8, 8);
        memcpy(to, &first, 8);
        memcpy((char *)to + bytes - 8, &last, 8);
    } else if (bytes == 4) {
        memcpy(to, from, 4);
    } else if (bytes) {
        memcpy(to, from, bytes);
    }
}

#endif
