/* received: how many messages a process has taken from others of its host, as the positions of its rings tell. */
#ifndef CMD_WHERE_RECEIVED_H
#define CMD_WHERE_RECEIVED_H

#include "cmd/where/traced.h"

/* A large message counts as often as its protocol sends something. False: they changed while they were read. */
bool received_count(const struct traced *t, uint64_t *messages);

#endif
