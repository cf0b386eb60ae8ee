/* file_report: reports what became of a file's hints (making/hint_report.h), and how it was read and written. */
#ifndef FILE_FILE_REPORT_H
#define FILE_FILE_REPORT_H

#include "file/file.h"

/* is_final: the file is closed. */
void file_report(struct file *file, bool is_final);

#endif
