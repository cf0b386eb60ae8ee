#include "plain/cpu.h"

#include <stdlib.h>

bool cpu_list_has(const char *list, long core)
{
    while (*list) {
        char *end;
        long from = strtol(list, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;

        if (end == list)
            return false;
        if (core >= from && core <= to)
            return true;
        list = *end == ',' ? end + 1 : "";
    }
    return false;
}
