#include "tool/tool.h"

#include "base/list.h"
#include "comm/comm.h"
#include "memory/heap.h"
#include "metric/metric.h"
#include "p2p/match/match.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <mpi.h>
#include <string.h>

/* What a row of metric_table shows now, and what its class says of it. */

static bool pvar_value_is_watermark(const struct metric_row *row)
{
    return row->class == MPI_T_PVAR_CLASS_HIGHWATERMARK || row->class == MPI_T_PVAR_CLASS_LOWWATERMARK;
}

/* It can be started and stopped, and reset. */
static bool pvar_value_is_counted(const struct metric_row *row)
{
    return pvar_value_is_watermark(row) || row->class == MPI_T_PVAR_CLASS_COUNTER ||
           row->class == MPI_T_PVAR_CLASS_AGGREGATE || row->class == MPI_T_PVAR_CLASS_TIMER;
}

static MPI_Datatype pvar_value_type(const struct metric_row *row)
{
    if (row->class == MPI_T_PVAR_CLASS_STATE)
        return MPI_INT;
    return row->class == MPI_T_PVAR_CLASS_PERCENTAGE ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
}

static uint64_t heap_now(enum metric metric)
{
    uint64_t size, used;

    heap_get_use(&size, &used);
    return metric == METRIC_HEAP_SIZE ? size : used;
}

static uint64_t counted_now(const struct comm *comm, enum hint_counted counted)
{
    return __atomic_load_n(&comm->hints.counted[counted], __ATOMIC_RELAXED);
}

/* The metric behind the row; comm is that of rows bound to one. */
static uint64_t pvar_value_now(const struct metric_row *row, const struct comm *comm)
{
    enum metric m = row->metric;

    if (m < METRIC_WORDS)
        return metric_sum(m);
    if (m < METRIC_COMM_WORDS_END)
        return atomic_load_explicit(&comm->word[m - METRIC_WORDS], memory_order_relaxed);
    switch (m) {
    case METRIC_COMM_POSTED:
        return match_count_posted(comm);
    case METRIC_COMM_UNEXPECTED:
        return match_count_unexpected(comm);
    case METRIC_COMM_ANY_TAG:
        return counted_now(comm, COUNTED_ANY_TAG);
    case METRIC_COMM_ANY_SOURCE:
        return counted_now(comm, COUNTED_ANY_SOURCE);
    case METRIC_COMM_OTHER_LENGTH:
        return counted_now(comm, COUNTED_LENGTH);
    case METRIC_CROWD:
        return progress_is_crowded();
    default:
        return heap_now(m);
    }
}

static double heap_part(uint64_t used)
{
    uint64_t size = heap_now(METRIC_HEAP_SIZE);

    return size ? (double)used / (double)size : 0;
}

/* Writes a value of the row as its datatype. */
static void pvar_value_store(const struct metric_row *row, uint64_t value, void *buf)
{
    if (row->class == MPI_T_PVAR_CLASS_STATE)
        *(int *)buf = (int)value;
    else if (row->class == MPI_T_PVAR_CLASS_PERCENTAGE)
        *(double *)buf = heap_part(value);
    else
        *(unsigned long long *)buf = value;
}

struct pvar_session {
    struct object object;
    struct link link;    /* in sessions */
    struct link handles; /* of struct pvar_handle */
};

struct pvar_handle {
    struct object object;
    struct link link; /* in its session */
    struct pvar_session *session;
    const struct metric_row *row;
    MPI_Comm comm; /* where the row is bound to one */
    bool is_started;
    uint64_t value; /* up to the last start; of a watermark, up to now */
    uint64_t base;  /* what the metric was at the last start */
};

/* All guarded by tool_lock. */
static struct pool session_handles = POOL_INIT(OBJECT_PVAR_SESSION, struct pvar_session);
static struct pool variable_handles = POOL_INIT(OBJECT_PVAR_HANDLE, struct pvar_handle);
static struct link sessions = LIST_INIT(sessions);
static int started_watermarks, started_timers, started_frequent;

static int pvar_check(int index)
{
    int error = tool_check();

    if (error)
        return error;
    return index < 0 || index >= metric_rows() ? tool_fail_index("performance variable", index, metric_rows())
                                               : MPI_SUCCESS;
}

