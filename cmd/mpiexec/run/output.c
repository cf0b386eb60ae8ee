#include "cmd/mpiexec/run/output.h"

#include "cmd/mpiexec/command_line/words.h"
#include "plain/clock.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* What stands for %letter; NULL: that is no letter of a pattern. */
static char *value_of(const struct job *job, char letter, int rank)
{
    switch (letter) {
    case 'r':
        return words_format("%d", rank);
    case '0': /* as wide as the last rank */
        return words_format("%0*d", snprintf(NULL, 0, "%d", job->size - 1), rank);
    case 'h':
        return words_format("%s", job->host);
    case 't':
        return words_format("%ld", (long)time(NULL));
    case 'g':
    case 'p':
        return words_format("0");
    case '%':
        return words_format("%%");
    default:
        return NULL;
    }
}

/* A pattern with what its %r, %0 (the rank, as wide as the last one), %h, %t and %% stand for. */
static char *output_files_expand(const struct job *job, const char *pattern, int rank)
{
    char *text = words_format("%s", "");

    while (*pattern) {
        size_t plain = strcspn(pattern, "%");
        char *value = pattern[plain] ? value_of(job, pattern[plain + 1], rank) : NULL, *before = text;
        size_t taken = pattern[plain] ? 1 + (value != NULL) : 0;

        text = words_format("%s%.*s%s", before, (int)plain, pattern,
                            value            ? value
                            : pattern[plain] ? "%"
                                             : "");
        free(before);
        free(value);
        pattern += plain + taken;
    }
    return text;
}

static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int refused;

        *slash = 0;
        refused = mkdir(path, 0777) < 0 && errno != EEXIST;
        if (refused)
            return fail(MPI_ERR_OTHER, "cannot make the folder '%s' for output: %s", path, strerror(errno));
        *slash = '/';
    }
    return 0;
}

/* Opens the file of a rank for writing, anew, and makes the folders that it is in. */
static int output_files_open(const struct job *job, const char *pattern, int rank, int *fd)
{
    char *path = output_files_expand(job, pattern, rank);
    bool is_own =
        rank == 0 || strstr(pattern, "%r") || strstr(pattern, "%0"); /* else several ranks write to it */
    int error = make_folders(path);

    if (!error) {
        *fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (is_own ? O_TRUNC : 0), 0666);
        if (*fd < 0)
            error = fail(MPI_ERR_OTHER, "cannot write the output of rank %d to '%s': %s", rank, path,
                         strerror(errno));
    }
    free(path);
    return error;
}

/* Writes all of it, unless the file system refuses. */
static void output_files_copy(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

enum {
    STREAM_SIZE =
        1
        << 18, /* the buffer of a stream, while no line is longer, and of the pipe of a rank's standard output, ... */
    LARGE_PIPES = 64,     /* ... in jobs of so many ranks: a user's pipes share 64 MiB */
    LINE_LIMIT = 1 << 20, /* a longer line is printed in pieces */
    LABEL_SIZE = 1024,
    LATE_MS = 1000,
    LATE_TERMINAL_MS = 100,
    OTHER_DESCRIPTORS = 64 /* those of mpiexec that are no rank's */
};

enum output_way {
    WAY_DIRECT,
    WAY_PIPE,
    WAY_TERMINAL
};

static const struct job *of;
static bool is_labelled, has_large_pipes;
static enum output_way way[2];
static uint64_t late_ns; /* when the first of the parts of lines that wait may be late; 0: none waits */

/* A socket and two streams for each rank. */
static bool have_descriptors(const struct job *job)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= 3 * (rlim_t)job->size + OTHER_DESCRIPTORS;
}

static enum output_way choose_way(const struct job *job, int target)
{
    struct stat info;

    if (job->label || job->timestamp || job->copy_to)
        return WAY_PIPE;
    if (job->direct_output || job->asked || fstat(target, &info) < 0 || !have_descriptors(job))
        return WAY_DIRECT;
    if (S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3)) /* /dev/null */
        return WAY_DIRECT;
    if (isatty(target))
        return job->size == 1 && !job->is_spawned ? WAY_DIRECT : WAY_TERMINAL;
    return WAY_PIPE;
}

void output_choose(const struct job *job)
{
    of = job;
    is_labelled = job->label || job->timestamp;
    has_large_pipes = job->size <= LARGE_PIPES;
    for (int i = 0; i < 2; i++)
        way[i] = choose_way(job, i + 1);
}

