/* host_id: what tells this host from others. */
#ifndef PLAIN_HOST_ID_H
#define PLAIN_HOST_ID_H

#include <stddef.h>
#include <stdint.h>

enum {
    HOST_ID_SIZE = 256
};

/* Equal on two processes exactly when they can share memory: same name, same running kernel, and same network
 * namespace, to which the sockets that pass memory belong. It begins with the name, before the first '/'. */
void host_id_format(char *id, size_t size);

/* A number that is equal for processes of this host, and most likely differs for others; comparable between jobs. */
uint64_t host_mine(void);

/* A hash of a text; a job is identified by that of its name. */
uint64_t host_hash(const char *text);

#endif
