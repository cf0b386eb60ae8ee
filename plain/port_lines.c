#include "plain/port_lines.h"

#include "plain/fail.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/socket.h>

enum {
    WORDS_MAX = PMI_LINE_SIZE / PORT_WORD_MAX
};

_Static_assert(PMI_LINE_SIZE % PORT_WORD_MAX == 0, "the longest line fills its words");

static int fail_broken(const char *why)
{
    return fail(MPI_ERR_PORT, "the connection of a port broke: %s", why);
}

static int port_lines_send_all(int fd, const unsigned char *bytes, size_t size, int milliseconds)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};

    for (size_t sent = 0; sent < size;) {
        ssize_t n = send(fd, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0)
            sent += (size_t)n;
        else if (errno != EAGAIN && errno != EINTR)
            return fail_broken(strerror(errno));
        else if (errno == EAGAIN && poll(&room, 1, milliseconds) == 0)
            return fail_broken("nobody reads from it");
    }
    return MPI_SUCCESS;
}

int port_lines_send(struct port_connection *connection, const char *line, int milliseconds)
{
    unsigned char sealed[WORDS_MAX * PORT_SEALED_MAX];
    char text[PMI_LINE_SIZE] = "";
    size_t length = strlen(line), used = 0;

    if (length >= sizeof text)
        return fail(MPI_ERR_OTHER, "a line of %zu bytes is longer than %d", length, PMI_LINE_SIZE - 1);
    memcpy(text, line, length);
    text[length] = '\n';
    for (size_t at = 0; at <= length; at += PORT_WORD_MAX) {
        int error = port_seal_put(&connection->seal, text + at, PORT_WORD_MAX, sealed + used);

        if (error)
            return error;
        used += port_seal_size(&connection->seal, PORT_WORD_MAX);
    }
    return port_lines_send_all(connection->fd, sealed, used, milliseconds);
}

static int open_word(struct port_connection *connection, struct port_lines *lines)
{
    char word[PORT_WORD_MAX];
    int error = port_seal_take(&connection->seal, lines->sealed, word, sizeof word);

    lines->received = 0;
    return error ? error : pmi_inbox_add(&lines->inbox, word, strnlen(word, sizeof word));
}

/* came: a whole word was there. */
static int receive_word(struct port_connection *connection, struct port_lines *lines, bool *came)
{
    size_t size = port_seal_size(&connection->seal, PORT_WORD_MAX);
    ssize_t n = recv(connection->fd, lines->sealed + lines->received, size - lines->received, MSG_DONTWAIT);

    *came = false;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? MPI_SUCCESS : fail_broken(strerror(errno));
    if (n == 0 && lines->received > 0)
        return fail_broken("it ended within a word");
    lines->is_over = n == 0;
    lines->received += (size_t)n;
    *came = lines->received == size;
    return *came ? open_word(connection, lines) : MPI_SUCCESS;
}

int port_lines_next(struct port_connection *connection, struct port_lines *lines, char **line)
{
    bool came = true;
    int error = MPI_SUCCESS;

    for (*line = pmi_inbox_next(&lines->inbox); !*line && came && !error;
         *line = error ? NULL : pmi_inbox_next(&lines->inbox))
        error = receive_word(connection, lines, &came);
    return error;
}
