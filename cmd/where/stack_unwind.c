/* Follows calls with libdw of elfutils, on copies of stacks. */
#include "cmd/where/stack.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PLACES = 256 /* that are kept: ranks are at few different ones */
};

/* What is used of libdw. */
static struct {
    __typeof__(dwfl_begin) *begin;
    __typeof__(dwfl_end) *end;
    __typeof__(dwfl_linux_proc_report) *report;
    __typeof__(dwfl_report_end) *report_end;
    __typeof__(dwfl_linux_proc_find_elf) *find_elf;
    __typeof__(dwfl_standard_find_debuginfo) *find_debuginfo;
    __typeof__(dwfl_attach_state) *attach;
    __typeof__(dwfl_thread_state_registers) *set_registers;
    __typeof__(dwfl_thread_state_register_pc) *set_pc;
    __typeof__(dwfl_getthread_frames) *frames;
    __typeof__(dwfl_frame_pc) *pc;
    __typeof__(dwfl_addrmodule) *module;
    __typeof__(dwfl_module_info) *module_info;
    __typeof__(dwfl_module_addrinfo) *symbol;
    __typeof__(dwfl_module_getsrc) *line;
    __typeof__(dwfl_lineinfo) *line_info;
    __typeof__(dwfl_thread_dwfl) *dwfl_of;
    __typeof__(dwfl_frame_thread) *thread_of;
} dw;

/* The process that is looked at, and its thread. */
static struct {
    Dwfl *dwfl;
    const struct traced *traced;
    pid_t tid;
    const struct stack_copy *copy;
    bool is_attached;
    char program[512]; /* the path of its own file */
} seen;

/* What addresses of files mean, the same in all processes. */
static struct place {
    char path[256];
    uint64_t offset;
    struct call_frame frame;
} place[PLACES];
static int places;

static bool load_all(void *libdw)
{
    const struct {
        const char *name;
        void *at;
    } wanted[] = {
        {"dwfl_begin", &dw.begin},
        {"dwfl_end", &dw.end},
        {"dwfl_linux_proc_report", &dw.report},
        {"dwfl_report_end", &dw.report_end},
        {"dwfl_linux_proc_find_elf", &dw.find_elf},
        {"dwfl_standard_find_debuginfo", &dw.find_debuginfo},
        {"dwfl_attach_state", &dw.attach},
        {"dwfl_thread_state_registers", &dw.set_registers},
        {"dwfl_thread_state_register_pc", &dw.set_pc},
        {"dwfl_getthread_frames", &dw.frames},
        {"dwfl_frame_pc", &dw.pc},
        {"dwfl_addrmodule", &dw.module},
        {"dwfl_module_info", &dw.module_info},
        {"dwfl_module_addrinfo", &dw.symbol},
        {"dwfl_module_getsrc", &dw.line},
        {"dwfl_lineinfo", &dw.line_info},
        {"dwfl_thread_dwfl", &dw.dwfl_of},
        {"dwfl_frame_thread", &dw.thread_of},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(libdw, wanted[i].name);

        if (!symbol)
            return false;
        memcpy(wanted[i].at, &symbol, sizeof symbol);
    }
    return true;
}

const char *stack_absence(void)
{
    static enum {
        UNTRIED,
        LOADED,
        ABSENT
    } state;

    if (state == UNTRIED) {
        void *libdw = dlopen("libdw.so.1", RTLD_NOW);

        state = libdw && load_all(libdw) ? LOADED : ABSENT;
        unsetenv("DEBUGINFOD_URLS"); /* nothing is asked of a server */
    }
    return state == LOADED ? NULL : "libdw.so.1 of elfutils is not installed (apt install libdw1)";
}

/* Files as the process sees them, which may be in a container. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base, char **file_name,
                    Elf **elf)
{
    char path[600];
    int fd = -1;

    if (*name == '/') {
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)seen.traced->pid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (fd < 0)
        return dw.find_elf(mod, userdata, name, base, file_name, elf);
    *file_name = strdup(path);
    return fd;
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
                          const char *file_name, const char *link, GElf_Word crc, char **debuginfo)
{
    return dw.find_debuginfo(mod, userdata, name, base, file_name, link, crc, debuginfo);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
    bool is_first = !*thread_arg;

    (void)dwfl;
    *thread_arg = arg;
    return is_first ? seen.tid : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
    (void)dwfl;
    *thread_arg = arg;
    return tid == seen.tid;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
    const struct stack_copy *copy = seen.copy;

    (void)dwfl;
    (void)arg;
    if (address < copy->sp || address + sizeof *result > copy->sp + copy->bytes)
        return traced_read_same(seen.traced, address, result, sizeof *result);
    memcpy(result, copy->stack + (address - copy->sp), sizeof *result);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
    const struct stack_copy *copy = seen.copy;
    unsigned count = sizeof(void *) == 8 ? 17 : 0;

    (void)arg;
#if defined(__aarch64__) || defined(__riscv)
    count = 32;
#endif
    if (!dw.set_registers(thread, 0, count, copy->register_of))
        return false;
    dw.set_pc(thread, copy->pc);
    return true;
}

static const Dwfl_Callbacks finders = {.find_elf = find_elf, .find_debuginfo = find_debuginfo};
static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
                                                       .get_thread = get_thread,
                                                       .memory_read = read_memory,
                                                       .set_initial_registers = set_registers};

bool stack_open(const struct traced *t)
{
    char link[64];
    ssize_t n;

    if (stack_absence())
        return false;
    seen.traced = t;
    seen.is_attached = false;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)t->pid);
    n = readlink(link, seen.program, sizeof seen.program - 1);
    seen.program[n > 0 ? n : 0] = 0;
    seen.dwfl = dw.begin(&finders);
    if (seen.dwfl && dw.report(seen.dwfl, t->pid) == 0 && dw.report_end(seen.dwfl, NULL, NULL) == 0)
        return true;
    stack_close();
    return false;
}

void stack_close(void)
{
    if (seen.dwfl)
        dw.end(seen.dwfl);
    seen.dwfl = NULL;
}

static bool name_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Names as people write them: without what the compiler adds to a part of a function. */
static void set_function(struct call_frame *f, const char *name, uint64_t offset)
{
    if (!name)
        return;
    snprintf(f->function, sizeof f->function, "%s", name);
    f->function[1 + strcspn(f->function + 1, ".@")] = 0;
    if (!f->line && !f->is_library) {
        size_t used = strlen(f->function);

        snprintf(f->function + used, sizeof f->function - used, "+0x%llx", (unsigned long long)offset);
    }
}

