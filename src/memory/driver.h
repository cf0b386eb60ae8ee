/* driver: the functions of a device driver's library, which need not be installed. */
#ifndef MEMORY_DRIVER_H
#define MEMORY_DRIVER_H

#include <stdbool.h>

/* One function to find: where its address goes (a pointer to a function pointer), and its name. */
struct driver_function {
    void *place;
    const char *name;
};

/* Opens the first of the libraries (NULL ends the list) that is there, for good, and finds all functions
 * (a NULL name ends the list). False: no such library, or one that lacks a function. */
bool driver_load(const char *const *libraries, const struct driver_function *functions);

#endif
