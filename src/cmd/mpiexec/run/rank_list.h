/* rank_list: ranks as people write them: "0-3, 7". */
#ifndef CMD_MPIEXEC_RUN_RANK_LIST_H
#define CMD_MPIEXEC_RUN_RANK_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes those of `size` ranks that `has` has; what finds no room becomes ", ...". */
void rank_list_format(const bool *has, int size, char *list, size_t room);

#endif
