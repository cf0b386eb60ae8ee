/* process_tell: tells what was found, as far as it is this process's turn, and ends the job. */
#ifndef INSIGHT_FINDINGS_PROCESS_TELL_H
#define INSIGHT_FINDINGS_PROCESS_TELL_H

#include "insight/board/board.h"

enum {
    CODE_FOUND = 66 /* the exit code of a job in which something was found */
};

/* Tells what the board has, once. */
void process_tell(void);
/* Tells what was found when no rank can: they have ended, and nobody has told. */
void process_tell_late(void);
/* Ends the job, as an error with a fatal handler does. */
_Noreturn void process_abort(int code, enum board_end why);

#endif
