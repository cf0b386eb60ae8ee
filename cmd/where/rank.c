#include "cmd/where/rank.h"

#include "p2p/p2p.h"
#include "plain/clock.h"
#include "progress/progress.h"
#include "request/request.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "at halo.c:88", or where there is no line "in solve()+0x1f". */
static void rank_name_maker(const struct call_frame *f, char *to, size_t room)
{
    const char *plus = strchr(f->function, '+');

    if (f->line)
        snprintf(to, room, "at %s:%d", f->file, f->line);
    else if (*f->function)
        snprintf(to, room, "in %.*s()%s", plus ? (int)(plus - f->function) : (int)strlen(f->function),
                 f->function, plus ? plus : "");
    else
        snprintf(to, room, "at 0x%llx%s%s", (unsigned long long)f->offset, *f->module ? " of " : "",
                 f->module);
}

/* The part of a name that Cython has made, "4Comm_47Isend": its length, then as many characters, then a _. Returns what is behind the
 * _, or NULL; *part and *length: the characters. */
static const char *next_part(const char *name, const char **part, size_t *length)
{
    char *end;

    if (!isdigit((unsigned char)*name))
        return NULL;
    *length = strtoul(name, &end, 10);
    *part = end;
    return *length && strlen(end) > *length && end[*length] == '_' ? end + *length + 1 : NULL;
}

/* "in mpi4py.MPI.Comm.Isend()" of __pyx_pw_6mpi4py_3MPI_4Comm_47Isend: modules and classes with their lengths, then the method with its
 * number, which a function of C (__pyx_f_) has not. */
static void format_cython(const char *function, char *to, size_t room)
{
    const char *name = strchr(function + strlen("__pyx_"), '_'), *part, *next;
    bool has_number = strncmp(function, "__pyx_p", 7) == 0;
    size_t length, used = (size_t)snprintf(to, room, "in ");

    if (!name++)
        name = function;
    while ((next = next_part(name, &part, &length)) != NULL &&
           (!has_number || isdigit((unsigned char)*next))) {
        used += (size_t)snprintf(to + used, room - used, "%.*s.", (int)length, part);
        if (used >= room)
            return;
        name = next;
    }
    while (has_number && isdigit((unsigned char)*name))
        name++;
    snprintf(to + used, room - used, "%.*s()", (int)strcspn(name, "+"), name);
}

/* Of a Python program: a function that Cython has made of Python is named. The C lines of that, of the interpreter and of what calls C for
 * it say nothing; a C library of the program's own has a place like any other. */
static void format_of_python(const struct call_frame *f, char *to, size_t room)
{
    if (strncmp(f->function, "__pyx_", 6) == 0)
        format_cython(f->function, to, room);
    else if (f->line && !f->is_python && strncmp(f->module, "libffi", 6) != 0 &&
             strncmp(f->module, "_ctypes", 7) != 0)
        rank_name_maker(f, to, room);
}

static void place_maker(const struct rank_view *v, uint64_t address, char *to)
{
    struct call_frame frame;

    if (!stack_describe(address, &frame) || frame.is_library)
        return;
    if (v->python.is_here)
        format_of_python(&frame, to, OBJECTS_PLACE);
    else
        rank_name_maker(&frame, to, OBJECTS_PLACE);
}

/* Where each open request was made, and posted or started, and that for which a thread waits. */
static void rank_find_maker(struct rank_view *v)
{
    const struct object_request *waited;

    for (int i = 0; i < v->objects.requests; i++) {
        struct object_request *r = &v->objects.request[i];

        place_maker(v, r->posted, r->place);
        place_maker(v, r->made, r->origin);
    }
    for (int i = 0; i < v->threads; i++) {
        waited = objects_request(&v->objects, v->thread[i].what);
        if (waited)
            strcpy(v->thread[i].posted, waited->place);
    }
}

enum {
    TRIES = 5, /* to read the objects twice alike */
    TRY_AGAIN_NS = 2 * 1000 * 1000
};

static bool is_call(const char *function)
{
    return strncmp(function, "MPI_", 4) == 0 || strncmp(function, "PMPI_", 5) == 0;
}