static void describe_address(Dwfl_Module *mod, const char *path, uint64_t look, struct call_frame *f)
{
    Dwfl_Line *line = dw.line(mod, look);
    const char *name, *file = NULL;
    GElf_Sym symbol;
    GElf_Off offset = 0;
    int number = 0;

    snprintf(f->module, sizeof f->module, "%s", traced_base_name(path));
    f->is_library = name_begins(f->module, "libmpi") || name_begins(f->module, "libinkling");
    f->is_python = name_begins(f->module, "python3") || name_begins(f->module, "libpython3");
    f->is_program = strcmp(path, seen.program) == 0;
    f->is_system = name_begins(f->module, "libc.") || name_begins(f->module, "libc-") ||
                   name_begins(f->module, "ld-") || name_begins(f->module, "libpthread") ||
                   name_begins(f->module, "[vdso]");
    if (line)
        file = dw.line_info(line, NULL, &number, NULL, NULL, NULL);
    if (file && number > 0) {
        snprintf(f->file, sizeof f->file, "%s", traced_base_name(file));
        f->line = number;
    }
    name = dw.symbol(mod, look, &offset, &symbol, NULL, NULL, NULL);
    set_function(f, name, offset);
}

/* The same address of the same file means the same in all processes. */
static void describe_once(Dwfl_Module *mod, uint64_t look, struct call_frame *f)
{
    Dwarf_Addr begin = 0;
    const char *path = dw.module_info(mod, NULL, &begin, NULL, NULL, NULL, NULL, NULL);
    struct place *p;

    if (!path)
        return;
    for (p = place; p < place + places; p++)
        if (p->offset == look - begin && strcmp(p->path, path) == 0)
            break;
    if (p == place + PLACES)
        p = &place[places = 0];
    if (p == place + places) {
        *p = (struct place){.offset = look - begin, .frame.offset = look - begin};
        snprintf(p->path, sizeof p->path, "%s", path);
        describe_address(mod, path, look, &p->frame);
        places++;
    }
    *f = p->frame;
}

struct unwinding {
    struct call_frame *frame;
    int count;
};

static int take_frame(Dwfl_Frame *state, void *arg)
{
    struct unwinding *walk = arg;
    struct call_frame *f = &walk->frame[walk->count];
    bool is_exact;
    Dwarf_Addr pc, look;
    Dwfl_Module *mod;

    if (!dw.pc(state, &pc, &is_exact))
        return DWARF_CB_ABORT;
    look = is_exact ? pc : pc - 1; /* of a return address: the call before it */
    *f = (struct call_frame){0};
    mod = dw.module(seen.dwfl, look);
    if (mod)
        describe_once(mod, look, f);
    walk->count++;
    return walk->count == STACK_FRAMES ? DWARF_CB_ABORT : DWARF_CB_OK;
}

bool stack_describe(uint64_t address, struct call_frame *frame)
{
    Dwfl_Module *mod = seen.dwfl && address ? dw.module(seen.dwfl, address - 1) : NULL;

    *frame = (struct call_frame){0};
    if (mod)
        describe_once(mod, address - 1, frame);
    return mod != NULL;
}

int stack_unwind(const struct traced *t, pid_t tid, const struct stack_copy *copy, struct call_frame *frame)
{
    struct unwinding walk = {.frame = frame};

    seen.traced = t;
    seen.tid = tid;
    seen.copy = copy;
    if (!seen.dwfl)
        return 0;
    if (!seen.is_attached)
        seen.is_attached = dw.attach(seen.dwfl, NULL, t->pid, &thread_callbacks, &seen);
    if (seen.is_attached)
        dw.frames(seen.dwfl, tid, take_frame, &walk);
    return walk.count;
}
