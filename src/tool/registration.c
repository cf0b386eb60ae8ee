#include "tool/tool.h"

#include "base/list.h"
#include "comm/comm.h"
#include "info/info.h"
#include "metric/event.h"
#include "plain/fail.h"

#include <stdint.h>
#include <string.h>

enum {
    LEVELS = 4,
    LEVEL_OF_CALLS = 1 /* MPI_T_CB_REQUIRE_MPI_RESTRICTED */
};

static const MPI_T_cb_safety levels[LEVELS] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                               MPI_T_CB_REQUIRE_THREAD_SAFE,
                                               MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};

struct registered_callback {
    MPI_T_event_cb_function *function; /* NULL: none */
    void *user_data;
};

struct registration {
    struct object object;
    struct link link; /* in registrations, in the order of their numbers */
    uint64_t number;
    enum event_id id;
    uint64_t context; /* of the communicator that it is bound to */
    struct registered_callback callback[LEVELS];
    MPI_T_event_dropped_cb_function *dropped_handler;
    uint64_t dropped; /* since it was last told */
    bool is_called;   /* a callback of its runs */
    bool is_freed;    /* then: it ends when that is over */
    MPI_T_event_free_cb_function *free_function;
    void *free_data;
};

/* All guarded by tool_lock. */
static struct pool registration_pool = POOL_INIT(OBJECT_EVENT_REGISTRATION, struct registration);
static struct link registrations = LIST_INIT(registrations);
static uint64_t last_number;

static MPI_T_event_registration handle_of(const struct registration *r)
{
    return object_to_handle(r, NULL);
}

/* Which types somebody wants. The caller holds the lock. */
static void update_wanted(void)
{
    unsigned wanted = 0;

    for (struct link *l = registrations.next; l != &registrations; l = l->next) {
        struct registration *r = LIST_ENTRY(l, struct registration, link);

        for (int i = 0; i < LEVELS; i++)
            if (r->callback[i].function)
                wanted |= 1u << r->id;
    }
    atomic_store_explicit(&event_wanted, wanted, memory_order_relaxed);
}

/* Telling. */

/* The callback with the lowest level that may be called; NULL: none. */
static const struct registered_callback *choose_callback(const struct registration *r)
{
    for (int i = LEVEL_OF_CALLS; i < LEVELS; i++)
        if (r->callback[i].function)
            return &r->callback[i];
    return NULL;
}

/* The next registration for the event, behind that of this number. The caller holds the lock. */
static struct registration *next_for(const struct event *e, uint64_t number)
{
    for (struct link *l = registrations.next; l != &registrations; l = l->next) {
        struct registration *r = LIST_ENTRY(l, struct registration, link);

        if (r->number > number && r->id == e->id && (!r->context || r->context == e->context))
            return r;
    }
    return NULL;
}

/* The end of a registration that nobody finds any more. No lock is held. */
static void end_registration(struct registration *r)
{
    MPI_T_event_registration handle = handle_of(r);

    if (r->free_function)
        r->free_function(handle, MPI_T_CB_REQUIRE_MPI_RESTRICTED, r->free_data);
    pool_free(&registration_pool, r);
}

/* What the callbacks of a registration are called with, as it was when the lock was given back. */
struct telling {
    struct registered_callback callback;
    MPI_T_event_dropped_cb_function *dropped_handler;
    uint64_t dropped;
};

static void call_back(struct registration *r, const struct telling *t, const struct event *e)
{
    MPI_T_event_registration handle = handle_of(r);
    MPI_T_event_instance instance = instance_show(e);

    if (t->dropped_handler)
        t->dropped_handler((MPI_Count)t->dropped, handle, (int)event_table[e->id].source,
                           MPI_T_CB_REQUIRE_MPI_RESTRICTED, t->callback.user_data);
    t->callback.function(instance, handle, MPI_T_CB_REQUIRE_MPI_RESTRICTED, t->callback.user_data);
    instance_show(NULL);
}

