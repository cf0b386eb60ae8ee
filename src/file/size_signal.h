/* size_signal: keeps SIGXFSZ from ending the process while it has files open.
 *
 * A write beyond RLIMIT_FSIZE fails with EFBIG, and also raises this signal, whose default is the end. The limit can be
 * lowered at any time, even by another process, so looking at it before a write is not enough; and blocking the
 * signal around each write takes as long as a small write. So, from the first open file to the last, the default is
 * replaced by a handler that does nothing. A program's own handler, or its SIG_IGN, stays. Programs that the
 * process executes meanwhile have the default, as exec gives it to them.
 *
 * Threads: any may open and close files.
 */
#ifndef FILE_SIZE_SIGNAL_H
#define FILE_SIZE_SIGNAL_H

void size_signal_file_opened(void);
void size_signal_file_closed(void);

#endif