/* The call that a run of Inkling's own frames is in, and who called it. Returns the index behind the run. */
static int find_call(const struct call_frame *frame, int from, int count, struct rank_thread *thread)
{
    int i = from;

    for (; i < count && frame[i].is_library; i++)
        if (is_call(frame[i].function)) {
            snprintf(thread->call, sizeof thread->call, "%s",
                     frame[i].function + (*frame[i].function == 'P'));
            thread->in_mpi = true;
        }
    if (i < count && thread->in_mpi)
        rank_name_maker(&frame[i], thread->place, sizeof thread->place);
    return i;
}

/* What the program has called there: the innermost function, or of the system's the one that leads to the others. */
static const char *find_inner(const struct call_frame *frame, int count)
{
    int at = 0;

    while (at + 1 < count && frame[at].is_system && frame[at + 1].is_system)
        at++;
    return *frame[at].function ? frame[at].function : frame[at].module;
}

static void add_inner(struct rank_thread *thread, const char *function)
{
    size_t used = strlen(thread->doing);

    if (*function)
        snprintf(thread->doing + used, sizeof thread->doing - used, " (in %.*s)", (int)strcspn(function, "+"),
                 function);
}

/* Where the program computes: in its own file, if there is a frame of that, else the innermost function outside the system's. */
static void find_work(const struct call_frame *frame, int count, struct rank_thread *thread)
{
    int at = 0;
    char place[300];

    while (at < count && !frame[at].is_program)
        at++;
    for (int i = 0; at == count && i < count; i++)
        if (!frame[i].is_system)
            at = i;
    if (at == count)
        at = 0;
    rank_name_maker(&frame[at], place, sizeof place);
    if (frame[at].line && *frame[at].function)
        snprintf(thread->doing, sizeof thread->doing, "computes in %.100s() %.150s", frame[at].function,
                 place);
    else
        snprintf(thread->doing, sizeof thread->doing, "computes %.280s", place);
    if (at > 0)
        add_inner(thread, find_inner(frame, at));
}

/* What the stack says. */
static void take_frames(const struct call_frame *frame, int count, struct rank_thread *thread)
{
    for (int i = 0; i < count && !thread->in_mpi; i++)
        if (frame[i].is_library)
            i = find_call(frame, i, count, thread);
    if (!thread->in_mpi && count)
        find_work(frame, count, thread);
}

/* The line of Python takes the place of the frames that lead to it. */
static void take_python(const struct script_copy *copy, const struct call_frame *frame, int count,
                        struct rank_thread *thread)
{
    bool has_function = *copy->function != 0;
    const char *inner = copy->inner;
    char place[SCRIPT_NAME + 32];

    if (!copy->has_frame || !count)
        return;
    snprintf(place, sizeof place, script_line(copy) ? "at %s:%d" : "in %s", copy->file, script_line(copy));
    if (thread->in_mpi) {
        snprintf(thread->place, sizeof thread->place, "%s", place);
        return;
    }
    if (!*inner && !frame[0].is_python)
        inner = find_inner(frame, count);
    snprintf(thread->doing, sizeof thread->doing, "computes%s%.80s%s %.150s", has_function ? " in " : "",
             has_function ? copy->function : "", has_function ? "()" : "", place);
    add_inner(thread, inner);
}

static void await_process(struct rank_thread *thread, int process)
{
    if (process >= 0 && thread->awaits < RANK_AWAITED)
        thread->awaited[thread->awaits++] = process;
}

/* The word of a waiter's stack or of other memory. */
static uint64_t read_waiter_word(const struct traced *t, const struct stack_copy *copy, uint64_t at)
{
    uint64_t word;

    if (at < copy->sp || at + sizeof word > copy->sp + copy->bytes)
        return traced_word(t, at);
    memcpy(&word, copy->stack + (at - copy->sp), sizeof word);
    return word;
}

static void set_comm(const struct objects *o, struct rank_thread *thread, uint64_t at)
{
    const struct object_comm *c = objects_comm(o, at);

    thread->comm = at;
    thread->context = c ? c->context : 0;
}

