/* ranks: 2 */
/* Events: types, registrations, callbacks with their levels of safety, elements, time stamps, dropped events. */
#include "mpit.h"

#include <stddef.h>
#include <stdint.h>

static int rank;
static struct {
    int calls, frees, drops, at_drop;
    int64_t source, tag, bytes;
    MPI_Count stamp, dropped;
    MPI_T_event_registration registration;
    MPI_T_event_instance instance;
} seen;

static void on_unexpected(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                          void *data)
{
    int64_t all[3];
    int from = -1, index = -1;
    char name[64];
    int length = sizeof name;
    MPI_Count stamp = 0;

    CHECK(data == &seen);
    CHECK_EQ(safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    CHECK_EQ(MPI_T_event_read(e, 0, &seen.source), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(e, 1, &seen.tag), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(e, 2, &seen.bytes), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(e, 3, &seen.bytes), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_copy(e, all), MPI_SUCCESS);
    CHECK(all[0] == seen.source && all[1] == seen.tag && all[2] == seen.bytes);
    CHECK_EQ(MPI_T_event_get_timestamp(e, &stamp), MPI_SUCCESS);
    CHECK(stamp >= seen.stamp);
    CHECK_EQ(MPI_T_event_get_source(e, &from), MPI_SUCCESS);
    CHECK_EQ(MPI_T_source_get_info(from, name, &length, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_STR(name, "inkling_messages");
    CHECK_EQ(MPI_T_event_get_index("inkling_message_unexpected", &index), MPI_SUCCESS);
    seen.stamp = stamp;
    seen.registration = r;
    seen.instance = e;
    seen.calls++;
}

static void on_dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety safety,
                       void *data)
{
    (void)r, (void)safety;
    CHECK(source >= 0);
    CHECK(data == &seen);
    seen.dropped = count;
    seen.drops++;
    seen.at_drop = seen.calls;
}

static void on_free(MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)r, (void)safety;
    CHECK(data == &seen);
    seen.frees++;
}

static void free_itself(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety,
                        void *data)
{
    (void)e, (void)safety;
    CHECK_EQ(MPI_T_event_handle_free(r, data, on_free), MPI_SUCCESS);
    CHECK_EQ(seen.frees, 0);
    seen.calls++;
}

/* Rank 1 gets so many messages before their receives, and receives them. */
static void come_early(int count, MPI_Comm comm)
{
    char c = 0;

    MPI_Barrier(comm); /* both have registered */
    for (int i = 0; i <= count && rank == 0; i++)
        MPI_Send(&c, 1, MPI_CHAR, 1, i < count ? i : 1000, comm);
    if (rank == 1) {
        MPI_Probe(0, 1000, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&c, 1, MPI_CHAR, 0, 1000, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            MPI_Recv(&c, 1, MPI_CHAR, 0, i, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
}

static MPI_T_event_registration registration_of(const char *name, MPI_Comm comm)
{
    MPI_T_event_registration r = NULL;
    int index = -1;

    CHECK_EQ(MPI_T_event_get_index(name, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(index, &comm, MPI_INFO_NULL, &r), MPI_SUCCESS);
    return r;
}

static void check_telling(MPI_Comm comm)
{
    MPI_T_event_registration r = registration_of("inkling_message_unexpected", comm);
    int64_t value;
    MPI_Comm other;

    memset(&seen, 0, sizeof seen);
    MPI_Comm_dup(comm, &other);
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &seen,
                                           on_unexpected),
             MPI_SUCCESS);
    come_early(5, comm);
    if (rank == 1) {
        CHECK(seen.calls >= 5);
        CHECK_EQ(seen.source, 0);
        CHECK(seen.tag == 4 || seen.tag == 1000); /* the last one may have come after its probe */
        CHECK_EQ(seen.bytes, 1);
        CHECK(seen.registration == r);
    } else {
        CHECK_EQ(seen.calls, 0);
    }
    CHECK_EQ(MPI_T_event_read(seen.instance, 0, &value),
             MPI_T_ERR_INVALID_HANDLE); /* outside of its callback */
    seen.calls = 0;
    come_early(5, other);
    CHECK_EQ(seen.calls, 0); /* bound to comm */
    CHECK_EQ(MPI_T_event_handle_free(r, &seen, on_free), MPI_SUCCESS);
    CHECK_EQ(seen.frees, 1);
    come_early(5, comm);
    CHECK_EQ(seen.calls, 0);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    MPI_Comm_free(&other);
}

/* A callback that wants to call all of MPI is never safe enough. What it misses is told to the handler, before the next
 * event that a callback gets. */
static void check_dropping(MPI_Comm comm)
{
    MPI_T_event_registration r = registration_of("inkling_message_unexpected", comm);

    memset(&seen, 0, sizeof seen);
    CHECK_EQ(MPI_T_event_set_dropped_handler(r, on_dropped), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &seen, on_unexpected),
             MPI_SUCCESS);
    come_early(4, comm);
    CHECK_EQ(seen.calls, 0);
    CHECK_EQ(seen.drops, 0);
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, &seen,
                                           on_unexpected),
             MPI_SUCCESS);
    come_early(3, comm);
    if (rank == 1) {
        CHECK_EQ(seen.drops, 1);
        CHECK(seen.dropped >= 4);
        CHECK_EQ(seen.at_drop, 0);
        CHECK(seen.calls >= 3);
    }
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, NULL, NULL),
             MPI_SUCCESS);
    seen.calls = 0;
    come_early(3, comm);
    CHECK_EQ(seen.calls, 0);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

