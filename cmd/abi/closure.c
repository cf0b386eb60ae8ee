#include "cmd/abi/closure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Libraries of the C library and the compilers, which need no MPI. */
static bool is_of_system(const char *name)
{
    static const char *const names[] = {
        "libc.so.",      "libm.so.", "libpthread.so.",  "libdl.so.",       "librt.so.",   "libgcc_s.so.",
        "libstdc++.so.", "ld-linux", "libgfortran.so.", "libquadmath.so.", "libgomp.so.", "libresolv.so."};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* folder/name if it is there. $ORIGIN in the folder is the folder of the library that names it. */
static char *try_folder(const char *folder, size_t length, const char *origin, const char *name)
{
    static const char *const words[] = {"${ORIGIN}", "$ORIGIN"};
    char *path = NULL;

    for (size_t i = 0; i < sizeof words / sizeof *words && !path; i++)
        if (strncmp(folder, words[i], strlen(words[i])) == 0) {
            const char *slash = strrchr(origin, '/');
            size_t cut = strlen(words[i]);

            path = words_format("%.*s%.*s/%s", slash ? (int)(slash - origin) : 1, slash ? origin : ".",
                                (int)(length - cut), folder + cut, name);
        }
    if (!path)
        path = words_format("%.*s/%s", (int)length, folder, name);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *closure_try_list(const char *list, const char *origin, const char *name)
{
    char *path = NULL;

    while (list && *list && !path) {
        size_t length = strcspn(list, ":;");

        if (length > 0)
            path = try_folder(list, length, origin, name);
        list += length + (list[length] != 0);
    }
    return path;
}

/* The cache of ldconfig: a header, entries, and the texts that they point to, by offsets from the header. */
struct cache_header {
    char magic[20];
    uint32_t count, texts_size;
    uint32_t unused[5];
};

struct cache_entry {
    int32_t flags;
    uint32_t name, path, system;
    uint64_t hardware;
};

static const char *cache;
static size_t cache_size;

/* The older format may be in front of this one. */
static void cache_open(void)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes = MAP_FAILED;

    cache = "";
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return;
    cache = memmem(bytes, (size_t)info.st_size, magic, sizeof magic - 1);
    cache_size = cache ? (size_t)info.st_size - (size_t)(cache - (const char *)bytes) : 0;
    if (!cache)
        cache = "";
}

/* Several libraries of one name are for other machines, or need hardware that may be absent: the file itself says. */
static char *cache_find(const char *name)
{
    struct cache_header head;

    if (!cache)
        cache_open();
    if (cache_size < sizeof head)
        return NULL;
    memcpy(&head, cache, sizeof head);
    for (uint32_t i = 0; i < head.count && sizeof head + (i + 1) * sizeof(struct cache_entry) <= cache_size;
         i++) {
        struct cache_entry entry;
        struct elf_file file;
        bool is_ours;

        memcpy(&entry, cache + sizeof head + i * sizeof entry, sizeof entry);
        if (entry.hardware || entry.name >= cache_size || entry.path >= cache_size ||
            strncmp(cache + entry.name, name, cache_size - entry.name) != 0 ||
            !memchr(cache + entry.path, 0, cache_size - entry.path))
            continue;
        is_ours = elf_file_open(cache + entry.path, &file);
        elf_file_close(&file);
        if (is_ours)
            return words_format("%s", cache + entry.path);
    }
    return NULL;
}

/* By the RPATHs of who needs it, of who needs that one, and so on, unless it has a RUNPATH. */
static char *find_by_rpath(const struct closure *c, int by, const char *name)
{
    char *path = NULL;

    for (int i = by; i >= 0 && !path && !c->part[by].file.runpath; i = c->part[i].needed_by)
        if (!c->part[i].file.runpath)
            path = closure_try_list(c->part[i].file.rpath, c->part[i].path, name);
    return path;
}

/* Where the loader looks by itself, on Debian's systems and on others. */
#if defined __aarch64__
#define TRIPLET "aarch64-linux-gnu"
#elif defined __riscv
#define TRIPLET "riscv64-linux-gnu"
#else
#define TRIPLET "x86_64-linux-gnu"
#endif
static const char default_folders[] = "/lib/" TRIPLET ":/usr/lib/" TRIPLET ":/lib64:/usr/lib64:/lib:/usr/lib";

static void closure_resolve(const struct closure *c, struct closure_part *part)
{
    const struct closure_part *by = &c->part[part->needed_by];

    if (strchr(part->name, '/')) {
        part->path = words_format("%s", part->name);
        return;
    }
    part->path = find_by_rpath(c, part->needed_by, part->name);
    part->is_by_rpath = part->path != NULL;
    if (!part->path)
        part->path = closure_try_list(c->path_variable, "", part->name);
    if (!part->path)
        part->path = closure_try_list(by->file.runpath, by->path, part->name);
    if (!part->path)
        part->path = cache_find(part->name);
    if (!part->path)
        part->path = closure_try_list(default_folders, "", part->name);
}

static struct closure_part *closure_grow(struct closure *c)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 32;
        c->part = words_grow(c->part, (size_t)c->room * sizeof *c->part);
    }
    c->part[c->count] = (struct closure_part){0};
    return &c->part[c->count++];
}

static bool closure_has(const struct closure *c, const char *name)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->part[i].name, name) == 0)
            return true;
    return false;
}

static void add_needed(struct closure *c, int by, bool (*is_leaf)(const char *name))
{
    for (int i = 0; i < c->part[by].file.needed.count; i++) {
        char *name = c->part[by].file.needed.word[i];
        struct closure_part *part;

        if (is_of_system(name) || closure_has(c, name))
            continue;
        part = closure_grow(c);
        part->name = name;
        part->needed_by = by;
        closure_resolve(c, part);
        if (part->path && !is_leaf(name))
            elf_file_open(part->path, &part->file);
    }
}

void closure_add(struct closure *c, const char *program, bool (*is_leaf)(const char *name))
{
    int first = c->count;
    struct closure_part *part = closure_grow(c);

    part->path = words_format("%s", program);
    part->name = part->path;
    part->needed_by = -1;
    if (!elf_file_open(program, &part->file))
        c->count--;
    for (int i = first; i < c->count; i++)
        add_needed(c, i, is_leaf);
}
