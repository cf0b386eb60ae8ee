#include "cmd/where/stack.h"

#include "net/net.h"
#include "net/shm/arena.h"
#include "net/shm/tell.h"
#include "plain/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT = 128,        /* processes whose memory stays mapped */
    WINDOWS = 32,      /* parts of memory that are kept until the next look */
    ANSWER_MS = 500,   /* a process that waits on a busy host answers later than one that polls */
    THREAD_MS = 500,   /* for one thread of a process that has answered */
    SILENT_MS = 1000,  /* how long a silent process is not asked again */
    WAKE_NS = 2000000, /* between two wakes of its threads */
    LOOKS = 200,       /* at the answer, before this process sleeps between two */
    WINDOW_ALIGN = 4096,
    PYTHON_TRIES = 4
};

/* A process, and its part of the memory that its job shares on this host. */
static struct teller {
    pid_t pid; /* 0: none */
    int fd;
    struct tell *tell;
    struct arena_head *head;
    struct lane_head *lane[NET_LANES]; /* NULL: not open, or not seen yet */
    uint64_t silent_until;             /* the clock; 0: it has answered */
} teller[KEPT];

/* Parts of memory as a process has read them: a question takes as long for many bytes as for a few. */
static struct window {
    pid_t pid; /* 0: none */
    uint64_t at;
    size_t bytes;
    unsigned char data[TELL_BYTES];
} window[WINDOWS];
static int windows; /* that have been filled; later ones take the place of the oldest */

static struct teller *find_teller(pid_t pid)
{
    struct teller *t = &teller[pid % KEPT];

    return t->pid == pid ? t : NULL;
}

static size_t teller_head_bytes(void)
{
    return sizeof(struct arena_head) + sizeof(struct lane_head);
}

static void teller_forget(struct teller *t)
{
    if (t->tell)
        munmap(t->tell, tell_size());
    if (t->head)
        munmap(t->head, teller_head_bytes());
    if (t->pid)
        close(t->fd);
    for (int lane = 1; lane < NET_LANES; lane++)
        if (t->lane[lane])
            munmap(t->lane[lane], sizeof(struct lane_head));
    *t = (struct teller){.pid = 0};
}

/* Where the arena that begins there says that its process is asked, if it is this one's; 0: it is not. */
static uint64_t read_arena(int fd, uint64_t arena, pid_t inner)
{
    struct arena_head head;

    if (pread(fd, &head, sizeof head, (off_t)arena) != (ssize_t)sizeof head ||
        atomic_load_explicit(&head.pid, memory_order_relaxed) != inner)
        return 0;
    return atomic_load_explicit(&head.tell, memory_order_relaxed);
}

/* The process has mapped its own arena. Returns where it is asked; 0: its arena is not in this file. */
static uint64_t teller_place(pid_t pid, int fd, const struct stat *file, uint64_t *arena)
{
    pid_t inner = traced_inner_number(pid, pid);
    char path[64], line[PATH_MAX + 128];
    uint64_t place = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    while (f && !place && fgets(line, sizeof line, f)) {
        unsigned long offset, inode;

        if (sscanf(line, "%*x-%*x %*s %lx %*s %lu", &offset, &inode) == 2 && inode == file->st_ino)
            place = read_arena(fd, *arena = offset, inner);
    }
    if (f)
        fclose(f);
    return place;
}

static void *map_at(int fd, uint64_t place, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place);

    return at == MAP_FAILED ? NULL : at;
}

/* Takes over a descriptor that may be of the memory of the process's job. */
static bool take_memory(struct teller *t, pid_t pid, int fd)
{
    struct stat file;
    uint64_t place, arena;

    *t = (struct teller){.pid = pid, .fd = fd};
    place = fstat(fd, &file) == 0 ? teller_place(pid, fd, &file, &arena) : 0;
    if (place && place + tell_size() <= (uint64_t)file.st_size) {
        t->tell = map_at(fd, place, tell_size());
        t->head = map_at(fd, arena, teller_head_bytes());
    }
    if (t->tell && t->head) {
        t->lane[0] = (struct lane_head *)(void *)(t->head + 1);
        return true;
    }
    teller_forget(t);
    return false;
}