static void take_request(const struct rank_view *v, struct rank_thread *thread,
                         const struct object_request *r)
{
    const struct object_request *part = r->kind == REQUEST_MULTI ? objects_part(&v->objects, r) : NULL;
    const struct object_comm *c = objects_comm(&v->objects, r->comm);
    bool is_recv;

    r = part ? part : r;
    is_recv = r->kind == REQUEST_RECV;

    set_comm(&v->objects, thread, r->comm);
    if (!c)
        return;
    if (r->kind == REQUEST_COLL || r->kind == REQUEST_COMM) {
        thread->wait = FOR_COLLECTIVE;
        return;
    }
    if (r->kind != REQUEST_SEND && !is_recv)
        return;
    thread->wait = r->plane != PLANE_P2P || c->is_hidden ? FOR_PART : is_recv ? FOR_MESSAGE : FOR_RECEIVER;
    thread->is_precise = true;
    thread->tag = is_recv ? r->tag : 0;
    thread->bytes = r->bytes;
    thread->peer = is_recv ? r->source : objects_rank(&v->traced, c, r->process);
    await_process(thread, is_recv ? objects_process(&v->traced, c, r->source) : r->process);
}

/* Whether a rank has published what a call in shared memory waits for. */
static bool has_published(const struct traced *t, uint64_t boxes, int rank, uint64_t sequence)
{
    const struct where_table *w = &t->table;
    uint64_t peer = boxes + w->of_mailboxes.peer + (uint64_t)rank * w->of_mailboxes.peer_size;
    uint32_t lines = traced_half(t, boxes + w->of_mailboxes.lines);
    uint64_t mailbox = traced_word(t, peer + w->of_mailboxes.mailbox);
    uint64_t line = mailbox + w->of_mailboxes.line + (sequence & (lines - 1)) * w->of_mailboxes.line_size;
    uint64_t published = traced_word(t, line) & ((UINT64_C(1) << w->of_mailboxes.sequence_bits) - 1);

    return published >= sequence;
}

/* A collective in shared memory: the ranks from `next` to `until` are still looked for. */
static void take_run(const struct rank_view *v, const struct stack_copy *copy, struct rank_thread *thread)
{
    const struct traced *t = &v->traced;
    const struct where_table *w = &t->table;
    uint64_t run = copy->wait.what, boxes = read_waiter_word(t, copy, run + w->of_shm_run.boxes);
    uint64_t call = read_waiter_word(t, copy, run + w->of_shm_run.call);
    uint64_t sequence = read_waiter_word(t, copy, run + w->of_shm_run.sequence);
    int next = (int)(read_waiter_word(t, copy, run + w->of_shm_run.next) & 0xff);
    int until = (int)(read_waiter_word(t, copy, run + w->of_shm_run.until) & 0xff);
    const struct object_comm *c;

    thread->wait = FOR_COLLECTIVE;
    set_comm(&v->objects, thread, traced_word(t, boxes + w->of_mailboxes.comm));
    c = objects_comm(&v->objects, thread->comm);
    traced_text(
        t, traced_word(t, read_waiter_word(t, copy, call + w->of_coll_call.list) + w->of_choice_list.name),
        thread->collective, sizeof thread->collective);
    for (int r = next; c && r < until && r < c->count; r++)
        if (r != c->rank && !has_published(t, boxes, r, sequence))
            await_process(thread, objects_process(t, c, r));
    thread->is_precise = thread->awaits > 0;
}

static void take_probe(const struct rank_view *v, const struct stack_copy *copy, struct rank_thread *thread)
{
    const struct object_comm *c = objects_comm(&v->objects, copy->wait.what);

    set_comm(&v->objects, thread, copy->wait.what);
    thread->wait = c ? FOR_PROBE : FOR_UNKNOWN;
    thread->is_precise = true;
    thread->peer = (int)(uint32_t)(copy->wait.detail >> 32);
    thread->tag = (int)(uint32_t)copy->wait.detail;
    if (c)
        await_process(thread, objects_process(&v->traced, c, thread->peer));
}

static const struct object_window *find_window(const struct objects *o, uint64_t at)
{
    for (int i = 0; i < o->windows; i++)
        if (o->window[i].at == at)
            return &o->window[i];
    return NULL;
}

/* The lock of a window's rank: who holds it alone. Of those that share it nobody knows. */
static void take_lock(const struct traced *t, const struct object_window *window, const struct object_comm *c,
                      uint64_t control, struct rank_thread *thread)
{
    const struct where_table *w = &t->table;
    uint64_t lock = traced_word(t, control + w->of_win_control.lock);
    uint64_t first = window->control, bytes = w->of_win_control.size;

    thread->wait = FOR_LOCK;
    thread->peer = control == window->own_control       ? window->rank
                   : first && bytes && control >= first ? (int)((control - first) / bytes)
                                                        : -1;
    if (lock >> w->of_win_control.holder_shift)
        await_process(thread, objects_process(t, c, (int)(lock >> w->of_win_control.holder_shift) - 1));
    thread->is_precise = thread->awaits > 0;
}

