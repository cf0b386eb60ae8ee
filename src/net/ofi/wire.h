/* wire: what travels in front of every message between hosts, and how an address is written down.
 *
 * Hosts of one job have the same byte order. What arrives is untrusted all the same: another job, another
 * version of the library or a port scanner may have sent it.
 */
#ifndef NET_OFI_WIRE_H
#define NET_OFI_WIRE_H

#include "net/transport.h"

enum {
    WIRE_VERSION = 1, /* counted up whenever struct wire or struct message changes */
    WIRE_ADDRESS_MAX = 256,
    WIRE_TEXT_SIZE = 1024, /* of a written address, with the NUL */
    WIRE_NAME_SIZE = 64
};

enum wire_kind {
    WIRE_MESSAGE = 1,
    WIRE_BYE /* carries nothing; its departure shows that all before it has left */
};

struct wire {
    uint8_t version;
    uint8_t kind;
    uint16_t job;  /* of wire_job(): messages of other jobs are dropped */
    uint32_t from; /* process number */
    struct message message;
};

_Static_assert(sizeof(struct wire) == 32, "32 bytes on the wire");

/* A short hash of the name of the job. */
uint16_t wire_job(const char *name);

/* Takes the head of a packet out of it; NULL, or why it is none of process 0 to processes - 1 of this job. */
const char *wire_read(const void *packet, size_t length, uint16_t job, int processes, struct wire *head);

/* The address of a process, as the launcher passes it on. */
struct wire_address {
    char provider[WIRE_NAME_SIZE];
    int port; /* of pulse.h; 0: none */
    size_t length;
    unsigned char bytes[WIRE_ADDRESS_MAX];
};

/* Text without spaces, semicolons and '='. */
int wire_address_format(const struct wire_address *address, char *text, size_t size);
/* An error tells what is wrong with the text of this process. */
int wire_address_parse(const char *text, int process, struct wire_address *address);

#endif
