/* descriptor: an open file of another process of this host, identified by numbers that both processes know.
 */
#ifndef MEMORY_DESCRIPTOR_H
#define MEMORY_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Fit into an export's handle. */
struct descriptor {
    uint64_t pid, fd;
    uint64_t device, inode; /* of the file that the owner has open there */
};

bool descriptor_export(int fd, struct descriptor *d);
/* A descriptor of this process for the same file, which the caller closes. -1: the system does not allow it,
 * or the process with this number, in another pid namespace perhaps, has another file open there. */
int descriptor_import(const struct descriptor *d);

#endif