/* The ranks of an epoch. */
static void await_partners(const struct traced *t, const struct object_comm *c, uint64_t partners,
                           struct rank_thread *thread)
{
    const struct where_table *w = &t->table;
    uint32_t count = traced_half(t, partners + w->of_partners.count);

    for (uint32_t i = 0; partners && i < count && i < RANK_AWAITED; i++)
        await_process(
            thread, objects_process(t, c,
                                    (int)traced_half(t, partners + w->of_partners.first +
                                                            i * w->of_partners.size + w->of_partners.rank)));
}

static void take_window(const struct rank_view *v, const struct stack_copy *copy, struct rank_thread *thread)
{
    const struct traced *t = &v->traced;
    const struct object_window *window = find_window(&v->objects, copy->wait.what);
    const struct object_comm *c = window ? objects_comm(&v->objects, window->comm) : NULL;

    if (!c)
        return;
    set_comm(&v->objects, thread, window->comm);
    if (copy->wait.kind == WAIT_WIN_LOCK) {
        take_lock(t, window, c, copy->wait.detail, thread);
    } else if (copy->wait.kind == WAIT_WIN_POST) {
        thread->wait = FOR_POST;
        thread->is_precise = true;
        thread->peer = (int)copy->wait.detail;
        await_process(thread, objects_process(t, c, thread->peer));
    } else {
        thread->wait = FOR_COMPLETE;
        await_partners(t, c, traced_word(t, window->at + t->table.of_win.posted), thread);
    }
}

/* What the thread has noted. */
static void explain_wait(const struct rank_view *v, const struct stack_copy *copy, struct rank_thread *thread)
{
    const struct object_request *r;

    thread->since_ns = copy->wait.since_ns;
    thread->waits = true;
    switch ((enum wait_kind)copy->wait.kind) {
    case WAIT_REQUEST:
        r = objects_request(&v->objects, copy->wait.what);
        thread->what = copy->wait.what;
        if (r)
            take_request(v, thread, r);
        break;
    case WAIT_ANY_REQUEST:
        thread->wait = FOR_ANY;
        break;
    case WAIT_SHM_RUN:
        take_run(v, copy, thread);
        break;
    case WAIT_PROBE:
        take_probe(v, copy, thread);
        break;
    case WAIT_WIN_LOCK:
    case WAIT_WIN_POST:
    case WAIT_WIN_COMPLETE:
        take_window(v, copy, thread);
        break;
    case WAIT_AGREEMENT:
        thread->wait = FOR_COLLECTIVE;
        set_comm(&v->objects, thread,
                 traced_word(&v->traced, copy->wait.what + v->traced.table.of_agreement.comm));
        break;
    case WAIT_LINE:
        thread->wait = FOR_COLLECTIVE;
        set_comm(&v->objects, thread, copy->wait.what);
        await_process(thread, (int)copy->wait.detail);
        thread->is_precise = thread->awaits > 0;
        break;
    default:
        break;
    }
}

/* The process goes on while this is read: it counts once it is the same twice. */
static void explain_alike(const struct rank_view *v, const struct stack_copy *copy,
                          struct rank_thread *thread)
{
    static struct rank_thread once, again;

    for (int i = 0; i < TRIES; i++) {
        memcpy(&once, thread, sizeof once);
        memcpy(&again, thread, sizeof again);
        explain_wait(v, copy, &once);
        explain_wait(v, copy, &again);
        if (memcmp(&once, &again, sizeof once) == 0) {
            memcpy(thread, &once, sizeof once);
            return;
        }
    }
}

