#include "boot/launcher.h"

#include "boot/boot.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "plain/pmi_line.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Hydra ends all processes when one dies, or with an option those of its host. */

enum {
    ANCESTORS = 16 /* shells and wrappers among them */
};

static const char option[] = "-disable-auto-cleanup";

static ssize_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* 0: not known. */
static pid_t parent_of(pid_t pid)
{
    char text[512];
    const char *end = read_of(pid, "stat", text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    int parent;

    return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* A launcher's words stand before the program's, where nobody names this option. */
static bool has_option(const char *words, const char *end)
{
    for (; words < end; words += strlen(words) + 1)
        if (strcmp(words, option) == 0 || (*words == '-' && strcmp(words + 1, option) == 0))
            return true;
    return false;
}

void pmi_warn_of_cleanup(void)
{
    char words[8192], name[64];
    bool is_hydra = false;
    pid_t pid = getppid();

    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        ssize_t length = read_of(pid, "cmdline", words, sizeof words);

        if (read_of(pid, "comm", name, sizeof name) <= 0 || length <= 0)
            return;
        if (is_hydra && strncmp(name, "mpiexec", strlen("mpiexec")) == 0) {
            if (!has_option(words, words + length))
                log_warn(
                    "Hydra ends all other ranks when one dies, although inkling_survive is true; with the "
                    "option %s of mpiexec.hydra those of other hosts live",
                    option);
            return;
        }
        is_hydra = is_hydra || strncmp(name, "hydra_pmi_proxy", strlen("hydra_pmi_proxy")) == 0;
    }
}

enum {
    BLOCKS = 256
};

struct mapping_block {
    int first, nodes, ranks;
};

/* Returns the number of blocks; 0: the text makes no sense. */
static int parse_mapping(const char *text, struct mapping_block *block)
{
    int count = 0, used;

    if (strncmp(text, "(vector", 7) != 0)
        return 0;
    for (text += 7; *text == ','; text += used, count++) {
        struct mapping_block *b = &block[count];

        used = 0;
        if (count == BLOCKS || sscanf(text, ",(%d,%d,%d)%n", &b->first, &b->nodes, &b->ranks, &used) != 3 ||
            !used || b->first < 0 || b->nodes < 1 || b->ranks < 1)
            return 0;
    }
    return strcmp(text, ")") == 0 ? count : 0;
}

/* Position in the assignment of ranks to nodes. */
struct mapping_cursor {
    int block, node, rank;
};

/* The node of the next rank. */
static int next_node(struct mapping_cursor *d, const struct mapping_block *block, int blocks)
{
    const struct mapping_block *b = &block[d->block];
    int node = b->first + d->node;

    if (++d->rank < b->ranks)
        return node;
    d->rank = 0;
    if (++d->node < b->nodes)
        return node;
    d->node = 0;
    d->block = (d->block + 1) % blocks;
    return node;
}

bool pmi_find_mapping(const char *text, int size, uint64_t *node)
{
    struct mapping_block block[BLOCKS];
    struct mapping_cursor d = {0};
    int blocks = parse_mapping(text, block);

    for (int rank = 0; rank < size && blocks; rank++)
        node[rank] = (uint64_t)next_node(&d, block, blocks);
    return blocks > 0;
}

static struct {
    int fd;
    /* Answers to init and finalize, which alternate, that have not been read yet, and which comes first. */
    int owed;
    bool first_is_farewell;
    char kvs[PMI_NAME_SIZE];
    struct pmi_inbox inbox;
} pmi = {.fd = -1};

int pmi_find(void)
{
    const char *text = getenv("PMI_FD");
    char *end;
    struct stat info;
    long fd;

    if (!text || !*text)
        return -1;
    fd = strtol(text, &end, 10);
    if (*end || fd < 0 || fd > INT_MAX)
        return -1;
    return fstat((int)fd, &info) == 0 && S_ISSOCK(info.st_mode) ? (int)fd : -1;
}

static void owe(bool is_farewell)
{
    if (pmi.owed++ == 0)
        pmi.first_is_farewell = is_farewell;
}

int pmi_open(int fd, const char *kvs)
{
    int error;

    pmi.fd = fd;
    if (!pmi.owed)
        pmi.inbox.begin = pmi.inbox.end = 0;
    snprintf(pmi.kvs, sizeof pmi.kvs, "%s", kvs ? kvs : "");
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    error = pmi_line_send(fd, "cmd=init pmi_version=1 pmi_subversion=1");
    if (!error)
        owe(false);
    return error;
}

/* The next line from the launcher, which must be `command`; a line with rc= other than 0 is an error. */
static int pmi_receive(const char *command, struct pmi_line *line)
{
    const char *rc, *message;
    char *text;
    int error;

    while (!(text = pmi_inbox_next(&pmi.inbox))) {
        bool open;

        error = pmi_inbox_fill(&pmi.inbox, pmi.fd, 0, &open);
        if (error)
            return error;
        if (!open)
            return fail(MPI_ERR_OTHER, "the launcher closed the PMI connection while %s was awaited",
                        command);
    }
    error = pmi_line_parse(text, line);
    if (error)
        return error;
    if (!pmi_line_is(line, command))
        return fail(MPI_ERR_OTHER, "the launcher answers cmd=%.40s where PMI has cmd=%s", line->value[0],
                    command);
    rc = pmi_line_find(line, "rc");
    message = pmi_line_find(line, "msg");
    if (rc && strcmp(rc, "0") != 0)
        return fail(MPI_ERR_OTHER, "the launcher refuses: %s", message ? message : command);
    return 0;
}

/* Reads the answers to init and finalize that come before the next one. */
static int be_greeted(void)
{
    struct pmi_line line;
    int error = 0;

    if (pmi.fd < 0)
        return fail(MPI_ERR_OTHER, "there is no PMI connection: not started by mpiexec, or finalized");
    for (; pmi.owed && !error; pmi.owed--) {
        error = pmi_receive(pmi.first_is_farewell ? "finalize_ack" : "response_to_init", &line);
        pmi.first_is_farewell = !pmi.first_is_farewell;
    }
    return error;
}

static int pmi_ask(const char *question, const char *answer, struct pmi_line *line)
{
    int error = be_greeted();

    if (!error)
        error = pmi_line_send(pmi.fd, "cmd=%s", question);
    return error ? error : pmi_receive(answer, line);
}

const char *pmi_kvs(void)
{
    struct pmi_line line;
    const char *name;

    if (pmi.kvs[0])
        return pmi.kvs;
    if (pmi_ask("get_my_kvsname", "my_kvsname", &line))
        return NULL;
    name = pmi_line_find(&line, "kvsname");
    if (!name || !*name || strlen(name) >= sizeof pmi.kvs) {
        fail(MPI_ERR_OTHER, "the launcher's kvsname is missing or too long");
        return NULL;
    }
    snprintf(pmi.kvs, sizeof pmi.kvs, "%s", name);
    return pmi.kvs;
}

int pmi_appnum(int *appnum)
{
    struct pmi_line line;
    int error = pmi_ask("get_appnum", "appnum", &line);

    return error ? error : pmi_line_int(&line, "appnum", appnum);
}

int pmi_universe_size(int *size)
{
    struct pmi_line line;
    int error = pmi_ask("get_universe_size", "universe_size", &line);

    return error ? error : pmi_line_int(&line, "size", size);
}

int pmi_put(const char *key, const char *value)
{
    struct pmi_line line;
    int error = be_greeted();

    if (error)
        return error;
    if (!pmi_kvs())
        return fail_class();
    error = pmi_line_send(pmi.fd, "cmd=put kvsname=%s key=%s value=%s", pmi.kvs, key, value);
    return error ? error : pmi_receive("put_result", &line);
}

int pmi_fence(void)
{
    struct pmi_line line;

    return pmi_ask("barrier_in", "barrier_out", &line);
}

int pmi_get(int process, const char *key, char *value, size_t size)
{
    struct pmi_line line;
    const char *found;
    int error = be_greeted();

    (void)process;
    if (error)
        return error;
    if (!pmi_kvs())
        return fail_class();
    error = pmi_line_send(pmi.fd, "cmd=get kvsname=%s key=%s", pmi.kvs, key);
    if (error)
        return error;
    error = pmi_receive("get_result", &line);
    if (error)
        return error;
    found = pmi_line_find(&line, "value");
    if (!found || strlen(found) >= size)
        return fail(MPI_ERR_OTHER, "the value of %s is %s", key, found ? "too long" : "missing");
    memcpy(value, found, strlen(found) + 1);
    return 0;
}

int pmi_pass(const char *command, const int *passed, int count)
{
    if (pmi.fd < 0)
        return fail(MPI_ERR_OTHER, "there is no PMI connection: not started by mpiexec, or finalized");
    return pmi_line_pass(pmi.fd, command, passed, count);
}

/* Slurm's mapping of an arbitrary distribution names a node for each rank. */
static bool map_is_true(void)
{
    const char *distribution = getenv("SLURM_DISTRIBUTION");

    return !distribution || strcmp(distribution, "arbitrary") != 0;
}

bool pmi_find_nodes(int size, uint64_t *node)
{
    char text[PMI_VALUE_SIZE];

    return map_is_true() && pmi_get(boot.rank, "PMI_process_mapping", text, sizeof text) == MPI_SUCCESS &&
           pmi_find_mapping(text, size, node);
}

bool pmi_tell(const char *kind, const char *text)
{
    char line[PMI_LINE_SIZE];

    if (pmi.fd < 0)
        return false;
    pmi_line_format_text(kind, text, line);
    return pmi_line_send(pmi.fd, "%s", line) == 0;
}

void pmi_abort(int code, const char *why)
{
    char word[PMI_LINE_SIZE / 2];

    if (pmi.fd < 0)
        return;
    if (!why) {
        pmi_line_send(pmi.fd, "cmd=abort exitcode=%d", code);
        return;
    }
    pmi_line_escape(why, word, sizeof word);
    pmi_line_send(pmi.fd, "cmd=abort exitcode=%d message=%s", code, word);
}

void pmi_linger(int milliseconds)
{
    struct pollfd end = {.fd = pmi.fd, .events = POLLRDHUP};

    if (pmi.fd >= 0)
        poll(&end, 1, milliseconds);
}

int pmi_close(bool await)
{
    struct pmi_line line;
    int error;

    if (!await) {
        owe(true);
        return pmi_line_send(pmi.fd, "cmd=finalize");
    }
    error = pmi_ask("finalize", "finalize_ack", &line);
    close(pmi.fd);
    pmi.fd = -1;
    return error;
}
