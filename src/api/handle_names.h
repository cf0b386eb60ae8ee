/* handle_names: the names of the standard's constants, made by gen/ from api/constants.txt. */
#ifndef API_HANDLE_NAMES_H
#define API_HANDLE_NAMES_H

struct handle_name {
    unsigned value;
    const char *name;
};

/* The predefined handles, 0x101 "MPI_COMM_WORLD", ended by a NULL name. */
extern const struct handle_name handle_names[];

#endif