/* Whether the link of /proc/PID/fd leads to a file without a name, as that memory is. */
static bool is_without_name(const char *path)
{
    char link[PATH_MAX];
    ssize_t n = readlink(path, link, sizeof link - 1);
    struct stat file;

    link[n > 0 ? n : 0] = 0;
    return *link == '/' && stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0;
}

static bool teller_find(struct teller *t, pid_t pid)
{
    char path[300];
    struct dirent *entry;
    bool is_found = false;
    DIR *d;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    d = opendir(path);
    while (d && !is_found && (entry = readdir(d)) != NULL) {
        int fd;

        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, entry->d_name);
        fd = isdigit((unsigned char)*entry->d_name) && is_without_name(path) ? open(path, O_RDWR | O_CLOEXEC)
                                                                             : -1;
        is_found = fd >= 0 && take_memory(t, pid, fd);
    }
    if (d)
        closedir(d);
    return is_found;
}

/* Lanes above 0 are opened when threads need them. */
static void find_lanes(struct teller *t)
{
    uint64_t place = atomic_load_explicit(&t->head->lane_place, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&t->head->lane_bytes, memory_order_relaxed);

    for (int lane = 1; place && lane < NET_LANES; lane++)
        if (!t->lane[lane])
            t->lane[lane] = map_at(t->fd, place + (uint64_t)(lane - 1) * bytes, sizeof(struct lane_head));
}

