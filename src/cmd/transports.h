/* transports: which transports and launchers this build supports, by the headers that it found. */
#ifndef CMD_TRANSPORTS_H
#define CMD_TRANSPORTS_H

/* Prints two lines, and for each missing one how to get it. */
void transports_print(void);
/* Members of an object: "transports": [...], "libfabric": VERSION or null, "launchers": [...], "libpmix": the same. */
void transports_print_json(void);

#endif
