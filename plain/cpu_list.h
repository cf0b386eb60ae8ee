/* cpu_list: numbers of CPUs as Linux and users write them, such as 0,4-7. */
#ifndef PLAIN_CPU_LIST_H
#define PLAIN_CPU_LIST_H

#include <stdbool.h>

/* Whether the list has the number. What follows the first thing that is none of the list is not looked at. */
bool cpu_list_has(const char *list, long core);

#endif