/* Whether the registration is to be called, and with what. The caller holds the lock. */
static bool prepare_telling(struct registration *r, uint64_t lost, struct telling *t)
{
    const struct registered_callback *c = choose_callback(r);

    if (r->dropped_handler)
        r->dropped += lost + !c;
    if (!c)
        return false;
    *t = (struct telling){*c, r->dropped ? r->dropped_handler : NULL, r->dropped};
    r->dropped = 0;
    r->is_called = true;
    return true;
}

static void tell_one(struct registration *r, const struct event *e, const struct telling *t)
{
    bool is_over;

    call_back(r, t, e);
    lock_always_take(&tool_lock);
    r->is_called = false;
    is_over = r->is_freed;
    lock_always_release(&tool_lock);
    if (is_over)
        end_registration(r);
}

static void tell_event(const struct event *e, uint64_t lost)
{
    struct registration *r;
    struct telling t;
    uint64_t number = 0;
    bool is_told;

    do {
        lock_always_take(&tool_lock);
        r = next_for(e, number);
        is_told = r && prepare_telling(r, lost, &t);
        number = r ? r->number : 0;
        lock_always_release(&tool_lock);
        if (is_told)
            tell_one(r, e, &t);
    } while (r);
}

/* Types. */

static int check_type(int index)
{
    int error = tool_check();

    if (error)
        return error;
    return index < 0 || index >= EVENT_COUNT ? tool_fail_index("event type", index, EVENT_COUNT)
                                             : MPI_SUCCESS;
}

int registration_get_num(int *num_events)
{
    int error = tool_check();

    if (error)
        return error;
    if (!num_events)
        return tool_fail_null("num_events");
    *num_events = EVENT_COUNT;
    return MPI_SUCCESS;
}

static void copy_elements(const struct event_row *row, MPI_Datatype *types, MPI_Aint *places, int *count)
{
    int all = instance_elements(row);

    for (int i = 0; i < all && i < *count; i++) {
        if (types)
            types[i] = instance_type(row, i);
        if (places)
            places[i] = instance_place(row, i);
    }
    *count = all;
}

int registration_get_info(int event_index, char *name, int *name_len, int *verbosity,
                          MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                          int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len,
                          int *bind)
{
    const struct event_row *row;
    int error = check_type(event_index);

    if (!error && info)
        error = source_make_info(info);
    if (error)
        return error;
    row = &event_table[event_index];
    tool_copy_text(row->name, name, name_len);
    tool_give(verbosity, row->verbosity);
    if (num_elements)
        copy_elements(row, array_of_datatypes, array_of_displacements, num_elements);
    if (enumtype)
        *enumtype = enumeration_of_event((enum event_id)event_index);
    tool_copy_text(row->text, desc, desc_len);
    tool_give(bind, row->bind);
    return MPI_SUCCESS;
}

int registration_get_index(const char *name, int *event_index)
{
    int error = tool_check();

    if (error)
        return error;
    if (!name || !event_index)
        return tool_fail_null(name ? "event_index" : "name");
    for (int i = 0; i < EVENT_COUNT; i++)
        if (strcmp(event_table[i].name, name) == 0) {
            *event_index = i;
            return MPI_SUCCESS;
        }
    return tool_fail_name("event type", name);
}

/* Registrations. */

static int check_info(MPI_Info info)
{
    if (info == MPI_INFO_NULL || info_find(info))
        return MPI_SUCCESS;
    return tool_fail_handle("info object");
}

/* Success takes the lock. */
static int enter_registration(MPI_T_event_registration handle, struct registration **r)
{
    int error = tool_enter();

    if (error)
        return error;
    *r = pool_find(&registration_pool, object_word(handle));
    if (*r && !(*r)->is_freed)
        return MPI_SUCCESS;
    tool_leave();
    return tool_fail_handle("event registration");
}

static int find_context(const struct event_row *row, const MPI_Comm *handle, uint64_t *context)
{
    const struct comm *comm = NULL;
    int error = row->bind == MPI_T_BIND_NO_OBJECT ? MPI_SUCCESS : tool_find_comm(handle, &comm);

    if (!error)
        *context = comm ? comm->context : 0;
    return error;
}

