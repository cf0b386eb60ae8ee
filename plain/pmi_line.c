#include "plain/pmi_line.h"

#include "plain/fail.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The part of a bad line that an error message shows: printable and short. */
static void excerpt(const char *text, char *shown, size_t size)
{
    size_t i = 0;

    for (; text[i] && i + 1 < size; i++)
        shown[i] = text[i] >= ' ' && text[i] < 127 ? text[i] : '?';
    shown[i] = 0;
}

int pmi_line_parse(char *text, struct pmi_line *line)
{
    char shown[48], *rest = NULL;

    excerpt(text, shown, sizeof shown);
    line->count = 0;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');

        if (!equals || equals == word)
            return fail(MPI_ERR_OTHER, "PMI line '%s': a word is not name=value", shown);
        if (line->count == PMI_WORDS)
            return fail(MPI_ERR_OTHER, "PMI line '%s': more than %d words", shown, PMI_WORDS);
        *equals = 0;
        line->name[line->count] = word;
        line->value[line->count++] = equals + 1;
    }
    if (line->count == 0 || strcmp(line->name[0], "cmd") != 0)
        return fail(MPI_ERR_OTHER, "PMI line '%s' does not begin with cmd=", shown);
    return 0;
}

const char *pmi_line_find(const struct pmi_line *line, const char *name)
{
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->name[i], name) == 0)
            return line->value[i];
    return NULL;
}

bool pmi_line_is(const struct pmi_line *line, const char *command)
{
    return strcmp(line->value[0], command) == 0;
}

int pmi_line_int(const struct pmi_line *line, const char *name, int *value)
{
    const char *text = pmi_line_find(line, name);
    char *end;
    long number;

    if (!text)
        return fail(MPI_ERR_OTHER, "PMI command %s lacks %s=", line->value[0], name);
    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < INT_MIN || number > INT_MAX)
        return fail(MPI_ERR_OTHER, "PMI command %s: %s='%.40s' is not an integer", line->value[0], name,
                    text);
    *value = (int)number;
    return 0;
}

static bool travels_as_is(char c)
{
    return c > ' ' && c < 127 && c != '%' && c != '=';
}

void pmi_line_escape(const char *text, char *word, size_t size)
{
    size_t used = 0;

    for (; *text && used + 4 <= size; text++) {
        if (travels_as_is(*text))
            word[used++] = *text;
        else
            used += (size_t)snprintf(word + used, size - used, "%%%02X", (unsigned char)*text);
    }
    word[used] = 0;
}

void pmi_line_format_text(const char *command, const char *text, char line[PMI_LINE_SIZE])
{
    char word[PMI_LINE_SIZE / 2];

    pmi_line_escape(text, word, sizeof word);
    snprintf(line, PMI_LINE_SIZE, "cmd=%s text=%s", command, word);
}

void pmi_line_unescape(const char *word, char *text, size_t size)
{
    size_t used = 0;

    while (*word && used + 1 < size) {
        unsigned byte;

        if (*word == '%' && word[1] && word[2] && sscanf(word + 1, "%2x", &byte) == 1 && byte != 0) {
            text[used++] = (char)byte;
            word += 3;
        } else {
            text[used++] = *word++;
        }
    }
    text[used] = 0;
}

int pmi_line_send(int fd, const char *format, ...)
{
    char line[PMI_LINE_SIZE];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof line - 1)
        return fail(MPI_ERR_OTHER, "a PMI line of %d bytes is longer than %d", length, PMI_LINE_SIZE - 1);
    line[length++] = '\n';
    for (int sent = 0; sent < length;) {
        ssize_t n = send(fd, line + sent, (size_t)(length - sent), MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(MPI_ERR_OTHER, "the PMI connection failed: %s", strerror(errno));
        sent += (int)n;
    }
    return 0;
}

/* Room for the descriptors that one message may carry, as recvmsg(2) wants it. */
union passed {
    struct cmsghdr align;
    char room[CMSG_SPACE(PMI_PASSED * sizeof(int))];
};

int pmi_line_pass(int fd, const char *text, const int *passed, int count)
{
    char line[PMI_LINE_SIZE];
    int length = snprintf(line, sizeof line, "%s\n", text);
    struct iovec bytes = {line, (size_t)length};
    union passed control = {0};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    ssize_t n;

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(head), passed, (size_t)count * sizeof(int));
    do
        n = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == length ? 0 : fail(MPI_ERR_OTHER, "the PMI connection failed: %s", strerror(errno));
}

/* Keeps the descriptors of a message, and closes those beyond the room for them. */
static void keep_passed(struct pmi_inbox *inbox, struct msghdr *message)
{
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            if (inbox->passed_count < PMI_PASSED)
                inbox->passed[inbox->passed_count++] = fd;
            else
                close(fd);
        }
    }
}

int pmi_inbox_take(struct pmi_inbox *inbox)
{
    int fd;

    if (inbox->passed_count == 0)
        return -1;
    fd = inbox->passed[0];
    inbox->passed_count--;
    memmove(inbox->passed, inbox->passed + 1, (size_t)inbox->passed_count * sizeof fd);
    return fd;
}

/* Moves what was not returned yet to the front. An error if there is no room for so many bytes more. */
static int pmi_inbox_make_room(struct pmi_inbox *inbox, size_t size)
{
    if (inbox->begin > 0) {
        memmove(inbox->bytes, inbox->bytes + inbox->begin, inbox->end - inbox->begin);
        inbox->end -= inbox->begin;
        inbox->begin = 0;
    }
    if (sizeof inbox->bytes - inbox->end < size)
        return fail(MPI_ERR_OTHER, "a PMI line is longer than %d bytes", PMI_LINE_SIZE - 1);
    return 0;
}

int pmi_inbox_add(struct pmi_inbox *inbox, const char *bytes, size_t size)
{
    int error = pmi_inbox_make_room(inbox, size);

    if (error)
        return error;
    memcpy(inbox->bytes + inbox->end, bytes, size);
    inbox->end += size;
    return 0;
}

int pmi_inbox_fill(struct pmi_inbox *inbox, int fd, int flags, bool *open)
{
    struct iovec room;
    union passed control;
    struct msghdr message = {
        .msg_iov = &room, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int error = pmi_inbox_make_room(inbox, 1);
    ssize_t n;

    if (error)
        return error;
    room = (struct iovec){inbox->bytes + inbox->end, sizeof inbox->bytes - inbox->end};
    do
        n = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *open = true;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (n <= 0) { /* a reset counts as an end */
        *open = false;
        return 0;
    }
    keep_passed(inbox, &message);
    inbox->end += (size_t)n;
    return 0;
}

char *pmi_inbox_next(struct pmi_inbox *inbox)
{
    char *line = inbox->bytes + inbox->begin;
    char *newline = memchr(line, '\n', inbox->end - inbox->begin);

    if (!newline)
        return NULL;
    *newline = 0;
    inbox->begin = (size_t)(newline + 1 - inbox->bytes);
    return line;
}
