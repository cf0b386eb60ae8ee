/* advice: advises the kernel how the file will be accessed (the hint access_style). */
#ifndef FILE_ADVICE_H
#define FILE_ADVICE_H

#include "file/file.h"

/* Bits of access_style, in the order of its choices. */
enum access_style {
    STYLE_READ_ONCE = 1,
    STYLE_WRITE_ONCE = 2,
    STYLE_READ_MOSTLY = 4,
    STYLE_WRITE_MOSTLY = 8,
    STYLE_SEQUENTIAL = 16,
    STYLE_REVERSE_SEQUENTIAL = 32,
    STYLE_RANDOM = 64
};

void file_advise(struct file *file);

#endif
