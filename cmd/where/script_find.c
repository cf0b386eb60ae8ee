/* Finds CPython's debug offsets in a process, and the states of its threads. */
#include "cmd/where/script.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KNOWN_MAJOR = 3,
    KNOWN_MINOR = 13,
    SECTIONS_MOST = 256,
    NAMES_MOST = 1 << 14,
    SEGMENTS_MOST = 64,
    INTERPRETERS_MOST = 64,
    THREADS_MOST = 4096,
    TRIES = 3 /* threads begin and end while their list is read */
};

/* The begin of struct _Py_DebugOffsets of CPython 3.13, whose names these are. */
struct debug_offsets {
    char cookie[8];
    uint64_t version, free_threaded;
    struct {
        uint64_t size, finalizing, interpreters_head;
    } runtime_state;
    struct {
        uint64_t size, id, next, threads_head, gc, imports_modules, sysdict, builtins, ceval_gil,
            gil_runtime_state, gil_runtime_state_enabled, gil_runtime_state_locked, gil_runtime_state_holder;
    } interpreter_state;
    struct {
        uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id, datastack_chunk,
            status;
    } thread_state;
    struct {
        uint64_t size, previous, executable, instr_ptr, localsplus, owner;
    } interpreter_frame;
    struct {
        uint64_t size, filename, name, qualname, linetable, firstlineno, argcount, localsplusnames,
            localspluskinds, co_code_adaptive;
    } code_object;
    struct {
        uint64_t size, ob_type;
    } pyobject;
    struct {
        uint64_t size, tp_name, tp_repr, tp_flags;
    } type_object;
    struct {
        uint64_t size, ob_item, ob_size;
    } tuple_object, list_object;
    struct {
        uint64_t size, ma_keys, ma_values;
    } dict_object;
    struct {
        uint64_t size, ob_fval;
    } float_object;
    struct {
        uint64_t size, lv_tag, ob_digit;
    } long_object;
    struct {
        uint64_t size, ob_size, ob_sval;
    } bytes_object;
    struct {
        uint64_t size, state, length, asciiobject_size;
    } unicode_object;
};

