/* ranks: 1 2  env: INKLING_SPIN_TIME=7ms */
/* Control variables: their names, types and enumerations, reading and writing, before and after MPI_Init. */
#include "mpit.h"

#include <stdint.h>

#ifndef DEFAULT_LIMIT /* tests/foreign: where it is built for MPICH */
#define DEFAULT_LIMIT 4096
#endif

static MPI_T_cvar_handle open_variable(const char *name, int *count)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int index = -1;

    CHECK_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, count), MPI_SUCCESS);
    CHECK(handle != MPI_T_CVAR_HANDLE_NULL);
    return handle;
}

static int64_t value_of(const char *name)
{
    int64_t value = -1;
    int count = 0;
    MPI_T_cvar_handle handle = open_variable(name, &count);

    CHECK_EQ(count, 1);
    CHECK_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    return value;
}

static int write_to(const char *name, const void *value)
{
    int count, code;
    MPI_T_cvar_handle handle = open_variable(name, &count);

    code = MPI_T_cvar_write(handle, value);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    return code;
}

/* Each has a name of its own, which leads back to it, and a text. */
static void check_list(void)
{
    int count = 0, of_comms = 0;

    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        char name[64] = "", text[1024] = "";
        int length = sizeof name, text_length = sizeof text, verbosity = 0, bind = 0, scope = 0, back = -1;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum items = MPI_T_ENUM_NULL;

        CHECK_EQ(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &items, text, &text_length, &bind,
                                     &scope),
                 MPI_SUCCESS);
        CHECK_EQ(length, strlen(name) + 1);
        CHECK_EQ(text_length, strlen(text) + 1);
        CHECK_EQ(MPI_T_cvar_get_index(name, &back), MPI_SUCCESS);
        CHECK_EQ(back, i);
        CHECK(type == MPI_INT || type == MPI_INT64_T || type == MPI_CHAR);
        CHECK_EQ(items != MPI_T_ENUM_NULL, type == MPI_INT);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        if (strncmp(name, "inkling_comm_", 13) == 0) {
            CHECK_EQ(bind, MPI_T_BIND_MPI_COMM);
            CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_READONLY);
            of_comms++;
        } else {
            CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
            CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_ALL_EQ);
        }
    }
    CHECK(of_comms > 2 && of_comms < count / 2);
    CHECK_EQ(MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
}

static void check_errors(void)
{
    int count = 0, index = 0, length = 10;
    char name[10];
    MPI_T_cvar_handle handle;

    MPI_T_cvar_get_num(&count);
    CHECK_EQ(MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_get_info(-1, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_handle_alloc(count, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, NULL, &count), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_get_index("inkling_no_such", &index), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_cvar_get_index("inkling_cc", &index), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_cvar_get_index(NULL, &index), MPI_T_ERR_INVALID);
    handle = open_variable("inkling_spin_time", &count);
    CHECK_EQ(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_write(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, name), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, name), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID);
}

/* Strings by the convention of the chapter. */
static void check_strings(void)
{
    char name[8] = "#######";
    int length = 8, index;

    MPI_T_cvar_get_index("inkling_eager_limit", &index);
    MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK_STR(name, "inkling");
    CHECK_EQ(length, sizeof "inkling_eager_limit");
    length = 0;
    MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK_EQ(length, sizeof "inkling_eager_limit");
    CHECK_STR(name, "inkling");
    length = 100;
    MPI_T_cvar_get_info(index, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK_EQ(length, sizeof "inkling_eager_limit");
    memset(name, '#', sizeof name);
    MPI_T_cvar_get_info(index, name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK_EQ(name[0], '#');
}

static void check_enumeration(void)
{
    char name[64];
    int index, length = sizeof name, count = 0, value = -1, tree = -1;
    MPI_T_enum items;

    MPI_T_cvar_get_index("inkling_barrier", &index);
    MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &items, NULL, NULL, NULL, NULL);
    CHECK_EQ(MPI_T_enum_get_info(items, &count, name, &length), MPI_SUCCESS);
    CHECK_STR(name, "inkling_barrier");
    CHECK_EQ(count, 7);
    for (int i = 0; i < count; i++) {
        length = sizeof name;
        CHECK_EQ(MPI_T_enum_get_item(items, i, &value, name, &length), MPI_SUCCESS);
        if (strcmp(name, "tree") == 0)
            tree = value;
    }
    CHECK_EQ(write_to("inkling_barrier", &tree), MPI_SUCCESS);
    CHECK_EQ((int)value_of("inkling_barrier"), tree);
    value = count;
    CHECK_EQ(write_to("inkling_barrier", &value), MPI_T_ERR_INVALID);
    value = 0;
    CHECK_EQ(write_to("inkling_barrier", &value), MPI_SUCCESS);
    CHECK_EQ(MPI_T_enum_get_item(items, count, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_enum_get_item(items, -1, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &value, name, &length), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &count, name, &length), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_enum_get_info((MPI_T_enum)100000, &count, name, &length), MPI_T_ERR_INVALID_HANDLE);
}

/* What is written before MPI_Init holds, also against the environment. */
static void write_early(void)
{
    int64_t limit = 100, spin = 1000000, too_much = 1ll << 40;

    CHECK_EQ(value_of("inkling_spin_time"), 7000000);
    CHECK_EQ(write_to("inkling_spin_time", &spin), MPI_SUCCESS);
    CHECK_EQ(value_of("inkling_eager_limit"), DEFAULT_LIMIT);
    CHECK_EQ(write_to("inkling_eager_limit", &limit), MPI_SUCCESS);
    CHECK_EQ(write_to("inkling_eager_limit", &too_much), MPI_T_ERR_INVALID);
    CHECK_EQ(value_of("inkling_eager_limit"), 100);
}

static void write_late(void)
{
    int64_t limit = 120, spin = 2000000, ring = 65536;

    CHECK_EQ(value_of("inkling_spin_time"), 1000000);
    CHECK_EQ(value_of("inkling_eager_limit"), 100);
    CHECK_EQ(write_to("inkling_eager_limit", &limit), MPI_SUCCESS);
    CHECK_EQ(value_of("inkling_eager_limit"), 120);
    CHECK_EQ(write_to("inkling_ring_size", &ring), MPI_T_ERR_CVAR_SET_NEVER);
    CHECK_EQ(write_to("inkling_spin_time", &spin), MPI_SUCCESS);
    CHECK_EQ(value_of("inkling_spin_time"), 2000000);
}

static MPI_T_cvar_handle open_on(const char *name, MPI_Comm comm)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int index = -1, count = 0;

    CHECK_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, &comm, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    return handle;
}

