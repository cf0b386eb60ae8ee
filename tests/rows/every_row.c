/* every_row: walks the hint table, so that no row is without a test.
 *
 * Of each communicator row: each legal value and an illegal one, at creation and in set_info, what get_info
 * says, that a dup does not take it, and what happens when the ranks disagree. Windows' rows: every_win_row.c; files' rows: every_file_row.c. Of
 * each row that claims to be active, in any scope: its effect. Linked with the library's objects, since the table is not exported.
 */
#include "check.h"
#include "coll/shm/shm_coll.h"
#include "comm/comm.h"
#include "hint/hint.h"
#include "hints/hints.h"

#include <ctype.h>

static void set(MPI_Comm comm, const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);

    CHECK_EQ(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_Comm dup_with(const struct hint_row *row, const char *value)
{
    MPI_Info info = info_with(row->key, value);
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return comm;
}

/* get_info gives this value; NULL: none. */
static void expect(MPI_Comm comm, const struct hint_row *row, const char *value)
{
    char now[MPI_MAX_INFO_VAL + 1];
    int size = sizeof now, found;
    MPI_Info info;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, row->key, &size, now, &found), MPI_SUCCESS);
    CHECK_EQ(found, value != NULL);
    if (value)
        CHECK_STR(now, value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static int rank_of(MPI_Comm comm)
{
    int rank;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    return rank;
}

enum {
    VALUES = 3
};

static const char *const *legal_values(const struct hint_row *row)
{
    static const char *const booleans[VALUES] = {"true", "false", "true"};
    static const char *const kinds[VALUES] = {"system", "mpi,system", "mpi:alloc_mem,system"};
    static const char *const choices[VALUES] = {"mailbox", "auto", "mailbox"};
    static const char *const sizes[VALUES] = {"100", "2K", "0"};

    CHECK(row->type == HINT_BOOL || row->type == HINT_KINDS || row->type == HINT_SIZE ||
          row->type == HINT_CHOICE); /* a new type needs values here */
    return row->type == HINT_BOOL     ? booleans
           : row->type == HINT_CHOICE ? choices
           : row->type == HINT_SIZE   ? sizes
                                      : kinds;
}

static const char *illegal_value(const struct hint_row *row)
{
    return row->type == HINT_KINDS ? "system,granite" : "perhaps";
}

static void walk_values(const struct hint_row *row)
{
    const char *const *value = legal_values(row);
    MPI_Comm a, b;

    for (int i = 0; i < VALUES; i++) {
        a = dup_with(row, value[i]);
        expect(a, row, value[i]);
        set(a, row, value[(i + 1) % VALUES]);
        expect(a, row, value[(i + 1) % VALUES]);
        set(a, row, illegal_value(row));
        expect(a, row, value[(i + 1) % VALUES]);
        CHECK_EQ(MPI_Comm_dup(a, &b), MPI_SUCCESS);
        expect(b, row, row->def);
        CHECK_EQ(MPI_Comm_free(&b), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    }
    a = dup_with(row, illegal_value(row));
    expect(a, row, row->def);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

/* The last rank differs from the others. */
static void walk_disagreement(const struct hint_row *row)
{
    const char *const *value = legal_values(row), *mine, *expected;
    int size, is_last;
    MPI_Comm a;

    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    is_last = rank_of(MPI_COMM_WORLD) == size - 1;
    mine = value[is_last ? 0 : 1];
    expected = row->agree == AGREE_SAME && size > 1 ? row->def : mine;
    a = dup_with(row, mine);
    expect(a, row, expected);
    set(a, row, value[0]);
    expect(a, row, value[0]);
    set(a, row, mine);
    expect(a, row, expected);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

static void walk_read_only(const struct hint_row *row)
{
    MPI_Comm a = dup_with(row, "system");

    expect(a, row, row->def);
    set(a, row, "mpi");
    expect(a, row, row->def);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

/* Of a session with this value get_info reports that one. */
static void expect_of_session(const struct hint_row *row, const char *given, const char *expected)
{
    MPI_Info info = info_with(row->key, given), used;
    char now[MPI_MAX_INFO_VAL + 1];
    int size = sizeof now, found;
    MPI_Session session;

    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_info(session, &used), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(used, row->key, &size, now, &found), MPI_SUCCESS);
    CHECK(found);
    CHECK_STR(now, expected);
    CHECK_EQ(MPI_Info_free(&used), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
}

static void walk_session(const struct hint_row *row)
{
    if (row->type == HINT_KINDS) {
        expect_of_session(row, "mpi:alloc_mem,granite", "mpi:alloc_mem,mpi,system");
        expect_of_session(row, "", row->def);
        return;
    }
    CHECK_EQ(row->type, HINT_CHOICE); /* a new type needs values here */
    for (const char *rest = row->choices; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        char value[64];

        snprintf(value, sizeof value, "%.*s", (int)strcspn(rest, ","), rest);
        expect_of_session(row, value, value);
    }
    expect_of_session(row, "perhaps", row->def);
}

/* Effects: `comm` has the hint as "true". */

static void no_any_tag(MPI_Comm comm)
{
    int in;

    CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG);
}

static void no_any_source(MPI_Comm comm)
{
    int in;

    CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
}

static void exact_length(MPI_Comm comm)
{
    int in[2], out = 0, rank = rank_of(comm);

    CHECK_EQ(MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, in, 2, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE),
             MPI_ERR_TRUNCATE);
}

/* mpi_memory_alloc_kinds follows what is asserted; its row cannot be set itself. What becomes of buffers:
 * kinds/devices.c. */
static void memory_kinds(MPI_Comm comm)
{
    set(comm, &hint_table[HINT_ASSERT_MEMORY_KINDS], "system");
    expect(comm, &hint_table[HINT_MEMORY_KINDS], "system");
}

/* The mailboxes of a persistent collective of so many bytes; NULL: none. */
static struct mailboxes *mailboxes_of(struct comm *c, const struct choice_list *list, size_t bytes)
{
    struct coll_call call = {.list = list, .in = block_empty(), .out = block_empty()};
    uint32_t tag = 0;

    return shm_coll_traits(c, &call, &c->hints, bytes)
               ? shm_coll_open(c, &call, list->algorithm, FORM_PERSISTENT, bytes, &tag)
               : NULL;
}

/* All persistent collectives share mailboxes, one start behind the other. */
static void strict_ordering(MPI_Comm comm)
{
    struct comm *c = pool_find(&comm_pool, (uint64_t)(uintptr_t)comm);
    int one = 1, sum = 0;
    struct mailboxes *boxes = mailboxes_of(c, &allreduce_list, sizeof one);
    MPI_Request request;

    CHECK_EQ(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request), MPI_SUCCESS);
    CHECK_EQ(boxes != NULL, c->size > 1);
    CHECK_EQ(mailboxes_of(c, &barrier_list, 0), boxes);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, c->size);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

/* Where threads may meet, messages are spread over lanes: pt2pt/p2p_threads_overtaking.c. One thread has one.
 */
static void allow_overtaking(MPI_Comm comm)
{
    struct comm *c = pool_find(&comm_pool, (uint64_t)(uintptr_t)comm);

    CHECK_EQ(c->spread, lock_enabled ? NET_LANES : 1);
}

static void (*const effect[HINT_COUNT])(MPI_Comm comm) = {
    [HINT_STRICT_PERSISTENT_ORDERING] = strict_ordering,
    [HINT_NO_ANY_TAG] = no_any_tag,
    [HINT_NO_ANY_SOURCE] = no_any_source,
    [HINT_EXACT_LENGTH] = exact_length,
    [HINT_ALLOW_OVERTAKING] = allow_overtaking,
    [HINT_ASSERT_MEMORY_KINDS] = memory_kinds,
    [HINT_MEMORY_KINDS] = memory_kinds,
};

static void walk_effect(int id)
{
    const struct hint_row *row = &hint_table[id];
    MPI_Comm a;

    if (row->state == EFFECT_IDLE) {
        CHECK(!effect[id]); /* what has an effect is active */
        return;
    }
    CHECK(effect[id] != NULL);
    a = dup_with(row, "true");
    CHECK_EQ(MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN), MPI_SUCCESS);
    effect[id](a);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
}

/* Settings work on whole runs, hints of sessions, memory and windows without a communicator: the tests of their
 * effects, below tests/. */
static const char *const effect_test[HINT_COUNT] = {
    [HINT_THREAD_LEVEL] = "rows/thread_level.c",
    [HINT_MINIMUM_MEMORY_ALIGNMENT] = "mpi/environment/alloc_mem.c",
    [HINT_NO_LOCKS] = "hints/r37_windows_refuse_broken_promises.c",
    [HINT_SAME_SIZE] = "hints/r40_memory_of_windows_lies_as_asked.c",
    [HINT_SAME_DISP_UNIT] = "hints/r40_memory_of_windows_lies_as_asked.c",
    [HINT_SHARED_NONCONTIG] = "hints/r40_memory_of_windows_lies_as_asked.c",
    [HINT_ACCUMULATE_OPS] = "hints/replacements_take_no_lock.c",
    [HINT_ACCUMULATE_GRANULARITY] = "hints/r36_windows_give_the_same_results.c",
    [HINT_ACCESS_STYLE] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_FILENAME] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_FILE_PERM] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_COLLECTIVE_BUFFERING] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_CB_BLOCK_SIZE] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_CB_BUFFER_SIZE] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_CB_NODES] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_STRIPING_FACTOR] = "files/striped.c",
    [HINT_STRIPING_UNIT] = "files/striped.c",
    [HINT_CB_READ] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_CB_WRITE] = "hints/r41_collective_accesses_are_buffered_as_asked.c",
    [HINT_DS_READ] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_DS_WRITE] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_IND_RD_BUFFER_SIZE] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_IND_WR_BUFFER_SIZE] = "hints/r41_files_are_accessed_as_asked.c",
    [HINT_EAGER_LIMIT] = "rows/settings.c",
    [HINT_CMA] = "rows/settings.c",
    [HINT_DEVICE_IPC] = "kinds/CMakeLists.txt",
    [HINT_SPIN_TIME] = "rows/settings.c",
    [HINT_LANES] = "mpi/pt2pt/p2p_threads_overtaking.c",
    [HINT_RING_SIZE] = "rows/settings.c",
    [HINT_BARRIER] = "coll/CMakeLists.txt",
    [HINT_BCAST] = "coll/CMakeLists.txt",
    [HINT_REDUCE] = "coll/CMakeLists.txt",
    [HINT_ALLREDUCE] = "coll/CMakeLists.txt",
    [HINT_ALLGATHER] = "coll/CMakeLists.txt",
    [HINT_ALLTOALL] = "coll/CMakeLists.txt",
    [HINT_REDUCE_SCATTER] = "coll/CMakeLists.txt",
    [HINT_GATHER] = "coll/CMakeLists.txt",
    [HINT_SCATTER] = "coll/CMakeLists.txt",
    [HINT_SCAN] = "coll/CMakeLists.txt",
    [HINT_HOST_RANKS] = "coll/ways.cmake",
    [HINT_TOPOLOGY] = "coll/ways.cmake",
    [HINT_REPRODUCIBLE_REDUCTIONS] = "coll/CMakeLists.txt",
    [HINT_HINTS_REPORT] = "report/report.py",
    [HINT_OUTSIDE] = "given/given.py",
    [HINT_RULES] = "rows/rules.c",
    [HINT_CHECK] = "launch/options.py",
    [HINT_STATS] = "launch/options.py",
    [HINT_CC] = "launch/wrappers.py",
    [HINT_TRANSPORT] = "net/settings.py",
    [HINT_NETWORK] = "net/settings.py",
    [HINT_OFI_PROVIDER] = "net/settings.py",
    [HINT_STAGING_SIZE] = "rows/settings.c",
    [HINT_CXX] = "launch/wrappers.py",
    [HINT_JOINT_LIMIT] = "mpi/pt2pt/p2p_joint.c",
    [HINT_REQUESTED_KINDS] = "kinds/devices.c",
    [HINT_TEST_KIND] = "kinds/CMakeLists.txt",
    [HINT_OFI_INTERFACE] = "net/settings.py",
    [HINT_NAME_DIRECTORY] = "spawn/names.py",
    [HINT_OFI_EAGER_LIMIT] = "rows/settings.c",
    [HINT_OFI_AUTH_KEY] = "net/keyed.py",
    [HINT_OFI_RMA] = "net/CMakeLists.txt",
    [HINT_WIN_RMA] = "net/CMakeLists.txt",
    [HINT_PROGRESS_THREAD] = "mpi/pt2pt/progress_thread.c",
    [HINT_PEER_TIMEOUT] = "net/faults.py",
    [HINT_SURVIVE] = "fault/survive.py",
    [HINT_CONNECT_TIMEOUT] = "connect/meeting.py",
};

