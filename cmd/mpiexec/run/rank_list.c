#include "cmd/mpiexec/run/told.h"

#include <stdio.h>
#include <string.h>

/* Appends the next range of ranks from `from` on, such as ", 3-5". Returns how many ranks are done. */
static int add_range(const bool *has, int size, int from, char *list, size_t room)
{
    size_t used = strlen(list);
    int to = from;

    while (to + 1 < size && has[to + 1])
        to++;
    if (room - used < 64)
        snprintf(list + used, room - used, ", ...");
    else if (to > from)
        snprintf(list + used, room - used, "%s%d-%d", used ? ", " : "", from, to);
    else
        snprintf(list + used, room - used, "%s%d", used ? ", " : "", from);
    return room - used < 64 ? size - from : to - from + 1;
}

void rank_list_format(const bool *has, int size, char *list, size_t room)
{
    *list = '\0';
    for (int i = 0; i < size;)
        i += has[i] ? add_range(has, size, i, list, room) : 1;
}
