/* library: functions of a library that may not be installed: a device's driver, a launcher's client. */
#ifndef PLAIN_LIBRARY_H
#define PLAIN_LIBRARY_H

/* One function to find: where to store its address (a pointer to a function pointer), and its name. */
struct library_function {
    void *place;
    const char *name;
};

/* Opens the first of the libraries (NULL ends the list) that exists, for good, and finds all functions (a
 * NULL name ends the list). MPI_ERR_UNSUPPORTED_OPERATION: no such library, or it lacks a function; the note
 * says which. */
int library_load(const char *const *libraries, const struct library_function *functions);

#endif
