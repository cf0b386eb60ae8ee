/* Fuzzes what a rank on another host may tell mpiexec: lines over a port's connection, their words, and those of the report on
 * hints. The first byte of the input says in which pieces the rest comes, and whether its last word is filled. */
#include "hint/report.h"
#include "plain/port_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth)
        abort();
}

static void fuzz_report(const struct pmi_line *line)
{
    const char *word = pmi_line_find(line, "text");
    char text[PMI_LINE_SIZE], whole[REPORT_LINE_SIZE];
    struct report_line told;

    pmi_line_unescape(word ? word : "", text, sizeof text);
    if (!report_parse(text, &told))
        return;
    expect(told.kind && told.title && told.key && told.counted && told.why);
    report_format(&told, whole, sizeof whole);
    expect(strlen(whole) < sizeof whole);
}

/* False: nothing more comes. */
static bool receive(struct port_connection *connection, struct port_lines *lines)
{
    char *text = NULL;
    int error;

    do {
        struct pmi_line line;

        error = port_lines_next(connection, lines, &text);
        expect(!error || !text);
        if (text && !pmi_line_parse(text, &line))
            fuzz_report(&line);
    } while (text);
    return !error;
}

static void say(int fd, const void *bytes, size_t size)
{
    expect(send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fill[PORT_WORD_MAX];
    static struct port_lines lines;
    struct port_connection connection;
    size_t piece = size ? 1 + (size_t)data[0] * 3 : 1;
    bool goes_on = true;
    int ends[2];

    expect(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    connection = (struct port_connection){.fd = ends[1]};
    lines = (struct port_lines){0};
    for (size_t at = 1; at < size && goes_on; at += piece) {
        size_t count = piece < size - at ? piece : size - at;

        say(ends[0], data + at, count);
        goes_on = receive(&connection, &lines);
    }
    if (size > 1 && data[0] & 1)
        say(ends[0], fill, (sizeof fill - (size - 1) % sizeof fill) % sizeof fill);
    close(ends[0]);
    if (goes_on)
        expect(receive(&connection, &lines) == lines.is_over);
    close(ends[1]);
    return 0;
}
