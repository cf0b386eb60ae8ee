#include "cmd/where/traced.h"

#include "cmd/where/stack.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    PIECES = 64,       /* pages read at once */
    HEADERS_MOST = 32, /* of an ELF file */
    NOTES_MOST = 4096, /* bytes of notes */
    SAME_BYTES = 512,  /* that are compared without memory of their own */
    SAME_TRIES = 8,
    TEXT_MOST = 512
};

const char *traced_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

size_t traced_read_some(const struct traced *t, uint64_t address, void *to, size_t bytes)
{
    size_t done = 0;

    if (t->is_told)
        return asked_read(t->pid, address, to, bytes);
    while (done < bytes) {
        struct iovec here = {(char *)to + done, 0}, there[PIECES];
        uint64_t at = address + done;
        int pieces = 0;
        ssize_t n;

        /* The kernel gives whole pieces only. */
        for (; pieces < PIECES && done + here.iov_len < bytes; pieces++) {
            size_t part = PAGE - at % PAGE, left = bytes - done - here.iov_len;

            part = part < left ? part : left;
            there[pieces] = (struct iovec){(void *)(uintptr_t)at, part};
            here.iov_len += part;
            at += part;
        }
        n = process_vm_readv(t->pid, &here, 1, there, (unsigned long)pieces, 0);
        if (n <= 0)
            break;
        done += (size_t)n;
        if ((size_t)n < here.iov_len)
            break;
    }
    return done;
}

bool traced_read(const struct traced *t, uint64_t address, void *to, size_t bytes)
{
    return traced_read_some(t, address, to, bytes) == bytes;
}

bool traced_read_same(const struct traced *t, uint64_t address, void *to, size_t bytes)
{
    unsigned char small[SAME_BYTES], *again = bytes <= sizeof small ? small : malloc(bytes);
    bool is_same = false;

    for (int i = 0; again && i < SAME_TRIES && !is_same; i++)
        is_same = traced_read(t, address, to, bytes) && traced_read(t, address, again, bytes) &&
                  memcmp(to, again, bytes) == 0;
    if (again != small)
        free(again);
    return is_same;
}

uint64_t traced_word(const struct traced *t, uint64_t address)
{
    uint64_t word;

    return traced_read_same(t, address, &word, sizeof word) ? word : 0;
}

uint32_t traced_half(const struct traced *t, uint64_t address)
{
    uint32_t half;

    return traced_read_same(t, address, &half, sizeof half) ? half : 0;
}

