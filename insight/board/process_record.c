#include "insight/board/process_record.h"

#include "insight/board/board.h"
#include "insight/call/intercept.h"

#include <string.h>

struct process process;
__thread bool process_is_main;

bool process_shares(int world)
{
    return world >= 0 && world < BOARD_RANKS && process.sharers[world / 64] >> world % 64 & 1;
}

bool process_is_inkling(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;

    real.Get_library_version(version, &length);
    return strstr(version, "Inkling") != NULL;
}
