/* port_lines: lines of text from the caller of a port to the process that has opened it.
 *
 * They travel in words of PORT_WORD_MAX bytes, sealed between hosts (port_seal.h). A line ends with a newline, and NULs fill
 * its last word. What comes is untrusted all the same: a line that is longer than PMI's, and a word that is not whole at the end,
 * are errors.
 */
#ifndef PLAIN_PORT_LINES_H
#define PLAIN_PORT_LINES_H

#include "plain/pmi_line.h"
#include "plain/port.h"

/* Sends a line, without its newline. An error: it is too long, the connection broke, or took nothing for so many
 * milliseconds. */
int port_lines_send(struct port_connection *connection, const char *line, int milliseconds);

/* What has come on a connection and was not returned yet; 0 at first. */
struct port_lines {
    bool is_over; /* the other end has closed it, after a whole word */
    size_t received;
    unsigned char sealed[PORT_SEALED_MAX];
    struct pmi_inbox inbox;
};

/* The next line, valid until the next call; NULL: none so far. Does not block. */
int port_lines_next(struct port_connection *connection, struct port_lines *lines, char **line);

#endif