void traced_text(const struct traced *t, uint64_t address, char *to, size_t room)
{
    char again[TEXT_MOST];
    bool is_same = false;

    room = room < sizeof again ? room : sizeof again;
    for (int i = 0; address && i < SAME_TRIES && !is_same; i++) {
        to[traced_read_some(t, address, to, room - 1)] = 0;
        again[traced_read_some(t, address, again, room - 1)] = 0;
        is_same = strcmp(to, again) == 0;
    }
    if (!is_same)
        *to = 0;
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

/* Reads a small file of /proc/PID, and closes the text with NUL; returns its bytes. */
static size_t read_proc_file(pid_t pid, const char *name, char *to, size_t room)
{
    char path[64];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    f = fopen(path, "re");
    if (f) {
        n = fread(to, 1, room - 1, f);
        fclose(f);
    }
    to[n] = 0;
    return n;
}

/* The fields of a stat file behind the name, which may have any characters. */
static const char *stat_fields(pid_t pid, const char *name, char *text, size_t room)
{
    const char *end;

    read_proc_file(pid, name, text, room);
    end = strrchr(text, ')');
    return end && end[1] == ' ' ? end + 2 : NULL;
}

char traced_thread_state(pid_t pid, pid_t tid)
{
    char name[64], text[1024];
    const char *fields;

    snprintf(name, sizeof name, "task/%d/stat", (int)tid);
    fields = stat_fields(pid, name, text, sizeof text);
    return fields ? *fields : 0;
}

/* What a line of a thread's status says behind its name; "": there is no such line. */
static const char *read_status(pid_t pid, pid_t tid, const char *line, char *text, size_t room)
{
    char name[64], *found;

    snprintf(name, sizeof name, "task/%d/status", (int)tid);
    read_proc_file(pid, name, text, room);
    found = strstr(text, line);
    if (!found)
        return "";
    found += strlen(line);
    found[strcspn(found, "\n")] = 0;
    return found;
}

bool traced_is_busy(pid_t pid, pid_t tid)
{
    char text[4096];

    return atoi(read_status(pid, tid, "\nTracerPid:", text, sizeof text)) != 0;
}

pid_t traced_inner_number(pid_t pid, pid_t tid)
{
    char text[4096];
    const char *all = read_status(pid, tid, "\nNSpid:", text, sizeof text), *last = strrchr(all, '\t');

    return last ? atoi(last) : tid;
}

static bool read_stat(struct traced *t)
{
    char text[1024];
    const char *fields = stat_fields(t->pid, "stat", text, sizeof text);
    unsigned long long started = 0;
    int parent = 0;

    if (!fields ||
        sscanf(fields, "%c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &t->state, &parent, &started) < 3)
        return false;
    t->parent = parent;
    t->started = (double)started / (double)sysconf(_SC_CLK_TCK);
    return true;
}

/* An ELF file, as it is mapped in a process, or as it lies on a disk. */
struct elf_image {
    const struct traced *t; /* NULL: not in a process */
    uint64_t base;
    int fd;
    int segments;
    Elf64_Phdr segment[HEADERS_MOST];
};

/* at: in a process, behind the base; on a disk, in the file. */
static bool read_image(const struct elf_image *image, uint64_t at, void *to, size_t bytes)
{
    if (image->t)
        return traced_read(image->t, image->base + at, to, bytes);
    return pread(image->fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool read_headers(struct elf_image *image)
{
    Elf64_Ehdr head;

    if (!read_image(image, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof *image->segment ||
        head.e_phnum > HEADERS_MOST)
        return false;
    image->segments = head.e_phnum;
    return read_image(image, head.e_phoff, image->segment, head.e_phnum * sizeof *image->segment);
}

/* The address of the table behind the base; 0: there is none. */
static uint64_t find_in_image(struct elf_image *image)
{
    unsigned char notes[NOTES_MOST];
    int64_t distance = 0;
    int i = 0;

    if (!read_headers(image))
        return 0;
    for (; i < image->segments && !distance; i++) {
        const Elf64_Phdr *s = &image->segment[i];

        if (s->p_type == PT_NOTE && s->p_filesz <= sizeof notes &&
            read_image(image, image->t ? s->p_vaddr : s->p_offset, notes, s->p_filesz))
            distance = where_table_in_notes(notes, s->p_filesz);
    }
    return distance ? image->segment[i - 1].p_vaddr + (uint64_t)distance : 0;
}

static uint64_t find_in_file(const struct traced *t, uint64_t base)
{
    struct elf_image image = {.t = t, .base = base};
    uint64_t table = find_in_image(&image);

    return table ? base + table : 0;
}

/* Whether the table of a library on a disk is of this version. Its numbers are no addresses, so they are there, too. */
static bool has_our_version(int fd)
{
    struct elf_image image = {.fd = fd};
    uint64_t table = find_in_image(&image);
    uint32_t word[2] = {0, 0}; /* version, size */

    for (int i = 0; table && i < image.segments; i++) {
        const Elf64_Phdr *s = &image.segment[i];

        if (s->p_type == PT_LOAD && table >= s->p_vaddr && table + sizeof word <= s->p_vaddr + s->p_filesz &&
            !read_image(&image, s->p_offset + (table - s->p_vaddr), word, sizeof word))
            return false;
    }
    return word[0] == WHERE_VERSION && word[1] == sizeof(struct where_table);
}

/* Whether this library lies there, by its file's name: libmpi_abi.so.1, or a link to it. */
static bool is_library(const char *path)
{
    const char *name = strrchr(path, '/');

    return name && strncmp(name, "/libmpi", 7) == 0;
}

/* The next mapping of the begin of this library; false: there is none. path: of its file. */
static bool next_library(FILE *maps, uint64_t *begin, char *path, size_t room)
{
    char line[PAGE + 128];

    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long first, last, offset;
        char rights[8];
        int name = 0;

        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &first, &last, rights, &offset, &name) < 4 || !name ||
            offset != 0 || !is_library(line + name))
            continue;
        *begin = first;
        snprintf(path, room, "%s", line + name);
        return true;
    }
    return false;
}

static FILE *open_maps(const struct traced *t)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/maps", (int)t->pid);
    return fopen(path, "re");
}

/* The address of the table in the process. *maps: whether its mappings could be read. */
static uint64_t find_table(const struct traced *t, bool *library, bool *maps)
{
    FILE *f = open_maps(t);
    uint64_t table = 0, begin;
    char path[PAGE];

    *maps = f != NULL;
    while (!table && next_library(f, &begin, path, sizeof path)) {
        *library = true;
        table = find_in_file(t, begin);
    }
    if (f)
        fclose(f);
    return table;
}

/* Whether a library of the process is of this version, by its file. */
static bool has_our_library(const struct traced *t)
{
    FILE *f = open_maps(t);
    char path[PAGE], seen[PAGE + 64];
    bool is_found = false;
    uint64_t begin;

    while (!is_found && next_library(f, &begin, path, sizeof path)) {
        int fd;

        snprintf(seen, sizeof seen, "/proc/%d/root%s", (int)t->pid, path);
        fd = open(seen, O_RDONLY | O_CLOEXEC);
        is_found = fd >= 0 && has_our_version(fd);
        if (fd >= 0)
            close(fd);
    }
    if (f)
        fclose(f);
    return is_found;
}

/* The value of a variable in the environment that the process was started with; "" without it. */
static void find_variable(const char *environment, size_t bytes, const char *name, char *to, size_t room)
{
    size_t length = strlen(name);

    *to = 0;
    for (const char *v = environment; v < environment + bytes; v += strlen(v) + 1)
        if (strncmp(v, name, length) == 0 && v[length] == '=')
            snprintf(to, room, "%s", v + length + 1);
}

void traced_variable(pid_t pid, const char *name, char *to, size_t room)
{
    static char environment[1 << 20];

    find_variable(environment, read_proc_file(pid, "environ", environment, sizeof environment), name, to,
                  room);
}

/* Of a process that has not called MPI_Init: Inkling's mpiexec says it in the environment. */
static void read_launch_environment(struct traced *t)
{
    char number[32];

    traced_variable(t->pid, "INKLING_JOB_NAME", t->job, sizeof t->job);
    traced_variable(t->pid, "INKLING_JOB_RANK", number, sizeof number);
    t->rank = atoi(number);
    traced_variable(t->pid, "INKLING_JOB_SIZE", number, sizeof number);
    t->size = atoi(number);
}

/* What the library has found out when it was started. */
static void read_boot(struct traced *t)
{
    uint64_t boot = (uint64_t)(uintptr_t)t->table.boot, job = 0;

    t->is_open = traced_read_same(t, boot + t->table.of_boot.size, &t->size, sizeof t->size) && t->size > 0 &&
                 traced_read_same(t, boot + t->table.of_boot.rank, &t->rank, sizeof t->rank) &&
                 traced_read_same(t, boot + t->table.of_boot.job, &job, sizeof job) && job;
    if (t->is_open)
        traced_text(t, job, t->job, sizeof t->job);
    else
        read_launch_environment(t);
}

static void read_command(struct traced *t)
{
    size_t bytes = read_proc_file(t->pid, "cmdline", t->command, sizeof t->command);

    for (size_t i = 0; i + 1 < bytes; i++)
        if ((unsigned char)t->command[i] < ' ')
            t->command[i] = ' ';
    read_proc_file(t->pid, "comm", t->program, sizeof t->program);
    t->program[strcspn(t->program, "\n")] = 0;
}

static bool belongs_to_user(pid_t pid)
{
    struct stat file;
    char path[32];

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return stat(path, &file) == 0 && file.st_uid == geteuid();
}

/* False: it has another version. */
static bool read_table(struct traced *t, uint64_t table)
{
    if (!traced_read(t, table, &t->table, sizeof t->table) || t->table.version != WHERE_VERSION ||
        t->table.size != sizeof t->table)
        return false;
    read_boot(t);
    return true;
}

bool traced_ask(struct traced *t)
{
    bool library, maps;
    uint64_t table;

    if (!has_our_library(t) || !asked_begin(t->pid))
        return false;
    t->is_told = true;
    table = find_table(t, &library, &maps);
    t->is_told = table && read_table(t, table) && t->is_open; /* before MPI_Init nothing answers */
    return t->is_told;
}

static enum traced_find traced_describe(struct traced *t)
{
    traced_variable(t->pid, "INKLING_JOB_HOSTS", t->launch, sizeof t->launch);
    t->launch[strcspn(t->launch, " ")] = 0;
    read_command(t);
    return TRACED_FOUND;
}

/* Which job it is in is known from mpiexec, or it says so. */
static enum traced_find traced_find_refused(struct traced *t)
{
    t->is_refused = true;
    read_launch_environment(t);
    if ((!*t->job || t->size < 1) && !traced_ask(t))
        return TRACED_REFUSED;
    return traced_describe(t);
}

enum traced_find traced_find(pid_t pid, struct traced *t)
{
    bool library = false, maps;
    uint64_t table;

    *t = (struct traced){.pid = pid};
    if (!read_stat(t) || t->state == 'Z')
        return TRACED_NONE;
    t->is_own = belongs_to_user(pid);
    table = find_table(t, &library, &maps);
    if (!maps)
        return TRACED_REFUSED;
    if (!library)
        return TRACED_NONE;
    errno = 0;
    if (!table)
        return traced_word(t, 0) == 0 && errno == EPERM ? traced_find_refused(t) : TRACED_OTHER;
    return read_table(t, table) ? traced_describe(t) : TRACED_OTHER;
}

uint64_t traced_ticks(pid_t pid)
{
    char text[1024];
    const char *fields = stat_fields(pid, "stat", text, sizeof text);
    unsigned long long program = 0, system = 0;

    if (!fields ||
        sscanf(fields, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &program, &system) < 2)
        return 0;
    return program + system;
}
