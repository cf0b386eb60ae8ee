/* ranks: 1 */
/* Registrations of events: their order, the callback that is chosen, what is dropped, freeing. Offered hints are the events. */
#include "mpit.h"

#include <stdint.h>

enum {
    ROOM = 1024, /* events that wait to be told */
    MOST = ROOM + 80
};

static MPI_T_event_registration heard[2 * MOST];
static void *with[2 * MOST];
static int calls, drops;
static MPI_Count dropped;
static MPI_T_event_registration to_free;

static void hear(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)e, (void)safety;
    heard[calls] = r;
    with[calls++] = data;
}

static void hear_drop(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety safety,
                      void *data)
{
    (void)r, (void)source, (void)safety, (void)data;
    drops++;
    dropped += count;
}

static void free_another(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                         void *data)
{
    hear(e, r, safety, data);
    CHECK_EQ(MPI_T_event_handle_free(to_free, NULL, NULL), MPI_SUCCESS);
    if (to_free == r) /* it ends only now, but nobody may use it */
        CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

static MPI_T_event_registration hints(void)
{
    MPI_T_event_registration r = NULL;
    int index = -1;

    CHECK_EQ(MPI_T_event_get_index("inkling_hint", &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &r), MPI_SUCCESS);
    return r;
}

static void listen_to(MPI_T_event_registration r, MPI_T_cb_safety safety, void *data,
                      MPI_T_event_cb_function *f)
{
    CHECK_EQ(MPI_T_event_register_callback(r, safety, MPI_INFO_NULL, data, f), MPI_SUCCESS);
}

/* Offers so many hints that nobody knows. */
static void offer(int count)
{
    char key[32];
    MPI_Info info;

    calls = drops = 0;
    dropped = 0;
    MPI_Info_create(&info);
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "stranger_%d", i);
        MPI_Info_set(info, key, "1");
    }
    MPI_Comm_set_info(MPI_COMM_SELF, info);
    MPI_Info_free(&info);
}

static void lowest_level_is_called(void)
{
    int none, restricted, threads;
    MPI_T_event_registration r = hints();

    listen_to(r, MPI_T_CB_REQUIRE_NONE, &none, hear);
    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, &threads, hear);
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK(with[0] == &threads);
    listen_to(r, MPI_T_CB_REQUIRE_MPI_RESTRICTED, &restricted, hear);
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK(with[0] == &restricted);
    listen_to(r, MPI_T_CB_REQUIRE_MPI_RESTRICTED, NULL, NULL);
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK(with[0] == &threads);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

static void all_are_told_in_their_order(void)
{
    MPI_T_event_registration first = hints(), second = hints();

    listen_to(second, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK(heard[0] == second);
    listen_to(first, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    offer(2);
    CHECK_EQ(calls, 4);
    for (int i = 0; i < 4; i++)
        CHECK(heard[i] == (i % 2 ? second : first));
    CHECK_EQ(MPI_T_event_handle_free(first, NULL, NULL), MPI_SUCCESS);
    offer(1); /* the other still wants them */
    CHECK_EQ(calls, 1);
    CHECK_EQ(MPI_T_event_handle_free(second, NULL, NULL), MPI_SUCCESS);
}

static void freed_ones_are_not_told(void)
{
    MPI_T_event_registration first = hints(), second = hints();

    listen_to(first, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, free_another);
    listen_to(second, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    to_free = second;
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK(heard[0] == first);
    to_free = first;
    offer(2);
    CHECK_EQ(calls, 1);
}

static void count_what_is_dropped(void)
{
    MPI_T_event_registration r = hints();

    CHECK_EQ(MPI_T_event_set_dropped_handler(r, hear_drop), MPI_SUCCESS);
    listen_to(r, MPI_T_CB_REQUIRE_NONE, NULL, hear);
    offer(3);
    CHECK_EQ(MPI_T_event_set_dropped_handler(r, hear_drop), MPI_SUCCESS); /* the count stays */
    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    offer(2);
    CHECK_EQ(calls, 2);
    CHECK_EQ(drops, 1);
    CHECK_EQ(dropped, 3);
    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, NULL);
    offer(3);
    CHECK_EQ(MPI_T_event_set_dropped_handler(r, NULL), MPI_SUCCESS); /* nobody is told of those */
    offer(4);
    CHECK_EQ(MPI_T_event_set_dropped_handler(r, hear_drop), MPI_SUCCESS);
    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    offer(1);
    CHECK_EQ(calls, 1);
    CHECK_EQ(drops, 0);
    offer(MOST); /* all before one is told */
    CHECK_EQ(calls, ROOM);
    CHECK_EQ(drops, 1);
    CHECK_EQ(dropped, MOST - ROOM);
    offer(1);
    CHECK_EQ(drops, 0);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

/* The last MPI_T_finalize ends those that are left. */
static void end_with_the_interface(void)
{
    MPI_T_event_registration r = hints();

    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, hear);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    offer(1);
    CHECK_EQ(calls, 0);
    mpit_open();
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

static char record[256];
static MPI_Count stamp;

static void copy(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)r, (void)safety, (void)data;
    CHECK_EQ(MPI_T_event_copy(e, record), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_get_timestamp(e, &stamp), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_copy(e, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_read(e, 0, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_read(e, -1, record), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_get_timestamp(e, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_get_source(e, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_copy(NULL, record), MPI_T_ERR_INVALID_HANDLE);
}

/* A copy has its elements where MPI_T_event_get_info says, and a time of the source's clock. */
static void copies_are_as_described(void)
{
    MPI_T_event_registration r = hints();
    MPI_Datatype type[2];
    MPI_Aint place[2];
    MPI_Count before = 0, after = 0;
    int64_t verdict = 0;
    int index, elements = 2;

    MPI_T_event_get_index("inkling_hint", &index);
    CHECK_EQ(
        MPI_T_event_get_info(index, NULL, NULL, NULL, type, place, &elements, NULL, NULL, NULL, NULL, NULL),
        MPI_SUCCESS);
    CHECK_EQ(elements, 2);
    CHECK(type[0] == MPI_CHAR && type[1] == MPI_INT64_T);
    listen_to(r, MPI_T_CB_REQUIRE_THREAD_SAFE, NULL, copy);
    MPI_T_source_get_timestamp(0, &before);
    offer(1);
    MPI_T_source_get_timestamp(0, &after);
    CHECK(before <= stamp && stamp <= after);
    CHECK_STR(record, "stranger_0");
    memcpy(&verdict, record + place[1], sizeof verdict);
    CHECK_EQ(verdict, 2);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    mpit_open();
    MPI_Init(&argc, &argv);
    lowest_level_is_called();
    all_are_told_in_their_order();
    freed_ones_are_not_told();
    count_what_is_dropped();
    copies_are_as_described();
    end_with_the_interface();
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