/* A communicator's value is the process's, until it is given one. */
static void check_of_comm(void)
{
    int64_t value = -1, limit = 200, too_much = 1ll << 40;
    int algorithm = -1, tree = 2, flag = 0, length = 16;
    char text[16];
    MPI_Comm comm;
    MPI_Info info;
    MPI_T_cvar_handle own, barrier, other;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    own = open_on("inkling_comm_eager_limit", comm);
    other = open_on("inkling_comm_eager_limit", MPI_COMM_WORLD);
    barrier = open_on("inkling_comm_barrier", comm);
    CHECK_EQ(MPI_T_cvar_read(own, &value), MPI_SUCCESS);
    CHECK_EQ(value, 120);
    CHECK_EQ(MPI_T_cvar_write(own, &too_much), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_write(own, &limit), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(own, &value), MPI_SUCCESS);
    CHECK_EQ(value, 200);
    CHECK_EQ(MPI_T_cvar_read(other, &value), MPI_SUCCESS);
    CHECK_EQ(value, 120);
    CHECK_EQ(value_of("inkling_eager_limit"), 120);
    CHECK_EQ(MPI_T_cvar_write(barrier, &tree), MPI_T_ERR_CVAR_SET_NEVER);
    MPI_Info_create(&info);
    MPI_Info_set(info, "inkling_barrier", "tree");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    CHECK_EQ(MPI_T_cvar_read(barrier, &algorithm), MPI_SUCCESS);
    CHECK_EQ(algorithm, 3);
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_string(info, "inkling_eager_limit", &length, text, &flag);
    CHECK(flag);
    CHECK_STR(text, "200");
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_T_cvar_read(own, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_write(own, &limit), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_free(&own), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_free(&other), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_free(&barrier), MPI_SUCCESS);
}

static void check_text(void)
{
    char text[MPI_MAX_INFO_VAL] = "#";
    int count;
    MPI_T_cvar_handle handle = open_variable("inkling_name_directory", &count);

    CHECK(count > 1 && count <= (int)sizeof text);
    CHECK_EQ(MPI_T_cvar_read(handle, text), MPI_SUCCESS);
    CHECK_STR(text, "");
    CHECK_EQ(MPI_T_cvar_write(handle, "/tmp/names"), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(handle, text), MPI_SUCCESS);
    CHECK_STR(text, "/tmp/names");
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle sent;
    char buffer[150] = "";
    int rank, size;

    mpit_open();
    check_list();
    check_errors();
    check_strings();
    check_text();
    write_early();
    MPI_Init(&argc, &argv);
    write_late();
    check_enumeration();
    check_of_comm();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_T_pvar_session_create(&session);
    sent = mpit_start(session, "inkling_rendezvous_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    if (rank == 0 && size > 1) { /* 150 bytes are above the limit that was written */
        MPI_Send(buffer, sizeof buffer, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        CHECK_EQ(mpit_read(session, sent), 1);
    } else if (rank == 1) {
        MPI_Recv(buffer, sizeof buffer, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_T_pvar_session_free(&session);
    MPI_Finalize();
    CHECK_EQ(value_of("inkling_eager_limit"), 120);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