int pvar_get_num(int *num_pvar)
{
    int error = tool_check();

    if (error)
        return error;
    if (!num_pvar)
        return tool_fail_null("num_pvar");
    *num_pvar = metric_rows();
    return MPI_SUCCESS;
}

int pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                  MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                  int *readonly, int *continuous, int *atomic)
{
    const struct metric_row *row;
    int error = pvar_check(pvar_index);

    if (error)
        return error;
    row = &metric_table[pvar_index];
    tool_copy_text(row->name, name, name_len);
    tool_give(verbosity, row->verbosity);
    tool_give(var_class, row->class);
    if (datatype)
        *datatype = pvar_value_type(row);
    if (enumtype)
        *enumtype = row->class == MPI_T_PVAR_CLASS_STATE ? enumeration_of_crowd() : MPI_T_ENUM_NULL;
    tool_copy_text(row->text, desc, desc_len);
    tool_give(bind, row->bind);
    tool_give(readonly, !pvar_value_is_counted(row));
    tool_give(continuous, !pvar_value_is_counted(row));
    tool_give(atomic, pvar_value_is_counted(row));
    return MPI_SUCCESS;
}

int pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    int error = tool_check();

    if (error)
        return error;
    if (!name || !pvar_index)
        return tool_fail_null(name ? "pvar_index" : "name");
    for (int i = 0; metric_table[i].name; i++)
        if (metric_table[i].class == var_class && strcmp(metric_table[i].name, name) == 0) {
            *pvar_index = i;
            return MPI_SUCCESS;
        }
    return tool_fail_name("performance variable of this class", name);
}

/* Values. The caller holds the lock. */

/* What the metric of a handle is now. */
static int pvar_look(const struct pvar_handle *h, uint64_t *now)
{
    struct comm *comm = NULL;

    if (h->row->bind == MPI_T_BIND_MPI_COMM) {
        comm = comm_find(h->comm);
        if (!comm)
            return fail(MPI_T_ERR_INVALID_HANDLE, "the communicator of the handle is freed");
    }
    *now = pvar_value_now(h->row, comm);
    return MPI_SUCCESS;
}

static void watch_level(struct pvar_handle *h, uint64_t now)
{
    bool is_high = h->row->class == MPI_T_PVAR_CLASS_HIGHWATERMARK;

    if (is_high ? now > h->value : now < h->value)
        h->value = now;
}

/* The value of a handle, and what its metric is now. */
static int current_value(struct pvar_handle *h, uint64_t *value, uint64_t *metric)
{
    uint64_t now = 0;
    int error = pvar_look(h, &now);

    if (error)
        return error;
    *metric = now;
    if (pvar_value_is_watermark(h->row))
        *value = h->value;
    else if (pvar_value_is_counted(h->row))
        *value = h->value + (h->is_started ? now - h->base : 0);
    else
        *value = now;
    return MPI_SUCCESS;
}

/* Makes this the value, from now on. */
static int pvar_set_value(struct pvar_handle *h, uint64_t value)
{
    int error = pvar_look(h, &h->base);

    if (!error)
        h->value = value;
    return error;
}

static int pvar_set_start(struct pvar_handle *h)
{
    uint64_t now = 0;
    int error = pvar_value_is_watermark(h->row) ? pvar_look(h, &now) : MPI_SUCCESS;

    return error ? error : pvar_set_value(h, now);
}

/* Each time that a queue changes, while a watermark is started. */
static void watch_queues(void)
{
    uint64_t now = 0;

    lock_always_take(&tool_lock);
    for (struct link *s = sessions.next; s != &sessions; s = s->next) {
        struct link *handles = &LIST_ENTRY(s, struct pvar_session, link)->handles;

        for (struct link *l = handles->next; l != handles; l = l->next) {
            struct pvar_handle *h = LIST_ENTRY(l, struct pvar_handle, link);

            if (h->is_started && pvar_value_is_watermark(h->row) && pvar_look(h, &now) == MPI_SUCCESS)
                watch_level(h, now);
        }
    }
    lock_always_release(&tool_lock);
}

