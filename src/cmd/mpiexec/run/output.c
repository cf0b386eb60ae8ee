#include "cmd/mpiexec/run/output.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    STREAM_SIZE = 1 << 16 /* a longer line is printed in pieces */
};

static void close_stream(struct stream *stream)
{
    close(stream->fd);
    stream->fd = -1;
}

/* Prints one line of the rank with its label, in one write, so that lines of several mpiexecs do not mix. */
static bool output_print(int rank, int target, const char *line, size_t length, bool newline)
{
    static char labelled[STREAM_SIZE + 32];
    size_t used = (size_t)snprintf(labelled, sizeof labelled, "[%d] ", rank);

    memcpy(labelled + used, line, length);
    used += length;
    if (newline)
        labelled[used++] = '\n';
    return writer_write(target, labelled, used);
}

/* Prints the complete lines; with `all` also the remainder. */
static bool print_lines(struct stream *stream, int rank, bool all)
{
    size_t begin = 0;

    for (;;) {
        char *newline = memchr(stream->bytes + begin, '\n', stream->used - begin);
        size_t length = newline ? (size_t)(newline - (stream->bytes + begin)) : stream->used - begin;

        if (!newline && (length == 0 || (!all && (begin > 0 || length < STREAM_SIZE))))
            break;
        if (!output_print(rank, stream->target, stream->bytes + begin, length, true))
            return false;
        begin += length + (newline != NULL);
    }
    memmove(stream->bytes, stream->bytes + begin, stream->used - begin);
    stream->used -= begin;
    return true;
}

/* Reads once. Returns 0 at the end, -1 when there is nothing now. */
static ssize_t output_fill(struct stream *stream)
{
    ssize_t n;

    if (!stream->bytes)
        stream->bytes = words_allocate(STREAM_SIZE);
    do
        n = read(stream->fd, stream->bytes + stream->used, STREAM_SIZE - stream->used);
    while (n < 0 && errno == EINTR);
    stream->used += n > 0 ? (size_t)n : 0;
    return n;
}

void output_forward(struct stream *stream, int rank)
{
    ssize_t n;

    if (stream->fd < 0)
        return;
    n = output_fill(stream);
    if (n < 0 && errno == EAGAIN)
        return;
    if (!print_lines(stream, rank, n <= 0) || n <= 0)
        close_stream(stream);
}

void output_drain(struct stream *stream, int rank)
{
    while (stream->fd >= 0 && output_fill(stream) > 0)
        if (!print_lines(stream, rank, false))
            break;
    if (stream->fd >= 0) {
        print_lines(stream, rank, true);
        close_stream(stream);
    }
}