int registration_alloc(int event_index, void *obj_handle, MPI_Info info,
                       MPI_T_event_registration *registration)
{
    struct registration *r;
    uint64_t context;
    int error = check_type(event_index);

    if (!error && !registration)
        error = tool_fail_null("event_registration");
    if (!error)
        error = check_info(info);
    if (!error)
        error = find_context(&event_table[event_index], obj_handle, &context);
    if (!error)
        error = tool_enter();
    if (error)
        return error;
    atomic_store_explicit(&event_listener, tell_event, memory_order_release);
    r = pool_new(&registration_pool);
    if (r) {
        r->number = ++last_number;
        r->id = (enum event_id)event_index;
        r->context = context;
        list_add(&registrations, &r->link);
        *registration = handle_of(r);
    }
    tool_leave();
    return r ? MPI_SUCCESS : fail(MPI_T_ERR_OUT_OF_HANDLES, "no memory for another registration");
}

/* Takes it out of those that are told. True: nobody calls it now, so the caller ends it. Caller holds the lock. */
static bool registration_forget(struct registration *r)
{
    list_remove(&r->link);
    r->is_freed = true;
    update_wanted();
    return !r->is_called;
}

int registration_free(MPI_T_event_registration registration, void *user_data,
                      MPI_T_event_free_cb_function free_cb_function)
{
    struct registration *r;
    bool is_over;
    int error = enter_registration(registration, &r);

    if (error)
        return error;
    r->free_function = free_cb_function;
    r->free_data = user_data;
    is_over = registration_forget(r);
    tool_leave();
    if (is_over)
        end_registration(r);
    return MPI_SUCCESS;
}

void registration_free_all(void)
{
    while (!list_is_empty(&registrations)) {
        struct registration *r = LIST_ENTRY(registrations.next, struct registration, link);

        if (registration_forget(r))
            pool_free(&registration_pool, r);
    }
}

/* The library has no hints for registrations and callbacks: it checks them and keeps none. */
int registration_set_info(MPI_T_event_registration registration, MPI_Info info)
{
    struct registration *r;
    int error = enter_registration(registration, &r);

    if (error)
        return error;
    tool_leave();
    return check_info(info);
}

int registration_copy_info(MPI_T_event_registration registration, MPI_Info *info_used)
{
    struct registration *r;
    int error = info_used ? enter_registration(registration, &r) : tool_fail_null("info_used");

    if (error)
        return error;
    tool_leave();
    return source_make_info(info_used);
}

/* Callbacks. */

static int find_level(MPI_T_cb_safety cb_safety, int *level)
{
    for (*level = 0; *level < LEVELS; ++*level)
        if (levels[*level] == cb_safety)
            return MPI_SUCCESS;
    return fail(MPI_T_ERR_INVALID, "cb_safety %d is no level of safety", (int)cb_safety);
}

int registration_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function)
{
    struct registration *r;
    int level, error = find_level(cb_safety, &level);

    if (!error)
        error = check_info(info);
    if (!error)
        error = enter_registration(registration, &r);
    if (error)
        return error;
    r->callback[level] = (struct registered_callback){event_cb_function, user_data};
    update_wanted();
    tool_leave();
    return MPI_SUCCESS;
}

static int check_callback(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety)
{
    struct registration *r;
    bool is_there;
    int level, error = find_level(cb_safety, &level);

    if (!error)
        error = enter_registration(registration, &r);
    if (error)
        return error;
    is_there = r->callback[level].function;
    tool_leave();
    return is_there ? MPI_SUCCESS : fail(MPI_T_ERR_INVALID, "no callback has this level of safety");
}

int registration_callback_set_info(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info info)
{
    int error = check_callback(registration, cb_safety);

    return error ? error : check_info(info);
}

int registration_callback_get_info(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info *info_used)
{
    int error = info_used ? check_callback(registration, cb_safety) : tool_fail_null("info_used");

    return error ? error : source_make_info(info_used);
}

int registration_set_dropped_handler(MPI_T_event_registration registration,
                                     MPI_T_event_dropped_cb_function dropped_cb_function)
{
    struct registration *r;
    int error = enter_registration(registration, &r);

    if (error)
        return error;
    if (!r->dropped_handler || !dropped_cb_function)
        r->dropped = 0;
    r->dropped_handler = dropped_cb_function;
    tool_leave();
    return MPI_SUCCESS;
}
