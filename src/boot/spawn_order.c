#include "boot/spawn_order.h"

#include "boot/boot.h"
#include "boot/launcher.h"
#include "plain/memfd.h"
#include "plain/private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The number of a list's words has a fixed width, so that it can be updated in place. */
#define NO_WORDS "0000000000"

static bool spawn_order_make_room(struct spawn_order *o, size_t size)
{
    size_t room = o->room ? o->room : 4096;
    char *bytes;

    while (room - o->used < size)
        room *= 2;
    if (room == o->room)
        return true;
    bytes = realloc(o->bytes, room);
    if (!bytes)
        return false;
    o->bytes = bytes;
    o->room = room;
    return true;
}

static void add_bytes(struct spawn_order *o, const char *bytes, size_t size)
{
    if (o->is_incomplete || !spawn_order_make_room(o, size)) {
        o->is_incomplete = true;
        return;
    }
    memcpy(o->bytes + o->used, bytes, size);
    o->used += size;
}

void spawn_order_list(struct spawn_order *o)
{
    o->list = o->used;
    o->words = 0;
    add_bytes(o, NO_WORDS, sizeof NO_WORDS);
}

void spawn_order_word(struct spawn_order *o, const char *word)
{
    add_bytes(o, word, strlen(word) + 1);
    if (!o->is_incomplete)
        snprintf(o->bytes + o->list, sizeof NO_WORDS, "%010u", ++o->words);
}

void spawn_order_begin(struct spawn_order *o)
{
    char *here = getcwd(NULL, 0);

    *o = (struct spawn_order){0};
    spawn_order_list(o);
    spawn_order_word(o, here ? here : "/"); /* the directory may have been removed */
    for (char **entry = environ; entry && *entry; entry++)
        spawn_order_word(o, *entry);
    free(here);
}

void spawn_order_free(struct spawn_order *o)
{
    free(o->bytes);
}

static bool spawn_order_write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The file for mpiexec, positioned at its beginning. */
static int write_order(const struct spawn_order *o, int *file)
{
    int fd, refused;

    if (o->is_incomplete)
        return fail(MPI_ERR_NO_MEM, "no memory for the command lines of the processes to be spawned");
    fd = memfd_open(o->used);
    if (fd < 0)
        return fail_class();
    if (spawn_order_write_all(fd, o->bytes, o->used) && lseek(fd, 0, SEEK_SET) == 0) {
        *file = fd;
        return MPI_SUCCESS;
    }
    refused = errno;
    close(fd);
    return fail(MPI_ERR_OTHER, "the command lines of the processes to be spawned could not be written: %s",
                strerror(refused));
}

/* The file that this code was loaded from. The path that the loader remembers may be relative to a directory
 * that the program has left. */
static bool find_library(char *path)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    uintptr_t here = (uintptr_t)&boot, begin, end;
    bool found = false;

    while (maps && !found && fgets(line, sizeof line, maps)) {
        char *name = strchr(line, '/');

        found =
            sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 && begin <= here && here < end && name;
        if (found)
            snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, "\n"), name);
    }
    if (maps)
        fclose(maps);
    return found;
}

/* bin/mpiexec, beside the folder that contains the library. */
static int find_mpiexec(char *path)
{
    char library[PATH_MAX];

    if (!find_library(library))
        return fail(MPI_ERR_SPAWN,
                    "where this library lies is not known, so neither is its mpiexec; start the "
                    "program with mpiexec");
    *strrchr(library, '/') = 0;
    snprintf(path, PATH_MAX, "%.4000s/../bin/mpiexec", library);
    if (access(path, X_OK) == 0)
        return MPI_SUCCESS;
    return fail(MPI_ERR_SPAWN,
                "processes are spawned by Inkling's mpiexec, and there is none at %.200s; start the program "
                "with mpiexec",
                path);
}

/* mpiexec becomes a grandchild: the program may wait for its own children, and must not find this one. It
 * reads nothing from this process's standard input. */
static int run_mpiexec(int control, int order)
{
    char path[PATH_MAX], words[2][16];
    char *argv[] = {"mpiexec", "--spawned", words[0], words[1], "--detached", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int refused, error = find_mpiexec(path);

    if (error)
        return error;
    snprintf(words[0], sizeof words[0], "%d", control);
    snprintf(words[1], sizeof words[1], "%d", order);
    if (posix_spawn_file_actions_init(&actions))
        return fail(MPI_ERR_NO_MEM, "no memory to start mpiexec");
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, control, control); /* keeps it open across the exec */
    posix_spawn_file_actions_adddup2(&actions, order, order);
    refused = posix_spawn(&pid, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (refused)
        return fail(MPI_ERR_SPAWN, "cannot run %.200s: %s", path, strerror(refused));
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return MPI_SUCCESS;
}

static int send_order(int control, int order)
{
    const int passed[] = {control, order};

    if (strcmp(boot.launcher, "mpiexec") == 0)
        return pmi_pass("cmd=spawn", passed, 2);
    return run_mpiexec(control, order);
}

int spawn_start(const struct spawn_order *o, int *control)
{
    int ends[2], order = -1, error = write_order(o, &order);

    if (error)
        return error;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        error = fail(MPI_ERR_OTHER, "no socket to spawn processes: %s", strerror(errno));
        close(order);
        return error;
    }
    error = send_order(ends[1], order);
    close(order);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return error;
    }
    private_add(ends[0]);
    *control = ends[0];
    return MPI_SUCCESS;
}

static int check_report(const struct spawn_report *report, ssize_t size)
{
    size_t head = offsetof(struct spawn_report, count);

    if (size <= 0)
        return fail(MPI_ERR_SPAWN, "mpiexec ended before it had started the processes");
    if ((size_t)size < head || report->parts < 0 || report->parts > SPAWN_PARTS_MAX ||
        (size_t)size != head + (size_t)report->parts * sizeof report->count[0])
        return fail(MPI_ERR_SPAWN, "mpiexec answers something that is not understood");
    if (report->note[0])
        return fail(MPI_ERR_SPAWN, "%.*s", FAIL_NOTE_SIZE - 1, report->note);
    return MPI_SUCCESS;
}

int spawn_receive(int control, struct spawn_report *report, bool *heard)
{
    ssize_t size = recv(control, report, sizeof *report, MSG_DONTWAIT);

    *heard = size >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return *heard ? check_report(report, size) : MPI_SUCCESS;
}

bool spawn_is_over(int control)
{
    char byte;
    ssize_t size = recv(control, &byte, 1, MSG_DONTWAIT | MSG_PEEK);

    return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* The job may have ended already. */
static void spawn_order_say(int control, char byte)
{
    if (send(control, &byte, 1, MSG_NOSIGNAL) < 0)
        return;
}

void spawn_accept(int control)
{
    spawn_order_say(control, SPAWN_ACCEPT);
}

void spawn_let_go(int control)
{
    spawn_order_say(control, SPAWN_LET_GO);
    private_close(control);
}
