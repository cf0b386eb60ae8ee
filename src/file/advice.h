/* advice: tells the kernel how the file will be accessed (the hint access_style). */
#ifndef FILE_ADVICE_H
#define FILE_ADVICE_H

#include "file/file.h"

void file_advise(struct file *file);

#endif