/* It polls on its own, or looks after the wake: the sleeper has read `bell` before it looks at `rung` (bell_prepare). */
static void wake(struct teller *t)
{
    find_lanes(t);
    /* seq_cst: after the question, and before the count that a sleeper compares */
    for (int lane = 0; lane < NET_LANES; lane++)
        if (t->lane[lane])
            atomic_fetch_or_explicit(&t->lane[lane]->rung, RUNG_ASKED, memory_order_seq_cst);
    atomic_fetch_add_explicit(&t->head->bell, 1, memory_order_seq_cst);
    syscall(SYS_futex, &t->head->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* acquire: pairs with the release in answer_asker (tell.c) */
static bool has_answer(const struct teller *t, uint32_t number)
{
    return atomic_load_explicit(&t->tell->answered, memory_order_acquire) == number;
}

/* False: there is no answer by then. */
static bool await_told(struct teller *t, uint32_t number, uint64_t until)
{
    const struct timespec moment = {0, 50 * 1000};
    uint64_t woken = 0, now;

    for (int looks = 0; !has_answer(t, number) && (now = clock_ns()) < until; looks++) {
        if (now - woken > WAKE_NS) {
            wake(t);
            woken = now;
        }
        if (looks >= LOOKS)
            nanosleep(&moment, NULL);
    }
    if (has_answer(t, number))
        return true;
    /* relaxed: nothing hangs on it; a thread that comes too late sees that nobody waits */
    for (int lane = 0; lane < NET_LANES; lane++)
        if (t->lane[lane])
            atomic_fetch_and_explicit(&t->lane[lane]->rung, ~(uint32_t)RUNG_ASKED, memory_order_relaxed);
    return false;
}

/* The lock is held. thread: as the process's own container counts; 0: any. */
static bool ask_teller(struct teller *t, int thread, uint64_t address, uint64_t bytes, uint64_t patience_ms)
{
    /* relaxed: under the lock; never the number of a question that somebody still answers */
    uint32_t number = atomic_load_explicit(&t->tell->asked, memory_order_relaxed) + 1;
    uint64_t until = clock_ns() + patience_ms * UINT64_C(1000000);

    t->tell->thread = thread;
    t->tell->address = address;
    t->tell->bytes = bytes;
    t->tell->until_ns = until;
    atomic_store_explicit(&t->tell->asked, number,
                          memory_order_release); /* pairs with the acquire in answer_asker (tell.c) */
    return await_told(t, number, until);
}

static bool is_silent(const struct teller *t)
{
    return clock_ns() < t->silent_until;
}

/* Asks for what lies from there on. One question at a time is asked on a host. False: no answer. */
static bool fill_window(struct teller *t, uint64_t address, struct window *w)
{
    bool is_told;

    w->pid = 0;
    if (is_silent(t) || flock(t->fd, LOCK_EX) < 0)
        return false;
    is_told = ask_teller(t, 0, address, TELL_BYTES, ANSWER_MS);
    if (is_told) {
        w->pid = t->pid;
        w->at = address;
        w->bytes = t->tell->got < TELL_BYTES ? t->tell->got : TELL_BYTES;
        memcpy(w->data, t->tell->data, w->bytes);
    } else {
        t->silent_until = clock_ns() + SILENT_MS * UINT64_C(1000000);
    }
    flock(t->fd, LOCK_UN);
    return is_told;
}

/* What has been read of this address, or is now; NULL: no answer. */
static const struct window *find_part(struct teller *t, uint64_t address)
{
    struct window *w;

    for (int i = 0; i < WINDOWS; i++)
        if (window[i].pid == t->pid && address - window[i].at < window[i].bytes)
            return &window[i];
    w = &window[windows++ % WINDOWS];
    return fill_window(t, address & ~(uint64_t)(WINDOW_ALIGN - 1), w) ? w : NULL;
}

void asked_renew(void)
{
    for (int i = 0; i < WINDOWS; i++)
        window[i].pid = 0;
}

size_t asked_read(pid_t pid, uint64_t address, void *to, size_t bytes)
{
    struct teller *t = find_teller(pid);
    size_t done = 0;

    while (t && address >= WINDOW_ALIGN && done < bytes) {
        const struct window *w = find_part(t, address + done);
        uint64_t from = w ? address + done - w->at : 0;
        size_t part = w && from < w->bytes ? w->bytes - from : 0;

        part = part < bytes - done ? part : bytes - done;
        if (!part)
            break;
        memcpy((char *)to + done, w->data + from, part);
        done += part;
    }
    return done;
}

bool asked_begin(pid_t pid)
{
    struct teller *t = &teller[pid % KEPT];

    if (t->pid != pid) {
        teller_forget(t);
        if (!teller_find(t, pid))
            return false;
    }
    return !is_silent(t);
}

/* The lock is held. The note comes with the stack, so both are of the same moment. */
static void take_answer(const struct traced *t, const struct tell *tell, struct stack_copy *copy)
{
    const struct wait_note *note = &tell->note;

    memcpy(copy->register_of, tell->register_of, sizeof tell->register_of);
    copy->sp = tell->sp;
    copy->pc = tell->pc;
    copy->bytes = tell->got < TELL_BYTES ? tell->got : TELL_BYTES;
    memcpy(copy->stack, tell->data, copy->bytes);
    copy->wait =
        (struct stack_wait){note->kind, (uint64_t)(uintptr_t)note->what, note->detail, note->since_ns};
    copy->has_wait = stack_waits(t, copy, (uint64_t)(uintptr_t)note->wait, note->number);
}

/* The thread goes on meanwhile, so the frame counts once it is the same twice. */
static void copy_python(const struct traced *t, const struct script_thread *python, struct script_copy *copy)
{
    static struct script_copy again;

    memset(copy, 0, sizeof *copy);
    for (int i = 0; i < PYTHON_TRIES; i++) {
        memset(&again, 0, sizeof again);
        asked_renew();
        script_copy_frame(t, python, &again);
        if (memcmp(copy, &again, sizeof again) == 0)
            return;
        memcpy(copy, &again, sizeof again);
    }
    copy->has_frame = false;
}

bool asked_capture(const struct traced *t, pid_t tid, const struct script_thread *python,
                   struct stack_copy *copy)
{
    struct teller *asked = find_teller(t->pid);
    bool is_told;

    asked_renew();
    copy->bytes = 0;
    copy->has_wait = false;
    if (!asked || is_silent(asked) || flock(asked->fd, LOCK_EX) < 0)
        return false;
    is_told = ask_teller(asked, (int)traced_inner_number(t->pid, tid), 0, 0, THREAD_MS);
    if (is_told)
        take_answer(t, asked->tell, copy);
    flock(asked->fd, LOCK_UN);
    copy->stopped_ms = 0;
    if (is_told && python)
        copy_python(t, python, &copy->python);
    return is_told;
}
