/* ranks: 1 */
/* Every procedure of MPI_T but MPI_T_init_thread says that the interface is not initialized. */
#include "mpit.h"

static void no_callback(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety s, void *data)
{
    (void)e, (void)r, (void)s, (void)data;
}

#define CLOSED(call) CHECK_EQ(call, MPI_T_ERR_NOT_INITIALIZED)

static void check_queries(void)
{
    char name[8];
    int n = 0, length = sizeof name, indices[4];
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_Count ticks;

    CLOSED(MPI_T_cvar_get_num(&n));
    CLOSED(MPI_T_cvar_get_info(0, name, &length, &n, &type, &items, NULL, NULL, &n, &n));
    CLOSED(MPI_T_cvar_get_index("inkling_eager_limit", &n));
    CLOSED(MPI_T_pvar_get_num(&n));
    CLOSED(MPI_T_pvar_get_info(0, name, &length, &n, &n, &type, &items, NULL, NULL, &n, &n, &n, &n));
    CLOSED(MPI_T_pvar_get_index("inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER, &n));
    CLOSED(MPI_T_enum_get_info((MPI_T_enum)1, &n, name, &length));
    CLOSED(MPI_T_enum_get_item((MPI_T_enum)1, 0, &n, name, &length));
    CLOSED(MPI_T_category_get_num(&n));
    CLOSED(MPI_T_category_get_info(0, name, &length, NULL, NULL, &n, &n, &n));
    CLOSED(MPI_T_category_get_num_events(0, &n));
    CLOSED(MPI_T_category_get_index("inkling", &n));
    CLOSED(MPI_T_category_get_cvars(0, 4, indices));
    CLOSED(MPI_T_category_get_pvars(0, 4, indices));
    CLOSED(MPI_T_category_get_events(0, 4, indices));
    CLOSED(MPI_T_category_get_categories(0, 4, indices));
    CLOSED(MPI_T_category_changed(&n));
    CLOSED(MPI_T_event_get_num(&n));
    CLOSED(MPI_T_event_get_info(0, name, &length, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &n));
    CLOSED(MPI_T_event_get_index("inkling_sleep", &n));
    CLOSED(MPI_T_source_get_num(&n));
    CLOSED(MPI_T_source_get_info(0, name, &length, NULL, NULL, NULL, &ticks, &ticks, NULL));
    CLOSED(MPI_T_source_get_timestamp(0, &ticks));
}

static void check_handles(void)
{
    unsigned long long value = 0;
    int n = 0;
    MPI_T_cvar_handle cvar = (MPI_T_cvar_handle)5000;
    MPI_T_pvar_session session = (MPI_T_pvar_session)5000;
    MPI_T_pvar_handle pvar = (MPI_T_pvar_handle)5000;
    MPI_T_event_registration event = (MPI_T_event_registration)5000;
    MPI_Info info;

    CLOSED(MPI_T_cvar_handle_alloc(0, NULL, &cvar, &n));
    CLOSED(MPI_T_cvar_read(cvar, &value));
    CLOSED(MPI_T_cvar_write(cvar, &value));
    CLOSED(MPI_T_cvar_handle_free(&cvar));
    CLOSED(MPI_T_pvar_session_create(&session));
    CLOSED(MPI_T_pvar_handle_alloc(session, 0, NULL, &pvar, &n));
    CLOSED(MPI_T_pvar_start(session, pvar));
    CLOSED(MPI_T_pvar_stop(session, pvar));
    CLOSED(MPI_T_pvar_read(session, pvar, &value));
    CLOSED(MPI_T_pvar_write(session, pvar, &value));
    CLOSED(MPI_T_pvar_reset(session, pvar));
    CLOSED(MPI_T_pvar_readreset(session, pvar, &value));
    CLOSED(MPI_T_pvar_handle_free(session, &pvar));
    CLOSED(MPI_T_pvar_session_free(&session));
    CLOSED(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &event));
    CLOSED(MPI_T_event_handle_set_info(event, MPI_INFO_NULL));
    CLOSED(MPI_T_event_handle_get_info(event, &info));
    CLOSED(MPI_T_event_register_callback(event, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, no_callback));
    CLOSED(MPI_T_event_callback_set_info(event, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
    CLOSED(MPI_T_event_callback_get_info(event, MPI_T_CB_REQUIRE_NONE, &info));
    CLOSED(MPI_T_event_set_dropped_handler(event, NULL));
    CLOSED(MPI_T_event_handle_free(event, NULL, NULL));
}

int main(void)
{
    check_queries();
    check_handles();
    return 0;
}