/* Makes a terminal that passes every byte on unchanged: mpiexec's own does the rest. False: none can be had. */
static bool open_terminal(int target, int ends[2])
{
    struct termios modes;
    struct winsize size;

    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[0] < 0)
        return false;
    ends[1] = grantpt(ends[0]) < 0 || unlockpt(ends[0]) < 0
                  ? -1
                  : ioctl(ends[0], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[1] < 0) {
        close(ends[0]);
        return false;
    }
    if (tcgetattr(ends[1], &modes) == 0) {
        modes.c_oflag &= ~(tcflag_t)OPOST;
        tcsetattr(ends[1], TCSANOW, &modes);
    }
    if (ioctl(target, TIOCGWINSZ, &size) == 0)
        ioctl(ends[1], TIOCSWINSZ, &size);
    return true;
}

/* The file that gets a copy. */
static int open_copy(const struct job *job, struct stream *stream, int rank)
{
    char *pattern = words_format("%s%s/rank.%%0/%s", job->copy_to, job->copies_without_job ? "" : "/1",
                                 stream->target == 1 ? "stdout" : "stderr");
    int error = output_files_open(job, pattern, rank, &stream->file);

    free(pattern);
    return error;
}

int output_open(const struct job *job, struct stream *stream, int rank, int *theirs)
{
    enum output_way chosen = way[stream->target - 1];
    int ends[2];

    *theirs = -1;
    if (job->file_of[stream->target - 1])
        return output_files_open(job, job->file_of[stream->target - 1], rank, theirs);
    if (job->copy_to && open_copy(job, stream, rank))
        return fail_class();
    if (chosen == WAY_DIRECT || (chosen == WAY_TERMINAL && !open_terminal(stream->target, ends)))
        return MPI_SUCCESS;
    if (chosen == WAY_PIPE && pipe2(ends, O_CLOEXEC) < 0)
        return fail(MPI_ERR_OTHER, "no pipe for a rank's output: %s", strerror(errno));
    if (chosen == WAY_PIPE && has_large_pipes && stream->target == STDOUT_FILENO)
        fcntl(ends[0], F_SETPIPE_SZ, STREAM_SIZE); /* who writes waits less often; the system may refuse */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    stream->fd = ends[0];
    *theirs = ends[1];
    return MPI_SUCCESS;
}

static void close_stream(struct stream *stream)
{
    close(stream->fd);
    stream->fd = -1;
    if (stream->file >= 0)
        close(stream->file);
    stream->file = -1;
    free(stream->bytes);
    stream->bytes = NULL;
    stream->used = stream->room = 0;
}

/* Writes what a line of the rank begins with. Returns its length. */
static size_t make_label(char *label, int rank)
{
    size_t used = 0;
    struct timespec now;
    struct tm parts;
    char *text;

    if (of->timestamp && clock_gettime(CLOCK_REALTIME, &now) == 0 && localtime_r(&now.tv_sec, &parts)) {
        used = strftime(label, LABEL_SIZE, "%Y-%m-%d %H:%M:%S", &parts);
        used += (size_t)snprintf(label + used, LABEL_SIZE - used, ".%03ld ", now.tv_nsec / 1000000);
    }
    if (!of->label)
        return used;
    if (!of->label_pattern)
        return used + (size_t)snprintf(label + used, LABEL_SIZE - used, "[%d] ", rank);
    text = output_files_expand(of, of->label_pattern, rank);
    used += (size_t)snprintf(label + used, LABEL_SIZE - used, "%s", text);
    free(text);
    return used < LABEL_SIZE ? used : LABEL_SIZE - 1;
}

/* Prints one line of the rank with its label, in one write, so that lines of several mpiexecs do not mix. */
static bool print_labelled(int rank, int target, const char *line, size_t length)
{
    static char *labelled;
    size_t used;

    if (!labelled)
        labelled = words_allocate(LINE_LIMIT + LABEL_SIZE);
    used = make_label(labelled, rank);
    memcpy(labelled + used, line, length);
    used += length;
    labelled[used++] = '\n';
    return writer_write(target, labelled, used);
}