static bool read_of_file(int fd, uint64_t at, void *to, size_t bytes)
{
    return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Where the file's first byte lies, by its own addresses. */
static bool find_first_byte(int fd, const Elf64_Ehdr *head, uint64_t *base)
{
    Elf64_Phdr segment[SEGMENTS_MOST];

    if (head->e_phnum > SEGMENTS_MOST ||
        !read_of_file(fd, head->e_phoff, segment, head->e_phnum * sizeof *segment))
        return false;
    for (int i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_offset == 0) {
            *base = segment[i].p_vaddr;
            return true;
        }
    return false;
}

/* How far the section .PyRuntime lies behind the file's first byte; 0: there is none. */
static uint64_t find_runtime(int fd)
{
    static const char wanted[] = ".PyRuntime";
    Elf64_Shdr section[SECTIONS_MOST];
    char names[NAMES_MOST];
    Elf64_Ehdr head;
    uint64_t base;
    size_t bytes;

    if (!read_of_file(fd, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shnum > SECTIONS_MOST ||
        head.e_shstrndx >= head.e_shnum ||
        !read_of_file(fd, head.e_shoff, section, head.e_shnum * sizeof *section) ||
        !find_first_byte(fd, &head, &base))
        return 0;
    bytes = section[head.e_shstrndx].sh_size;
    if (bytes > sizeof names || !read_of_file(fd, section[head.e_shstrndx].sh_offset, names, bytes))
        return 0;
    for (int i = 0; i < head.e_shnum; i++)
        if (section[i].sh_name + sizeof wanted <= bytes &&
            memcmp(names + section[i].sh_name, wanted, sizeof wanted) == 0)
            return section[i].sh_addr - base;
    return 0;
}

static void say_absence(struct script_python *p, const char *name)
{
    snprintf(p->lacks, sizeof p->lacks, "%.60s has no debug offsets, which begin with CPython 3.13", name);
}

/* Whether the offsets lie where they are said to be, for a reader that trusts nobody. */
static bool is_plausible(const struct script_offsets *at)
{
    const struct {
        uint64_t offset, size, most;
    } all[] = {{at->runtime.interpreters, at->runtime.size, 1 << 24},
               {at->interpreter.next, at->interpreter.size, 1 << 24},
               {at->interpreter.threads, at->interpreter.size, 1 << 24},
               {at->thread.next, at->thread.size, 1 << 16},
               {at->thread.frame, at->thread.size, 1 << 16},
               {at->thread.native, at->thread.size, 1 << 16},
               {at->frame.previous, at->frame.size, 256},
               {at->frame.code, at->frame.size, 256},
               {at->frame.instruction, at->frame.size, 256},
               {at->frame.owner, at->frame.size + 7, 256},
               {at->code.file, at->code.size, 512},
               {at->code.function, at->code.size, 512},
               {at->code.lines, at->code.size, 512},
               {at->code.first_line, at->code.size, 512},
               {at->code.instructions, at->code.size + 8, 512},
               {at->bytes.count, at->bytes.size, 256},
               {at->text.state, at->text.size, 256},
               {at->text.length, at->text.size, 256},
               {at->text.ascii_size, 256, 256}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].size > all[i].most || all[i].offset + sizeof(uint64_t) > all[i].size)
            return false;
    return at->bytes.data <= at->bytes.size;
}

static void take_offsets(struct script_offsets *at, const struct debug_offsets *d)
{
    *at = (struct script_offsets){
        .runtime = {d->runtime_state.size, d->runtime_state.interpreters_head},
        .interpreter = {d->interpreter_state.size, d->interpreter_state.next,
                        d->interpreter_state.threads_head},
        .thread = {d->thread_state.size, d->thread_state.next, d->thread_state.current_frame,
                   d->thread_state.native_thread_id},
        .frame = {d->interpreter_frame.size, d->interpreter_frame.previous, d->interpreter_frame.executable,
                  d->interpreter_frame.instr_ptr, d->interpreter_frame.owner},
        .code = {d->code_object.size, d->code_object.filename, d->code_object.qualname,
                 d->code_object.linetable, d->code_object.firstlineno, d->code_object.co_code_adaptive},
        .bytes = {d->bytes_object.size, d->bytes_object.ob_size, d->bytes_object.ob_sval},
        .text = {d->unicode_object.size, d->unicode_object.state, d->unicode_object.length,
                 d->unicode_object.asciiobject_size}};
}

/* What lies at _PyRuntime of the file of this name. */
static void read_offsets(const struct traced *t, struct script_python *p, const char *name, uint64_t runtime)
{
    struct debug_offsets d;
    unsigned major, minor;

    if (!traced_read_same(t, runtime, &d, sizeof d) || memcmp(d.cookie, "xdebugpy", sizeof d.cookie) != 0) {
        say_absence(p, name);
        return;
    }
    major = (unsigned)(d.version >> 24) & 0xff;
    minor = (unsigned)(d.version >> 16) & 0xff;
    take_offsets(&p->at, &d);
    if (major != KNOWN_MAJOR || minor != KNOWN_MINOR)
        snprintf(p->lacks, sizeof p->lacks,
                 "only the debug offsets of Python %d.%d are known, and not those of %u.%u", KNOWN_MAJOR,
                 KNOWN_MINOR, major, minor);
    else if (!is_plausible(&p->at))
        snprintf(p->lacks, sizeof p->lacks, "the debug offsets of Python make no sense");
    else
        p->runtime = runtime;
}

/* Looks for Python in a file that is mapped at `base`. */
static void look_in_file(const struct traced *t, struct script_python *p, const char *file, const char *name,
                         uint64_t base)
{
    bool is_named = strncmp(name, "python3", 7) == 0 || strncmp(name, "libpython3", 10) == 0;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    uint64_t section = fd >= 0 ? find_runtime(fd) : 0;

    if (fd >= 0)
        close(fd);
    p->is_here = section || is_named;
    if (section)
        read_offsets(t, p, name, base + section);
    else if (is_named)
        say_absence(p, name);
}

/* Python is the program's own file, or a library of its name. */
static void look_at_mapping(const struct traced *t, struct script_python *p, const char *program, char *line)
{
    unsigned long begin, end, offset;
    int at = 0;
    char file[4200], rights[8];

    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &begin, &end, rights, &offset, &at) < 4 || !at ||
        offset != 0 || line[at] != '/')
        return;
    if (strcmp(line + at, program) == 0)
        snprintf(file, sizeof file, "/proc/%d/exe", (int)t->pid);
    else if (strncmp(traced_base_name(line + at), "libpython3", 10) == 0)
        snprintf(file, sizeof file, "/proc/%d/root%s", (int)t->pid, line + at);
    else
        return;
    look_in_file(t, p, file, traced_base_name(line + at), begin);
}

void script_find(const struct traced *t, struct script_python *p)
{
    char path[64], program[4096], line[4096 + 128];
    ssize_t n;
    FILE *f;

    *p = (struct script_python){.is_here = false};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)t->pid);
    n = readlink(path, program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)t->pid);
    f = fopen(path, "re");
    while (f && !p->runtime && fgets(line, sizeof line, f))
        look_at_mapping(t, p, program, line);
    if (f)
        fclose(f);
    if (p->runtime)
        *p->lacks = 0;
}

/* A thread of an interpreter. */
static uint64_t find_in_interpreter(const struct traced *t, const struct script_python *p,
                                    uint64_t interpreter, uint64_t native)
{
    uint64_t thread = traced_word(t, interpreter + p->at.interpreter.threads);

    for (int i = 0; thread && i < THREADS_MOST; i++) {
        if (traced_word(t, thread + p->at.thread.native) == native)
            return thread;
        thread = traced_word(t, thread + p->at.thread.next);
    }
    return 0;
}

static uint64_t find_state(const struct traced *t, const struct script_python *p, uint64_t native)
{
    uint64_t interpreter = traced_word(t, p->runtime + p->at.runtime.interpreters), found = 0;

    for (int i = 0; interpreter && !found && i < INTERPRETERS_MOST; i++) {
        found = find_in_interpreter(t, p, interpreter, native);
        interpreter = traced_word(t, interpreter + p->at.interpreter.next);
    }
    return found;
}

struct script_thread script_find_thread(const struct traced *t, const struct script_python *p, pid_t tid)
{
    struct script_thread thread = {.native = (uint64_t)traced_inner_number(t->pid, tid)};

    for (int i = 0; p->runtime && !thread.state && i < TRIES; i++)
        thread.state = find_state(t, p, thread.native);
    if (thread.state)
        thread.python = p;
    return thread;
}