static void add_thread(struct rank_view *v, pid_t tid)
{
    static struct stack_copy copy;
    static struct call_frame frame[STACK_FRAMES];
    struct rank_thread *thread = &v->thread[v->threads];
    struct script_thread python = script_find_thread(&v->traced, &v->python, tid);
    bool refused;
    int count;

    memset(thread, 0, sizeof *thread); /* explain_alike compares bytes */
    thread->tid = tid;
    thread->state = traced_thread_state(v->traced.pid, tid);
    if (!stack_capture(&v->traced, tid, &python, &copy, &refused)) {
        v->is_refused = v->is_refused || refused;
        thread->is_unseen = true;
        v->threads += tid == v->traced.pid;
        return;
    }
    count = stack_unwind(&v->traced, tid, &copy, frame);
    thread->stopped_ms = copy.stopped_ms;
    thread->is_unseen = !count && !stack_absence();
    take_frames(frame, count, thread);
    thread->in_mpi = thread->in_mpi || (!count && copy.has_wait);
    take_python(&copy.python, frame, count, thread);
    if (thread->in_mpi && copy.has_wait)
        explain_alike(v, &copy, thread);
    v->threads += thread->in_mpi || tid == v->traced.pid;
}

static int compare_tids(const void *a, const void *b)
{
    const pid_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

static int list_threads(pid_t pid, pid_t *tid)
{
    struct dirent *entry;
    char path[64];
    int count = 0;
    DIR *d;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && count < RANK_THREADS && (entry = readdir(d)) != NULL)
        if (isdigit((unsigned char)*entry->d_name))
            tid[count++] = atoi(entry->d_name);
    if (d)
        closedir(d);
    qsort(tid, (size_t)count, sizeof *tid, compare_tids);
    return count;
}

static void read_threads(struct rank_view *v)
{
    pid_t tid[RANK_THREADS];
    int count = list_threads(v->traced.pid, tid);

    v->threads = 0;
    for (int i = 0; i < count; i++)
        add_thread(v, tid[i]);
}

static bool has_unseen(const struct rank_view *v)
{
    for (int i = 0; i < v->threads; i++)
        if (v->thread[i].is_unseen)
            return true;
    return false;
}

/* What is the same before and after the stacks were read was so in between. */
void rank_look(struct rank_view *v)
{
    static struct objects after;
    const struct timespec pause = {0, TRY_AGAIN_NS};
    bool is_open;

    v->has_objects = false;
    v->is_refused = v->traced.is_refused && !v->traced.is_told && !traced_ask(&v->traced);
    v->threads = 0;
    if (v->is_refused)
        return;
    is_open = stack_open(&v->traced);
    script_find(&v->traced, &v->python);
    for (int i = 0; i < TRIES && (!v->has_objects || (has_unseen(v) && !v->is_refused && !v->traced.is_told));
         i++) {
        bool made_sense = objects_read(&v->traced, &v->objects);

        read_threads(v);
        v->has_objects =
            objects_read(&v->traced, &after) && made_sense && memcmp(&after, &v->objects, sizeof after) == 0;
        if (!v->has_objects)
            nanosleep(&pause, NULL);
    }
    rank_find_maker(v);
    for (int i = 0; i < v->threads && !v->has_objects; i++)
        v->thread[i].waits = false; /* what it waited for may have been read while it changed */
    if (is_open)
        stack_close();
}

/* Whether it waits for the same ranks as before: the holder of a lock may have changed meanwhile, or who has published its part. */
static bool awaits_the_same(const struct rank_view *v, const struct stack_copy *copy,
                            const struct rank_thread *thread)
{
    static struct rank_thread now;

    memset(&now, 0, sizeof now);
    explain_alike(v, copy, &now);
    return now.wait == thread->wait && now.awaits == thread->awaits &&
           memcmp(now.awaited, thread->awaited, sizeof now.awaited) == 0;
}

/* A call that waits in the system, as the launcher's fence does, has no note. */
static bool is_settled(const struct rank_view *v, const struct rank_thread *thread)
{
    static struct stack_copy copy;
    bool refused;

    if (!thread->in_mpi || !stack_capture(&v->traced, thread->tid, NULL, &copy, &refused))
        return false;
    if (!thread->waits)
        return v->has_objects && !copy.has_wait && thread->state == 'S';
    return copy.has_wait && copy.wait.since_ns == thread->since_ns &&
           clock_ns() - thread->since_ns > RANK_SETTLED_MS * UINT64_C(1000000) &&
           awaits_the_same(v, &copy, thread);
}

void rank_settle(struct rank_view *v)
{
    for (int i = 0; i < v->threads; i++)
        v->thread[i].is_settled = is_settled(v, &v->thread[i]);
}