/* Prints each line among the first `size` bytes, and what follows the last as if it were one. */
static bool print_lines(const struct stream *stream, int rank, size_t size)
{
    for (size_t begin = 0; begin < size;) {
        const char *newline = memchr(stream->bytes + begin, '\n', size - begin);
        size_t length = newline ? (size_t)(newline - (stream->bytes + begin)) : size - begin;

        if (!print_labelled(rank, stream->target, stream->bytes + begin, length))
            return false;
        begin += length + (newline != NULL);
    }
    return true;
}

/* Prints the first `size` bytes. */
static bool output_print(struct stream *stream, int rank, size_t size)
{
    bool is_read;

    if (stream->file >= 0)
        output_files_copy(stream->file, stream->bytes, size);
    is_read = size == 0 || (is_labelled ? print_lines(stream, rank, size)
                                        : writer_write(stream->target, stream->bytes, size));

    memmove(stream->bytes, stream->bytes + size, stream->used - size);
    stream->used -= size;
    return is_read;
}

/* Notes when what is left of the stream, whose first byte has come now, is to be printed without the end of its line. */
static void note_wait(struct stream *stream)
{
    uint64_t wait_ms = way[stream->target - 1] == WAY_TERMINAL ? LATE_TERMINAL_MS : LATE_MS;

    if (is_labelled)
        return;
    stream->late_ns = clock_ns() + wait_ms * 1000000;
    if (!late_ns || stream->late_ns < late_ns)
        late_ns = stream->late_ns;
}

/* Prints the complete lines among what is new behind the first `old` bytes, and what is no line if it is too long. */
static bool print_complete(struct stream *stream, int rank, size_t old)
{
    const char *newline = memrchr(stream->bytes + old, '\n', stream->used - old);
    size_t size = newline                      ? (size_t)(newline - stream->bytes) + 1
                  : stream->used >= LINE_LIMIT ? stream->used
                                               : 0;
    bool is_read = output_print(stream, rank, size);

    if (stream->used > 0 && (size > 0 || old == 0))
        note_wait(stream);
    return is_read;
}

static void output_make_room(struct stream *stream)
{
    size_t room = stream->room ? 2 * stream->room : STREAM_SIZE;
    char *bytes;

    if (stream->used < stream->room && (stream->used > 0 || stream->room == STREAM_SIZE))
        return;
    if (stream->used == 0)
        room = STREAM_SIZE;
    bytes = words_allocate(room);
    if (stream->used > 0)
        memcpy(bytes, stream->bytes, stream->used);
    free(stream->bytes);
    stream->bytes = bytes;
    stream->room = room;
}

/* Reads once and prints the complete lines. Returns 0 when there is nothing now, -1 at the end or if nobody reads it. */
static int output_read(struct stream *stream, int rank)
{
    size_t old = stream->used;
    ssize_t n;

    output_make_room(stream);
    do
        n = read(stream->fd, stream->bytes + old, stream->room - old);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? 0 : -1;
    stream->used += (size_t)n;
    return print_complete(stream, rank, old) ? 1 : -1;
}

static void output_close(struct stream *stream, int rank)
{
    output_print(stream, rank, stream->used);
    close_stream(stream);
}

void output_forward(struct stream *stream, int rank)
{
    if (stream->fd >= 0 && output_read(stream, rank) < 0)
        output_close(stream, rank);
}

/* Another process may go on writing. */
void output_catch_up(struct stream *stream, int rank)
{
    int more = 1;

    for (int i = 0; stream->fd >= 0 && more > 0 && i < LINE_LIMIT / STREAM_SIZE; i++)
        more = output_read(stream, rank);
    if (more < 0)
        output_close(stream, rank);
}

void output_drain(struct stream *stream, int rank)
{
    while (stream->fd >= 0 && output_read(stream, rank) > 0)
        ;
    if (stream->fd >= 0)
        output_close(stream, rank);
}

uint64_t output_print_late(struct job *job, uint64_t now)
{
    if (!late_ns || now < late_ns)
        return late_ns;
    late_ns = 0;
    for (int i = 0; i < 2 * job->size; i++) {
        struct stream *stream = &job->rank[i / 2].stream[i % 2];

        if (!stream->used)
            continue;
        if (stream->late_ns <= now)
            output_print(stream, i / 2, stream->used);
        else if (!late_ns || stream->late_ns < late_ns)
            late_ns = stream->late_ns;
    }
    return late_ns;
}
