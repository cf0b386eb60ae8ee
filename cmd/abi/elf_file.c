#include "cmd/abi/elf_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* This program's own, which the linker places. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

/* So many bytes at an offset; NULL: the file has not that many. */
static const void *elf_at(const struct elf_file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

/* A text that ends within the file. */
static const char *text_at(const struct elf_file *f, uint64_t offset)
{
    return offset < f->size && memchr(f->bytes + offset, 0, f->size - offset)
               ? (const char *)f->bytes + offset
               : NULL;
}

static const Elf64_Ehdr *header(const struct elf_file *f)
{
    return (const Elf64_Ehdr *)f->bytes;
}

/* The next header of a segment of this type from *i on; NULL: there is none. */
static const Elf64_Phdr *next_segment(const struct elf_file *f, Elf64_Word type, int *i)
{
    for (; *i < header(f)->e_phnum; (*i)++) {
        const Elf64_Phdr *p = elf_at(f, header(f)->e_phoff + (uint64_t)*i * sizeof *p, sizeof *p);

        if (p && p->p_type == type) {
            (*i)++;
            return p;
        }
    }
    return NULL;
}

static const Elf64_Phdr *segment(const struct elf_file *f, Elf64_Word type)
{
    int i = 0;

    return next_segment(f, type, &i);
}

/* Where in the file an address of memory is; beyond its end: nowhere. */
static uint64_t file_offset(const struct elf_file *f, uint64_t address)
{
    const Elf64_Phdr *p;
    int i = 0;

    while ((p = next_segment(f, PT_LOAD, &i)))
        if (address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz)
            return p->p_offset + (address - p->p_vaddr);
    return f->size;
}

/* The value of a tag of the dynamic section; 0: it has none. With `each`, the one after that many of the same tag. */
static uint64_t dynamic_value(const struct elf_file *f, Elf64_Sxword tag, int each)
{
    const Elf64_Phdr *p = segment(f, PT_DYNAMIC);
    uint64_t count = p ? p->p_filesz / sizeof(Elf64_Dyn) : 0;

    for (uint64_t i = 0; i < count; i++) {
        const Elf64_Dyn *d = elf_at(f, p->p_offset + i * sizeof *d, sizeof *d);

        if (!d || d->d_tag == DT_NULL)
            return 0;
        if (d->d_tag == tag && each-- == 0)
            return d->d_un.d_val;
    }
    return 0;
}

static const char *dynamic_text(const struct elf_file *f, uint64_t offset)
{
    return text_at(f, file_offset(f, dynamic_value(f, DT_STRTAB, 0)) + offset);
}

static const char *dynamic_text_of(const struct elf_file *f, Elf64_Sxword tag)
{
    uint64_t offset = dynamic_value(f, tag, 0);

    return offset ? dynamic_text(f, offset) : NULL;
}

static void read_dynamic(struct elf_file *f)
{
    const Elf64_Phdr *interpreter = segment(f, PT_INTERP);
    uint64_t offset;

    f->interpreter = interpreter ? text_at(f, interpreter->p_offset) : NULL;
    f->is_dynamic = segment(f, PT_DYNAMIC) != NULL;
    f->rpath = dynamic_text_of(f, DT_RPATH);
    f->runpath = dynamic_text_of(f, DT_RUNPATH);
    for (int i = 0; (offset = dynamic_value(f, DT_NEEDED, i)); i++) {
        const char *name = dynamic_text(f, offset);

        if (name)
            words_add(&f->needed, (char *)name);
    }
}

static bool is_for_this_machine(const struct elf_file *f)
{
    const Elf64_Ehdr *h = header(f);

    return f->size >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
           h->e_machine == __ehdr_start.e_machine && (h->e_type == ET_EXEC || h->e_type == ET_DYN) &&
           h->e_phentsize == sizeof(Elf64_Phdr);
}

bool elf_file_open(const char *path, struct elf_file *file)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    void *bytes = MAP_FAILED;

    *file = (struct elf_file){0};
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    file->bytes = bytes;
    file->size = (size_t)info.st_size;
    if (is_for_this_machine(file)) {
        read_dynamic(file);
        return true;
    }
    elf_file_close(file);
    return false;
}

void elf_file_close(struct elf_file *file)
{
    if (file->bytes)
        munmap((void *)file->bytes, file->size);
    *file = (struct elf_file){0};
}

static const Elf64_Shdr *section(const struct elf_file *f, uint64_t i)
{
    return header(f)->e_shentsize == sizeof(Elf64_Shdr) && i < header(f)->e_shnum
               ? elf_at(f, header(f)->e_shoff + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr))
               : NULL;
}