/* The named test is there and speaks of the setting. */
static void walk_setting(int id)
{
    static char text[1 << 16];
    char path[1024], name[64] = "";
    const struct hint_row *row = &hint_table[id];
    size_t length;
    FILE *file;

    if (row->state != EFFECT_ACTIVE)
        return;
    for (int i = 0; row->key[i]; i++)
        name[i] =
            row->on & (ON_PROCESS | ON_COMMAND) ? (char)toupper((unsigned char)row->key[i]) : row->key[i];
    CHECK(effect_test[id] != NULL);
    snprintf(path, sizeof path, "%s/%s", TESTS, effect_test[id]);
    file = fopen(path, "r");
    CHECK(file != NULL);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    CHECK(strstr(text, name) != NULL);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    for (int id = 0; id < HINT_COUNT; id++) {
        const struct hint_row *row = &hint_table[id];

        if (row->on & (ON_PROCESS | ON_COMMAND)) {
            walk_setting(id);
            if (row->on & ON_COMM && id != HINT_RULES) { /* names a file: rules.c */
                walk_values(row);
                walk_disagreement(row);
            }
            continue;
        }
        /* a new kind of object needs a walk of its own */
        CHECK(!(row->on & ~(unsigned)(ON_COMM | ON_WIN | ON_FILE | ON_SESSION | ON_MEMORY)));
        if (row->on & ON_SESSION)
            walk_session(row);
        if (!(row->on & ON_COMM)) {
            walk_setting(id);
            continue;
        }
        if (row->when & READ_ONLY) {
            walk_read_only(row);
        } else {
            walk_values(row);
            walk_disagreement(row);
        }
        walk_effect(id);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
