/* ranks: 1 */
/* What MPI_T refuses, and what it does with what is not wanted: NULL, bounds, texts cut short, a bad environment. */
#include "mpit.h"

#include <stdint.h>

enum {
    MOST_ENUMERATIONS = 1000
};

#define REFUSED(call) CHECK_EQ(call, MPI_T_ERR_INVALID)

static void refuse_to_begin(void)
{
    int provided = -1;

    REFUSED(MPI_T_init_thread(MPI_THREAD_SINGLE - 1, &provided));
    REFUSED(MPI_T_init_thread(MPI_THREAD_MULTIPLE + 1, &provided));
    setenv("INKLING_EAGER_LIMIT", "plenty", 1);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_T_ERR_CANNOT_INIT);
    CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    unsetenv("INKLING_EAGER_LIMIT");
    CHECK_EQ(provided, -1);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL), MPI_SUCCESS);
}

static void names_and_indices(void)
{
    int n = -1;

    REFUSED(MPI_T_cvar_get_index("inkling_eager_limit", NULL));
    REFUSED(MPI_T_pvar_get_index("inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER, NULL));
    REFUSED(MPI_T_category_get_index("inkling", NULL));
    REFUSED(MPI_T_event_get_index("inkling_sleep", NULL));
    REFUSED(MPI_T_event_get_index(NULL, &n));
    REFUSED(MPI_T_source_get_timestamp(0, NULL));
    REFUSED(MPI_T_category_get_categories(0, 1, NULL));
    REFUSED(MPI_T_category_get_cvars(0, -1, &n));
    CHECK_EQ(MPI_T_category_get_categories(0, 0, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_T_category_get_num_events(0, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_get_index("no such", &n), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, n, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_get_num(&n), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(n, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_num(&n), MPI_SUCCESS);
    CHECK_EQ(MPI_T_source_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_info(n - 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
}

static void variables(void)
{
    unsigned long long value = 0;
    int index = mpit_pvar("inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_cvar_handle cvar;

    REFUSED(MPI_T_pvar_session_free(NULL));
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, NULL), MPI_SUCCESS);
    REFUSED(MPI_T_pvar_handle_free(session, NULL));
    REFUSED(MPI_T_pvar_write(session, handle, NULL));
    REFUSED(MPI_T_pvar_readreset(session, handle, NULL));
    CHECK_EQ(MPI_T_pvar_readreset(session, handle, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_get_index("inkling_spin_time", &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &cvar, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS); /* ends the handle */
    mpit_open();
    CHECK_EQ(MPI_T_cvar_read(cvar, &value), MPI_T_ERR_INVALID_HANDLE);
}

static void registrations(void)
{
    MPI_T_event_registration r;
    MPI_Info freed, used;
    int index;

    MPI_Info_create(&freed);
    used = freed;
    MPI_Info_free(&used);
    CHECK_EQ(MPI_T_event_get_index("inkling_sleep", &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(index, NULL, freed, &r), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_set_info(r, freed), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, freed, NULL, NULL),
             MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_callback_set_info(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_T_ERR_INVALID);
    REFUSED(MPI_T_event_handle_get_info(r, NULL));
    REFUSED(MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_NONE, NULL));
    REFUSED(MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE + 1, &used));
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

/* A text is cut to the room that there is, and always ends. */
static void texts(void)
{
    char name[sizeof "inkling_sleeps" + 1];
    int all = sizeof "inkling_sleeps", index = mpit_pvar("inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER);

    for (int room = 0; room <= all + 1; room++) {
        int length = room, seen = room < all ? room : all;

        memset(name, '#', sizeof name);
        CHECK_EQ(MPI_T_pvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                     NULL, NULL),
                 MPI_SUCCESS);
        CHECK_EQ(length, all);
        if (room > 0)
            CHECK(strlen(name) == (size_t)seen - 1 && strncmp(name, "inkling_sleeps", strlen(name)) == 0);
        if (room < (int)sizeof name)
            CHECK_EQ(name[room], '#');
    }
}

static int enumerations_of_variables(void)
{
    MPI_T_enum items;
    int all = 0, found = 0, bind = -1;

    MPI_T_cvar_get_num(&all);
    for (int i = 0; i < all; i++) {
        MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, &items, NULL, NULL, &bind, NULL);
        found += items != MPI_T_ENUM_NULL && bind == MPI_T_BIND_NO_OBJECT; /* a communicator's has the same */
    }
    MPI_T_event_get_num(&all);
    return found + all + 1; /* and that of inkling_crowd */
}

/* No handle is one of an enumeration but those that are given out; each has its items, and no more. */
static void enumerations(void)
{
    char name[80];
    int found = 0;

    for (uintptr_t word = 0; word < MOST_ENUMERATIONS; word++) {
        int items = 0, value = -1, length = sizeof name,
            code = MPI_T_enum_get_info((MPI_T_enum)word, &items, name, &length);

        if (code) {
            CHECK_EQ(code, MPI_T_ERR_INVALID_HANDLE);
            continue;
        }
        found++;
        CHECK(strncmp(name, "inkling_", 8) == 0 && items > 0);
        length = sizeof name;
        CHECK_EQ(MPI_T_enum_get_item((MPI_T_enum)word, items - 1, &value, name, &length), MPI_SUCCESS);
        CHECK_EQ(value, items - 1);
        CHECK(*name && (size_t)length == strlen(name) + 1);
        CHECK_EQ(MPI_T_enum_get_item((MPI_T_enum)word, items, &value, name, &length),
                 MPI_T_ERR_INVALID_INDEX);
        CHECK_EQ(MPI_T_enum_get_item((MPI_T_enum)word, 0, NULL, NULL, NULL), MPI_SUCCESS);
    }
    CHECK_EQ(found, enumerations_of_variables());
    CHECK_EQ(MPI_T_enum_get_info((MPI_T_enum)0, NULL, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

int main(void)
{
    refuse_to_begin();
    names_and_indices();
    variables();
    registrations();
    texts();
    enumerations();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