static void check_freeing_in_callback(MPI_Comm comm)
{
    MPI_T_event_registration r = registration_of("inkling_message_unexpected", comm);

    memset(&seen, 0, sizeof seen);
    MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &seen, free_itself);
    come_early(4, comm);
    CHECK_EQ(seen.calls, rank == 1);
    CHECK_EQ(seen.frees, rank == 1);
    if (rank == 0)
        MPI_T_event_handle_free(r, NULL, NULL);
}

static char hint_key[64];
static int64_t hint_verdict;
static void on_hint(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)r, (void)safety, (void)data;
    CHECK_EQ(MPI_T_event_read(e, 0, hint_key), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(e, 1, &hint_verdict), MPI_SUCCESS);
    seen.calls++;
}

static void count_call(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)e, (void)r, (void)safety;
    ++*(int *)data;
}

static void check_other_types(void)
{
    static char large[200000];
    int collectives = 0, messages = 0;
    MPI_T_event_registration hints = registration_of("inkling_hint", MPI_COMM_NULL);
    MPI_T_event_registration coll = registration_of("inkling_collective", MPI_COMM_WORLD);
    MPI_T_event_registration mess = registration_of("inkling_large_message", MPI_COMM_WORLD);
    MPI_Info info;

    seen.calls = 0;
    MPI_T_event_register_callback(hints, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, on_hint);
    MPI_T_event_register_callback(coll, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &collectives,
                                  count_call);
    MPI_T_event_register_callback(mess, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &messages, count_call);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "perhaps");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    CHECK_EQ(seen.calls, 1);
    CHECK_STR(hint_key, "mpi_assert_no_any_tag");
    CHECK_EQ(hint_verdict, 3);
    collectives = 0;
    for (int i = 0; i < 3; i++)
        MPI_Bcast(large, 8, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK_EQ(collectives, 3);
    if (rank == 0)
        MPI_Send(large, sizeof large, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(large, sizeof large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(messages, rank);
    CHECK_EQ(MPI_T_event_handle_free(hints, NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_free(coll, NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_free(mess, NULL, NULL), MPI_SUCCESS);
}

static void check_types(void)
{
    int count = 0, sources = 0;

    CHECK_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
    CHECK_EQ(MPI_T_source_get_num(&sources), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        char name[64], text[512], item[64];
        int length = sizeof name, text_length = sizeof text, elements = 8, bind = 0, back = -1, value,
            items = 0;
        MPI_Datatype type[8];
        MPI_Aint place[8];
        MPI_T_enum names = MPI_T_ENUM_NULL;
        MPI_Info info = MPI_INFO_NULL;

        CHECK_EQ(MPI_T_event_get_info(i, name, &length, NULL, type, place, &elements, &names, &info, text,
                                      &text_length, &bind),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_get_index(name, &back), MPI_SUCCESS);
        CHECK_EQ(back, i);
        CHECK(elements >= 1 && elements <= 8);
        CHECK_EQ(place[0], 0);
        for (int e = 1; e < elements; e++)
            CHECK(place[e] > place[e - 1] && type[e] == MPI_INT64_T);
        CHECK_EQ(MPI_T_enum_get_info(names, &items, NULL, NULL), MPI_SUCCESS);
        CHECK_EQ(items, elements);
        length = sizeof item;
        CHECK_EQ(MPI_T_enum_get_item(names, 0, &value, item, &length), MPI_SUCCESS);
        CHECK(*item);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
        elements = 1;
        type[1] = MPI_DATATYPE_NULL;
        MPI_T_event_get_info(i, NULL, NULL, NULL, type, NULL, &elements, NULL, NULL, NULL, NULL, NULL);
        CHECK(type[1] == MPI_DATATYPE_NULL);
        CHECK_EQ(elements, items);
    }
    CHECK_EQ(MPI_T_event_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_get_index("no such", &count), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_event_get_num(NULL), MPI_T_ERR_INVALID);
    for (int i = 0; i < sources; i++) {
        MPI_T_source_order order = 0;
        MPI_Count ticks = 0, most = 0, first = 0, second = 0;
        MPI_Info info;
        int keys = -1;

        CHECK_EQ(MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, &order, &ticks, &most, &info), MPI_SUCCESS);
        CHECK_EQ(order, MPI_T_SOURCE_ORDERED);
        CHECK_EQ(ticks, 1000000000);
        CHECK(most > 0);
        MPI_Info_get_nkeys(info, &keys);
        CHECK_EQ(keys, 0);
        MPI_Info_free(&info);
        CHECK_EQ(MPI_T_source_get_timestamp(i, &first), MPI_SUCCESS);
        CHECK_EQ(MPI_T_source_get_timestamp(i, &second), MPI_SUCCESS);
        CHECK(first > 0 && second >= first);
    }
    CHECK_EQ(MPI_T_source_get_timestamp(sources, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_source_get_num(NULL), MPI_T_ERR_INVALID);
}

static void check_errors(void)
{
    MPI_T_event_registration r = registration_of("inkling_sleep", MPI_COMM_NULL), none = NULL;
    MPI_Info info = MPI_INFO_NULL, empty;
    MPI_Comm comm = MPI_COMM_NULL;
    int index, keys = -1;

    MPI_T_event_get_index("inkling_large_message", &index);
    CHECK_EQ(MPI_T_event_handle_alloc(index, &comm, info, &none), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_alloc(index, NULL, info, &none), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_alloc(-1, NULL, info, &none), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_handle_alloc(index, NULL, info, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_register_callback(r, 1, info, NULL, count_call), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_register_callback(none, MPI_T_CB_REQUIRE_NONE, info, NULL, count_call),
             MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_set_dropped_handler(none, on_dropped), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_set_info(none, info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_get_info(none, &empty), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_callback_set_info(r, MPI_T_CB_REQUIRE_NONE, info), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_NONE, &empty), MPI_T_ERR_INVALID);
    MPI_Info_create(&info);
    MPI_Info_set(info, "some", "hint");
    CHECK_EQ(MPI_T_event_handle_set_info(r, info), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_get_info(r, &empty), MPI_SUCCESS);
    MPI_Info_get_nkeys(empty, &keys);
    CHECK_EQ(keys, 0);
    MPI_Info_free(&empty);
    CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, info, NULL, count_call), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_callback_set_info(r, MPI_T_CB_REQUIRE_NONE, info), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_NONE, &empty), MPI_SUCCESS);
    MPI_Info_free(&empty);
    MPI_Info_free(&info);
    CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    mpit_open();
    check_types();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_errors();
    check_telling(MPI_COMM_WORLD);
    check_dropping(MPI_COMM_WORLD);
    check_freeing_in_callback(MPI_COMM_WORLD);
    check_other_types();
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
