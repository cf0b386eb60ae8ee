/* descriptor: an open file of another process of this host, by the numbers that both know it by. */
#ifndef MEMORY_DESCRIPTOR_H
#define MEMORY_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Fit into a loan's handle. */
struct descriptor {
    uint64_t pid, fd;
    uint64_t device, inode; /* what the owner has open there */
};

bool descriptor_export(int fd, struct descriptor *d);
/* A descriptor of this process's for the same file, to be closed; -1: the system does not allow it, or the
 * process of this number, in another pid namespace perhaps, has something else open there. */
int descriptor_import(const struct descriptor *d);

#endif