static void count_started(const struct pvar_handle *h, int change)
{
    unsigned watched;

    if (h->row->class == MPI_T_PVAR_CLASS_TIMER)
        started_timers += change;
    else if (pvar_value_is_watermark(h->row))
        started_watermarks += change;
    else if (metric_is_frequent(h->row->metric))
        started_frequent += change;
    watched = metric_always_watched | (started_timers ? METRIC_WATCH_WAIT : 0u) |
              (started_watermarks ? METRIC_WATCH_QUEUES : 0u) |
              (started_frequent ? METRIC_WATCH_FREQUENT : 0u);
    atomic_store_explicit(&metric_queue_watcher, watch_queues, memory_order_release);
    atomic_store_explicit(&metric_watched, watched, memory_order_relaxed);
}

/* Sessions and handles. */

int pvar_session_create(MPI_T_pvar_session *session)
{
    struct pvar_session *s;
    int error = session ? tool_enter() : tool_fail_null("session");

    if (error)
        return error;
    s = pool_new(&session_handles);
    if (s) {
        list_init(&s->handles);
        list_add(&sessions, &s->link);
        *session = object_to_handle(s, MPI_T_PVAR_SESSION_NULL);
    }
    tool_leave();
    return s ? MPI_SUCCESS : fail(MPI_T_ERR_OUT_OF_SESSIONS, "no memory for another session");
}

static void free_handle(struct pvar_handle *h)
{
    if (h->is_started)
        count_started(h, -1);
    list_remove(&h->link);
    pool_free(&variable_handles, h);
}

static void free_session(struct pvar_session *s)
{
    while (!list_is_empty(&s->handles))
        free_handle(LIST_ENTRY(s->handles.next, struct pvar_handle, link));
    list_remove(&s->link);
    pool_free(&session_handles, s);
}

void pvar_free_all(void)
{
    while (!list_is_empty(&sessions))
        free_session(LIST_ENTRY(sessions.next, struct pvar_session, link));
}

/* Success takes the lock. */
static int enter_session(MPI_T_pvar_session session, struct pvar_session **s)
{
    int error = tool_enter();

    if (error)
        return error;
    *s = pool_find(&session_handles, object_word(session));
    if (*s)
        return MPI_SUCCESS;
    tool_leave();
    return fail(MPI_T_ERR_INVALID_SESSION, "the handle is that of no session of performance variables");
}

/* Success takes the lock. */
static int pvar_enter(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct pvar_handle **h)
{
    struct pvar_session *s;
    int error = enter_session(session, &s);

    if (error)
        return error;
    *h = pool_find(&variable_handles, object_word(handle));
    if (*h && (*h)->session == s)
        return MPI_SUCCESS;
    tool_leave();
    return tool_fail_handle("performance variable of this session");
}

int pvar_session_free(MPI_T_pvar_session *session)
{
    struct pvar_session *s;
    int error = session ? enter_session(*session, &s) : tool_fail_null("session");

    if (error)
        return error;
    free_session(s);
    tool_leave();
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

/* The caller holds the lock. */
static int make_handle(struct pvar_session *s, const struct metric_row *row, const MPI_Comm *comm,
                       MPI_T_pvar_handle *handle)
{
    const struct comm *found;
    int error = row->bind == MPI_T_BIND_NO_OBJECT ? MPI_SUCCESS : tool_find_comm(comm, &found);
    struct pvar_handle *h = error ? NULL : pool_new(&variable_handles);

    if (error)
        return error;
    if (!h)
        return fail(MPI_T_ERR_OUT_OF_HANDLES, "no memory for another handle");
    h->session = s;
    h->row = row;
    h->comm = row->bind == MPI_T_BIND_MPI_COMM ? *comm : MPI_COMM_NULL;
    list_add(&s->handles, &h->link);
    *handle = object_to_handle(h, MPI_T_PVAR_HANDLE_NULL);
    return pvar_set_start(h);
}

int pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
                      int *count)
{
    struct pvar_session *s;
    int error = pvar_check(pvar_index);

    if (!error && !handle)
        error = tool_fail_null("handle");
    if (!error)
        error = enter_session(session, &s);
    if (error)
        return error;
    error = make_handle(s, &metric_table[pvar_index], obj_handle, handle);
    tool_leave();
    if (!error)
        tool_give(count, 1);
    return error;
}

int pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct pvar_handle *h;
    int error = handle ? pvar_enter(session, *handle, &h) : tool_fail_null("handle");

    if (error)
        return error;
    free_handle(h);
    tool_leave();
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

/* What start, stop and reset do with one handle, under the lock. */
typedef int handle_action(struct pvar_handle *h);

static int start_handle(struct pvar_handle *h)
{
    int error;

    if (!pvar_value_is_counted(h->row))
        return fail(MPI_T_ERR_PVAR_NO_STARTSTOP, "%s is always active", h->row->name);
    if (h->is_started)
        return MPI_SUCCESS;
    error = pvar_value_is_watermark(h->row) ? pvar_set_start(h) : pvar_set_value(h, h->value);
    if (error)
        return error;
    h->is_started = true;
    count_started(h, 1);
    return MPI_SUCCESS;
}

static int stop_handle(struct pvar_handle *h)
{
    uint64_t now;
    int error;

    if (!pvar_value_is_counted(h->row))
        return fail(MPI_T_ERR_PVAR_NO_STARTSTOP, "%s is always active", h->row->name);
    if (!h->is_started)
        return MPI_SUCCESS;
    error = current_value(h, &h->value, &now);
    if (error)
        return error;
    h->is_started = false;
    count_started(h, -1);
    return MPI_SUCCESS;
}

static int reset_handle(struct pvar_handle *h)
{
    if (!pvar_value_is_counted(h->row))
        return fail(MPI_T_ERR_PVAR_NO_WRITE, "%s is read-only", h->row->name);
    return pvar_set_start(h);
}

/* All handles of a session that the action is for; the others are left alone. */
static int act_on_all(struct pvar_session *s, handle_action *action, int error_of_any)
{
    int failed = MPI_SUCCESS;

    for (struct link *l = s->handles.next; l != &s->handles; l = l->next) {
        struct pvar_handle *h = LIST_ENTRY(l, struct pvar_handle, link);

        if (pvar_value_is_counted(h->row) && action(h))
            failed = error_of_any;
    }
    return failed;
}

static int act(MPI_T_pvar_session session, MPI_T_pvar_handle handle, handle_action *action, int error_of_any)
{
    struct pvar_session *s;
    struct pvar_handle *h;
    bool is_all = handle == MPI_T_PVAR_ALL_HANDLES;
    int error = is_all ? enter_session(session, &s) : pvar_enter(session, handle, &h);

    if (error)
        return error;
    error = is_all ? act_on_all(s, action, error_of_any) : action(h);
    tool_leave();
    return error;
}

int pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, start_handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

int pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, stop_handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

int pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, reset_handle, MPI_T_ERR_PVAR_NO_WRITE);
}

int pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    struct pvar_handle *h;
    uint64_t value, now;
    int error = buf ? pvar_enter(session, handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    error = current_value(h, &value, &now);
    if (!error)
        pvar_value_store(h->row, value, buf);
    tool_leave();
    return error;
}

int pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    struct pvar_handle *h;
    int error = buf ? pvar_enter(session, handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    if (pvar_value_is_counted(h->row))
        error = pvar_set_value(h, *(const unsigned long long *)buf);
    else
        error = fail(MPI_T_ERR_PVAR_NO_WRITE, "%s is read-only", h->row->name);
    tool_leave();
    return error;
}

int pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    struct pvar_handle *h;
    uint64_t value, now;
    int error = buf ? pvar_enter(session, handle, &h) : tool_fail_null("buf");

    if (error)
        return error;
    if (!pvar_value_is_counted(h->row))
        error = fail(MPI_T_ERR_PVAR_NO_ATOMIC, "%s cannot be reset", h->row->name);
    else
        error = current_value(h, &value, &now);
    if (!error) {
        h->value = pvar_value_is_watermark(h->row) ? now : 0;
        h->base = now; /* the same look: nothing is lost between */
        pvar_value_store(h->row, value, buf);
    }
    tool_leave();
    return error;
}