static const Elf64_Shdr *find_section(const struct elf_file *f, Elf64_Word type)
{
    const Elf64_Shdr *s;

    for (uint64_t i = 0; (s = section(f, i)); i++)
        if (s->sh_type == type)
            return s;
    return NULL;
}

/* The symbol of this number of a section; NULL: there are no more. *name: "" if it is broken. */
static const Elf64_Sym *symbol_of(const struct elf_file *f, const Elf64_Shdr *table, uint64_t i,
                                  const char **name)
{
    const Elf64_Shdr *texts = table ? section(f, table->sh_link) : NULL;
    const Elf64_Sym *symbol = texts && i < table->sh_size / sizeof *symbol
                                  ? elf_at(f, table->sh_offset + i * sizeof *symbol, sizeof *symbol)
                                  : NULL;

    *name = symbol ? text_at(f, texts->sh_offset + symbol->st_name) : NULL;
    if (!*name)
        *name = "";
    return symbol;
}

/* Whether foreign/ has the symbol only to say that it is not supported. */
static bool is_in_unsupported(const struct elf_file *f, const Elf64_Sym *symbol)
{
    static const char beginning[] = "inkling_unsupported";
    const Elf64_Shdr *names = section(f, header(f)->e_shstrndx), *own = section(f, symbol->st_shndx);
    const char *name = names && own ? text_at(f, names->sh_offset + own->sh_name) : NULL;

    return name && strncmp(name, beginning, sizeof beginning - 1) == 0;
}

static bool is_symbol_listed(const struct elf_file *f, const Elf64_Sym *symbol, enum elf_what what)
{
    bool is_defined = symbol->st_shndx != SHN_UNDEF;

    if (what == ELF_UNDEFINED)
        return !is_defined && ELF64_ST_BIND(symbol->st_info) != STB_WEAK;
    return is_defined && (what == ELF_DEFINED || is_in_unsupported(f, symbol));
}

void elf_file_list(const struct elf_file *file, enum elf_what what, struct words *names)
{
    const Elf64_Shdr *table = find_section(file, SHT_DYNSYM);
    const Elf64_Sym *symbol;
    const char *name;

    for (uint64_t i = 1; (symbol = symbol_of(file, table, i, &name)); i++)
        if (*name && is_symbol_listed(file, symbol, what))
            words_add(names, (char *)name);
}

bool elf_file_contains(const struct elf_file *file, const char *name)
{
    const Elf64_Shdr *table = find_section(file, SHT_SYMTAB);
    const Elf64_Sym *symbol;
    const char *found;

    for (uint64_t i = 1; (symbol = symbol_of(file, table, i, &found)); i++)
        if (symbol->st_shndx != SHN_UNDEF && strcmp(found, name) == 0)
            return true;
    return false;
}

/* The names that one entry of the needed versions has. */
static void list_versions(const struct elf_file *f, const Elf64_Verneed *need, uint64_t at,
                          struct words *versions)
{
    at += need->vn_aux;
    for (int i = 0; i < need->vn_cnt; i++) {
        const Elf64_Vernaux *aux = elf_at(f, at, sizeof *aux);
        const char *name = aux ? dynamic_text(f, aux->vna_name) : NULL;

        if (!name)
            return;
        words_add(versions, (char *)name);
        at += aux->vna_next;
    }
}

void elf_file_needed_versions(const struct elf_file *file, const char *library, struct words *versions)
{
    uint64_t count = dynamic_value(file, DT_VERNEEDNUM, 0),
             at = file_offset(file, dynamic_value(file, DT_VERNEED, 0));

    for (uint64_t i = 0; i < count; i++) {
        const Elf64_Verneed *need = elf_at(file, at, sizeof *need);
        const char *name = need ? dynamic_text(file, need->vn_file) : NULL;

        if (!name)
            return;
        if (strcmp(name, library) == 0)
            list_versions(file, need, at, versions);
        at += need->vn_next;
    }
}

void elf_file_own_versions(const struct elf_file *file, struct words *versions)
{
    uint64_t count = dynamic_value(file, DT_VERDEFNUM, 0),
             at = file_offset(file, dynamic_value(file, DT_VERDEF, 0));

    for (uint64_t i = 0; i < count; i++) {
        const Elf64_Verdef *own = elf_at(file, at, sizeof *own);
        const Elf64_Verdaux *aux = own ? elf_at(file, at + own->vd_aux, sizeof *aux) : NULL;
        const char *name = aux ? dynamic_text(file, aux->vda_name) : NULL;

        if (!name)
            return;
        words_add(versions, (char *)name);
        at += own->vd_next;
    }
}

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

void elf_closure_add(struct closure *c, const char *program, bool (*is_leaf)(const char *name))
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
