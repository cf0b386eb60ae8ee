/* ranks: 1 2  timeout: 60 */
/* A table of calls that are refused, of every chapter. Each must leave the state of all that it could change as it was; what
 * can be asked without changing it is written down as text before and after each call. In the end everything still works. */
#include "check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TEXT = 8192,
    ITEMS = 4,
    WORDS = 16,
    BIG = 4000
};

static const MPI_Offset most = INT64_MAX;

static int rank, size, right, left;
static MPI_Comm comm, grid;
static MPI_Request inactive[2], active, parts, wait_for[2], done;
static MPI_Datatype raw, pair;
static MPI_Info info;
static MPI_Group group;
static MPI_File file;
static MPI_Win fenced, locked, idle, dynamic;
static int *fenced_words, *locked_words, *idle_words;
static int keyval, attribute, type_keyval, attached_buffer[1000];
static int data[ITEMS], got[ITEMS]; /* what goes into calls, and what they must not write */
static int big[BIG], minus_one = -1, zero;
static MPI_Aint zero_address;
static char word[64], long_text[2 * MPI_MAX_INFO_VAL];

/* Out arguments, as they are before each call. */
static struct outputs {
    int index, flag, position, indices[ITEMS];
    MPI_Request request;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Win win;
    MPI_Info info;
    MPI_File file;
    MPI_Op op;
    MPI_Status status;
    MPI_Message message;
    MPI_Aint address;
    MPI_Count count;
    MPI_Offset offset;
    void *memory;
} out;

static MPI_Message message;

static struct outputs fresh_outputs(void)
{
    struct outputs o;

    memset(&o, 0x5a, sizeof o);
    o.request = MPI_REQUEST_NULL;
    o.message = message;
    return o;
}

static void note(char *text, const char *form, ...)
{
    size_t used = strlen(text);
    va_list list;

    va_start(list, form);
    vsnprintf(text + used, TEXT - used, form, list);
    va_end(list);
}

static void note_messages(char *text)
{
    int flag;
    MPI_Status status;

    CHECK_EQ(MPI_Iprobe(left, 1, comm, &flag, &status), MPI_SUCCESS);
    note(text, "pending %d\n", flag);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_Request_get_status(inactive[i], &flag, &status), MPI_SUCCESS);
        note(text, "inactive %d: %d %d\n", i, flag, status.MPI_SOURCE);
    }
    CHECK_EQ(MPI_Request_get_status(active, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    note(text, "active %d\n", flag);
    CHECK_EQ(MPI_Request_get_status(parts, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    note(text, "partitioned %d\n", flag);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_Request_get_status(wait_for[i], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        note(text, "request %d: %d %d\n", i, wait_for[i] != MPI_REQUEST_NULL, flag);
    }
    CHECK_EQ(MPI_Request_get_status(done, &flag, &status), MPI_SUCCESS);
    note(text, "done %d %d\n", flag, status.MPI_SOURCE);
    note(text, "message %d\n", message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
}

static void note_objects(char *text)
{
    int found, length, count, lengths[1], *value;
    char name[MPI_MAX_OBJECT_NAME], held[64] = "";

    CHECK_EQ(MPI_Comm_get_name(comm, name, &length), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &value, &found), MPI_SUCCESS);
    note(text, "comm %s %d %d\n", name, found, found ? *value : 0);
    CHECK_EQ(MPI_Type_get_name(pair, name, &length), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_size(raw, lengths), MPI_SUCCESS);
    note(text, "type %s %d\n", name, lengths[0]);
    CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, "a", &(int){sizeof held}, held, &found), MPI_SUCCESS);
    note(text, "info %d %d %s\n", count, found, held);
    CHECK_EQ(MPI_Group_size(group, &count), MPI_SUCCESS);
    note(text, "group %d\n", count);
}

static void note_windows(char *text)
{
    int length;
    char name[MPI_MAX_OBJECT_NAME];

    for (int i = 0; i < WORDS; i++)
        note(text, "%d %d %d;", fenced_words[i], locked_words[i], idle_words[i]);
    CHECK_EQ(MPI_Win_get_name(fenced, name, &length), MPI_SUCCESS);
    note(text, "\nwindow %s\n", name);
}

static void note_file(char *text)
{
    MPI_Offset at, shared, bytes, disp;
    MPI_Datatype etype, filetype;
    int atomic;
    char datarep[MPI_MAX_DATAREP_STRING];

    CHECK_EQ(MPI_File_get_position(file, &at), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position_shared(file, &shared), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_size(file, &bytes), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_atomicity(file, &atomic), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_view(file, &disp, &etype, &filetype, datarep), MPI_SUCCESS);
    note(text, "file at %lld, shared at %lld, %lld bytes, atomic %d, view %lld %d %d %s\n", (long long)at,
         (long long)shared, (long long)bytes, atomic, (long long)disp, etype == MPI_BYTE,
         filetype == MPI_BYTE, datarep);
}

static void note_state(char *text)
{
    text[0] = '\0';
    note_messages(text);
    note_objects(text);
    note_windows(text);
    note_file(text);
    for (int i = 0; i < ITEMS; i++)
        note(text, "got %d\n", got[i]);
    note(text, "positions %d %d %d\n", zero, minus_one, (int)zero_address);
}

static const char *call_text; /* of the call that is being refused, ... */
static bool is_of_all;        /* which all ranks make, and meet before the state is looked at */
static char before[TEXT], after[TEXT];
static struct outputs kept;

static void begin_call(const char *text, bool of_all)
{
    call_text = text;
    is_of_all = of_all;
    note_state(before);
    if (is_of_all)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    out = kept = fresh_outputs();
}

static void tell_difference(void)
{
    size_t at = 0;

    while (before[at] == after[at])
        at++;
    while (at && before[at - 1] != '\n')
        at--;
    fprintf(stderr, "%s changed \"%.*s\" to \"%.*s\"\n", call_text, (int)strcspn(before + at, "\n"),
            before + at, (int)strcspn(after + at, "\n"), after + at);
}

static void end_call(int code)
{
    bool is_kept = memcmp(&out, &kept, sizeof out) == 0;

    if (code == MPI_SUCCESS || !is_kept)
        fprintf(stderr, "%s %s\n", call_text, is_kept ? "was not refused" : "wrote an output");
    CHECK(code != MPI_SUCCESS && is_kept);
    if (is_of_all)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    note_state(after);
    if (strcmp(before, after) != 0)
        tell_difference();
    CHECK_STR(after, before);
}

/* A rank's call, and a call of all ranks. */
#define ONE(call) (begin_call(#call, false), end_call(call))
#define ALL(call) (begin_call(#call, true), end_call(call))

#define NO_REQUEST   ((MPI_Request)(uintptr_t)0x123456789abc)
#define FAR_TOO_MANY (INT64_MAX / 2)

static void point_to_point_1(void)
{
    ONE(MPI_Send(data, -1, MPI_INT, right, 1, comm));
    ONE(MPI_Send(data, 1, raw, right, 1, comm));
    ONE(MPI_Send(data, 1, MPI_INT, size, 1, comm));
    ONE(MPI_Ssend(data, 1, MPI_INT, right, -5, comm));
    ONE(MPI_Isend(data, 1, MPI_INT, -7, 1, comm, &out.request));
    ONE(MPI_Bsend(big, BIG, MPI_INT, right, 1, comm));
    ONE(MPI_Recv(got, -1, MPI_INT, left, 1, comm, &out.status));
    ONE(MPI_Recv(got, 1, MPI_INT, left, -3, comm, &out.status));
    ONE(MPI_Recv(got, 1, raw, left, 1, comm, &out.status));
    ONE(MPI_Recv(NULL, 1, MPI_INT, left, 1, comm, &out.status));
    ONE(MPI_Irecv(got, 1, MPI_INT, size, 1, comm, &out.request));
    ONE(MPI_Sendrecv(data, 1, MPI_INT, size, 1, got, 1, MPI_INT, left, 1, comm, &out.status));
    ONE(MPI_Sendrecv(data, 1, MPI_INT, right, 9, got, -1, MPI_INT, left, 1, comm, &out.status));
    ONE(MPI_Sendrecv_replace(got, 1, MPI_INT, right, -9, left, 1, comm, &out.status));
    ONE(MPI_Isendrecv(data, 1, MPI_INT, right, 9, got, 1, raw, left, 1, comm, &out.request));
    ONE(MPI_Probe(left, -8, comm, &out.status));
    ONE(MPI_Improbe(size, 1, comm, &out.flag, &out.message, &out.status));
    ONE(MPI_Mrecv(got, -1, MPI_INT, &out.message, &out.status));
    ONE(MPI_Mrecv(got, 1, raw, &out.message, &out.status));
    ONE(MPI_Imrecv(got, -1, MPI_INT, &out.message, &out.request));
    ONE(MPI_Imrecv(NULL, 1, MPI_INT, &out.message, &out.request));
    ONE(MPI_Start((MPI_Request[]){active}));
    ONE(MPI_Start((MPI_Request[]){wait_for[0]}));
    ONE(MPI_Startall(2, (MPI_Request[]){inactive[0], active}));
    ONE(MPI_Startall(3, (MPI_Request[]){inactive[1], inactive[0], inactive[1]}));
    ONE(MPI_Startall(2, (MPI_Request[]){inactive[1], wait_for[0]}));
    ONE(MPI_Startall(2, (MPI_Request[]){inactive[1], NO_REQUEST}));
}

static void point_to_point_2(void)
{
    ONE(MPI_Startall(2, (MPI_Request[]){inactive[1], MPI_REQUEST_NULL}));
    ONE(MPI_Startall(-1, inactive));
    ONE(MPI_Wait((MPI_Request[]){NO_REQUEST}, &out.status));
    ONE(MPI_Waitall(2, (MPI_Request[]){done, NO_REQUEST}, MPI_STATUSES_IGNORE));
    ONE(MPI_Waitany(2, (MPI_Request[]){NO_REQUEST, done}, &out.index, &out.status));
    ONE(MPI_Waitsome(2, (MPI_Request[]){done, NO_REQUEST}, &out.index, out.indices, MPI_STATUSES_IGNORE));
    ONE(MPI_Testall(2, (MPI_Request[]){done, NO_REQUEST}, &out.flag, MPI_STATUSES_IGNORE));
    ONE(MPI_Testany(2, (MPI_Request[]){NO_REQUEST, done}, &out.index, &out.flag, &out.status));
    ONE(MPI_Testsome(2, (MPI_Request[]){done, NO_REQUEST}, &out.index, out.indices, MPI_STATUSES_IGNORE));
    ONE(MPI_Waitall(-2, wait_for, MPI_STATUSES_IGNORE));
    ONE(MPI_Request_free((MPI_Request[]){NO_REQUEST}));
    ONE(MPI_Request_free((MPI_Request[]){parts}));
    ONE(MPI_Cancel((MPI_Request[]){inactive[0]}));
    ONE(MPI_Cancel((MPI_Request[]){parts}));
    ONE(MPI_Grequest_complete(wait_for[0]));
    ONE(MPI_Pready(2, parts));
    ONE(MPI_Pready_range(1, 2, parts));
    ONE(MPI_Pready_range(-1, 0, parts));
    ONE(MPI_Pready_list(2, (int[]){0, 5}, parts));
    ONE(MPI_Pready(0, inactive[0]));
    ONE(MPI_Parrived(parts, 0, &out.flag));
    ONE(MPI_Psend_init(data, 0, 1, MPI_INT, right, 5, comm, MPI_INFO_NULL, &out.request));
    ONE(MPI_Send_init(data, 1, raw, right, 1, comm, &out.request));
    ONE(MPI_Buffer_attach(data, sizeof data));
    ONE(MPI_Buffer_attach(data, -1));
    ONE(MPI_Comm_attach_buffer(comm, data, -1));
    ONE(MPI_Comm_detach_buffer(comm, &out.memory, &out.index));
}

static void collectives(void)
{
    ALL(MPI_Bcast(got, -1, MPI_INT, 0, comm));
    ALL(MPI_Bcast(got, 1, MPI_INT, size, comm));
    ALL(MPI_Bcast(got, 1, raw, 0, comm));
    ALL(MPI_Reduce(data, got, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    ALL(MPI_Allreduce(data, got, 1, MPI_FLOAT, MPI_BAND, comm));
    ALL(MPI_Allreduce(got, got, 1, MPI_INT, MPI_SUM, comm));
    ALL(MPI_Gather(data, 1, MPI_INT, got, 1, MPI_INT, -1, comm));
    ALL(MPI_Alltoallv(data, (int[]){-1, -1}, (int[]){0, 0}, MPI_INT, got, (int[]){1, 1}, (int[]){0, 1},
                      MPI_INT, comm));
    ALL(MPI_Iallreduce(data, got, 1, MPI_INT, MPI_REPLACE, comm, &out.request));
    ALL(MPI_Allreduce_init(data, got, -1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &out.request));
    ALL(MPI_Ireduce_scatter(data, got, (int[]){-1, 2}, MPI_INT, MPI_SUM, comm, &out.request));
    ONE(MPI_Reduce_local(data, got, -1, MPI_INT, MPI_SUM));
    ONE(MPI_Reduce_local(data, got, 1, MPI_INT, MPI_OP_NULL));
    ONE(MPI_Op_create(NULL, 1, &out.op));
    ONE(MPI_Op_free((MPI_Op[]){MPI_SUM}));
}

static void datatypes(void)
{
    ONE(MPI_Type_commit((MPI_Datatype[]){MPI_DATATYPE_NULL}));
    ONE(MPI_Type_free((MPI_Datatype[]){MPI_INT}));
    ONE(MPI_Type_contiguous(-1, MPI_INT, &out.type));
    ONE(MPI_Type_create_struct(2, (int[]){1, -1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){pair, pair},
                               &out.type));
    ONE(MPI_Type_create_subarray(1, (int[]){4}, (int[]){5}, (int[]){0}, MPI_ORDER_C, pair, &out.type));
    ONE(MPI_Type_get_contents(pair, 0, 0, 0, out.indices, &out.address, &out.type));
    ONE(MPI_Type_get_envelope(MPI_DATATYPE_NULL, &out.index, &out.flag, &out.position, out.indices));
    ONE(MPI_Type_set_attr(pair, keyval, data));
    ONE(MPI_Type_set_attr(pair, MPI_KEYVAL_INVALID, data));
    ONE(MPI_Type_set_name(pair, NULL));
    ONE(MPI_Type_set_name(MPI_DATATYPE_NULL, "no name"));
    ONE(MPI_Pack(data, 2, MPI_INT, got, 7, &zero, comm));
    ONE(MPI_Pack(data, 2, raw, got, sizeof got, &zero, comm));
    ONE(MPI_Pack(data, 2, MPI_INT, got, sizeof got, &minus_one, comm));
    ONE(MPI_Unpack(data, 7, &zero, got, 2, MPI_INT, comm));
    ONE(MPI_Pack_external("external64", data, 2, MPI_INT, got, sizeof got, &zero_address));
    ONE(MPI_Unpack_external("external32", data, 7, &zero_address, got, 2, MPI_INT));
    ONE(MPI_Get_address(data, NULL));
    ONE(MPI_Status_set_elements(&out.status, MPI_INT, -1));
}

static void info_and_groups(void)
{
    ONE(MPI_Info_set(info, "", "value"));
    ONE(MPI_Info_set(info, "a", long_text));
    ONE(MPI_Info_set(info, long_text, "value"));
    ONE(MPI_Info_delete(info, "b"));
    ONE(MPI_Info_get_nthkey(info, 1, word));
    ONE(MPI_Info_get_string(info, "a", &minus_one, word, &out.flag));
    ONE(MPI_Info_free((MPI_Info[]){MPI_INFO_NULL}));
    ONE(MPI_Group_incl(group, 2, (int[]){0, 0}, &out.group));
    ONE(MPI_Group_excl(group, 1, (int[]){size}, &out.group));
    ONE(MPI_Group_range_incl(group, 1, (int[][3]){{0, 1, 0}}, &out.group));
    ONE(MPI_Group_translate_ranks(group, 2, (int[]){0, size}, group, out.indices));
    ONE(MPI_Group_free((MPI_Group[]){MPI_GROUP_NULL}));
}

static void communicators(void)
{
    ALL(MPI_Comm_split(comm, -7, 0, &out.comm));
    ALL(MPI_Comm_create(comm, MPI_GROUP_NULL, &out.comm));
    ALL(MPI_Comm_create_group(comm, group, -1, &out.comm));
    ALL(MPI_Comm_split_type(comm, 12345, 0, MPI_INFO_NULL, &out.comm));
    ALL(MPI_Intercomm_create(comm, size, comm, 0, 1, &out.comm));
    ONE(MPI_Comm_free((MPI_Comm[]){MPI_COMM_NULL}));
    ONE(MPI_Comm_disconnect((MPI_Comm[]){MPI_COMM_NULL}));
    ONE(MPI_Comm_set_attr(comm, type_keyval, data));
    ONE(MPI_Comm_set_attr(comm, MPI_KEYVAL_INVALID, data));
    ONE(MPI_Comm_set_attr(comm, MPI_TAG_UB, data));
    ONE(MPI_Comm_delete_attr(comm, type_keyval));
    ONE(MPI_Comm_delete_attr(comm, MPI_TAG_UB));
    ONE(MPI_Comm_free_keyval((int[]){MPI_TAG_UB}));
    ONE(MPI_Comm_free_keyval((int[]){type_keyval}));
    ONE(MPI_Comm_set_name(comm, NULL));
    ONE(MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL));
    ONE(MPI_Errhandler_free((MPI_Errhandler[]){MPI_ERRHANDLER_NULL}));
}

static void topologies(void)
{
    ALL(MPI_Cart_create(comm, 1, (int[]){size + 1}, (int[]){0}, 0, &out.comm));
    ALL(MPI_Cart_create(comm, -1, (int[]){1}, (int[]){0}, 0, &out.comm));
    ALL(MPI_Graph_create(comm, size, (int[]){1, 2}, (int[]){-1, 9}, 0, &out.comm));
    ALL(MPI_Dist_graph_create(comm, 1, (int[]){size}, (int[]){1}, (int[]){0}, MPI_UNWEIGHTED, MPI_INFO_NULL,
                              0, &out.comm));
    ONE(MPI_Dims_create(6, 2, (int[]){-2, 0}));
    ONE(MPI_Dims_create(7, 2, (int[]){4, 0}));
    ONE(MPI_Cart_shift(grid, 1, 1, &out.index, &out.position));
    ONE(MPI_Cart_coords(grid, size, 1, out.indices));
    ONE(MPI_Cart_rank(comm, (int[]){0}, &out.index));
    ONE(MPI_Graph_neighbors(grid, 0, 1, out.indices));
}

static void windows_1(void)
{
    ONE(MPI_Put(data, -1, MPI_INT, right, 0, 1, MPI_INT, fenced));
    ONE(MPI_Put(data, 2, MPI_INT, right, 0, 1, MPI_INT, fenced));
    ONE(MPI_Put(data, 1, MPI_INT, size, 0, 1, MPI_INT, fenced));
    ONE(MPI_Put(data, 1, MPI_INT, right, WORDS, 1, MPI_INT, fenced));
    ONE(MPI_Put(data, 1, MPI_INT, right, -1, 1, MPI_INT, fenced));
    ONE(MPI_Put(data, 1, MPI_INT, right, 0, 1, raw, fenced));
    ONE(MPI_Get(got, 1, MPI_INT, right, WORDS - 1, 2, MPI_INT, fenced));
    ONE(MPI_Get(got, 2, MPI_INT, right, WORDS - 1, 2, MPI_INT, fenced));
    ONE(MPI_Accumulate(data, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, fenced));
    ONE(MPI_Accumulate(data, 1, MPI_FLOAT, right, 0, 1, MPI_FLOAT, MPI_BAND, fenced));
    ONE(MPI_Accumulate(data, 1, MPI_INT, right, WORDS, 1, MPI_INT, MPI_SUM, fenced));
    ONE(MPI_Get_accumulate(data, 1, MPI_INT, got, 1, raw, right, 0, 1, MPI_INT, MPI_SUM, fenced));
    ONE(MPI_Fetch_and_op(data, got, raw, right, 0, MPI_SUM, fenced));
    ONE(MPI_Fetch_and_op(data, got, MPI_INT, right, 0, MPI_OP_NULL, fenced));
    ONE(MPI_Compare_and_swap(data, data, got, MPI_FLOAT, right, 0, fenced));
    ONE(MPI_Compare_and_swap(data, data, got, MPI_INT, right, WORDS, fenced));
    ONE(MPI_Rput(data, 1, MPI_INT, right, WORDS, 1, MPI_INT, locked, &out.request));
    ONE(MPI_Rget_accumulate(data, 1, MPI_INT, got, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, locked,
                            &out.request));
    ONE(MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, idle));
    ONE(MPI_Raccumulate(data, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, idle, &out.request));
    ONE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, locked));
    ONE(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, idle));
    ONE(MPI_Win_lock(99, 0, 0, idle));
    ONE(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1 << 30, idle));
    ONE(MPI_Win_lock_all(0, locked));
    ONE(MPI_Win_lock_all(1 << 30, idle));
    ONE(MPI_Win_unlock(size, locked));
}

static void windows_2(void)
{
    ONE(MPI_Win_unlock(0, idle));
    ONE(MPI_Win_unlock_all(locked));
    ONE(MPI_Win_unlock_all(idle));
    ONE(MPI_Win_flush(0, idle));
    ONE(MPI_Win_flush(size, locked));
    ONE(MPI_Win_flush_all(idle));
    ONE(MPI_Win_fence(0, locked));
    ONE(MPI_Win_fence(1 << 30, idle));
    ONE(MPI_Win_start(group, 0, locked));
    ONE(MPI_Win_start(MPI_GROUP_NULL, 0, idle));
    ONE(MPI_Win_start(group, 1 << 30, idle));
    ONE(MPI_Win_post(group, 1 << 30, idle));
    ONE(MPI_Win_post(MPI_GROUP_NULL, 0, idle));
    ONE(MPI_Win_complete(idle));
    ONE(MPI_Win_wait(idle));
    ONE(MPI_Win_test(idle, &out.flag));
    ONE(MPI_Win_free((MPI_Win[]){locked}));
    ONE(MPI_Win_attach(dynamic, data, sizeof data));
    ONE(MPI_Win_attach(dynamic, got, -1));
    ONE(MPI_Win_attach(idle, got, sizeof got));
    ONE(MPI_Win_detach(dynamic, got));
    ONE(MPI_Win_set_name(fenced, NULL));
    ONE(MPI_Win_set_attr(fenced, keyval, data));
    ONE(MPI_Win_shared_query(dynamic, 0, &out.address, &out.index, &out.memory));
    ALL(MPI_Win_create(got, -1, 1, MPI_INFO_NULL, comm, &out.win));
    ALL(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &out.memory, &out.win));
}

static void files_1(void)
{
    ONE(MPI_File_read(file, got, -1, MPI_INT, &out.status));
    ONE(MPI_File_read(file, got, 1, raw, &out.status));
    ONE(MPI_File_read(file, NULL, 1, MPI_INT, &out.status));
    ONE(MPI_File_read_c(file, got, FAR_TOO_MANY, MPI_INT, &out.status));
    ONE(MPI_File_write_c(file, data, most, MPI_BYTE, &out.status));
    ONE(MPI_File_iread_c(file, got, most, MPI_BYTE, &out.request));
    ONE(MPI_File_iwrite_c(file, data, most - 5, MPI_BYTE, &out.request));
    ONE(MPI_File_read_at(file, -1, got, 1, MPI_INT, &out.status));
    ONE(MPI_File_write_at(file, most - 1, data, 1, MPI_INT, &out.status));
    ONE(MPI_File_read_shared(file, got, -1, MPI_INT, &out.status));
    ONE(MPI_File_read_shared_c(file, got, most, MPI_BYTE, &out.status));
    ONE(MPI_File_write_shared_c(file, data, most - 19, MPI_BYTE, &out.status));
    ONE(MPI_File_iread_shared_c(file, got, most, MPI_BYTE, &out.request));
    ONE(MPI_File_iwrite_shared_c(file, data, most, MPI_BYTE, &out.request));
    ONE(MPI_File_write_shared(file, data, 1, raw, &out.status));
    ALL(MPI_File_read_all_c(file, got, most, MPI_BYTE, &out.status));
    ALL(MPI_File_write_at_all(file, most, data, 1, MPI_INT, &out.status));
    ALL(MPI_File_iread_all_c(file, got, most, MPI_BYTE, &out.request));
    ALL(MPI_File_iwrite_all_c(file, data, most, MPI_BYTE, &out.request));
    ALL(MPI_File_read_all_begin_c(file, got, most, MPI_BYTE));
    ALL(MPI_File_write_at_all_begin_c(file, 5, data, most, MPI_BYTE));
    ALL(MPI_File_read_ordered_c(file, got, most, MPI_BYTE, &out.status));
    ALL(MPI_File_write_ordered_c(file, data, most - 19, MPI_BYTE, &out.status));
}

static void files_2(void)
{
    ALL(MPI_File_write_ordered_c(file, data, (most - 20) / size + 1, MPI_BYTE, &out.status));
    ALL(MPI_File_read_ordered_begin_c(file, got, most, MPI_BYTE));
    ALL(MPI_File_write_ordered_begin_c(file, data, most - 10, MPI_BYTE));
    ONE(MPI_File_write_ordered_end(file, data, &out.status));
    ONE(MPI_File_read_all_end(file, got, &out.status));
    ONE(MPI_File_seek(file, -1, MPI_SEEK_SET));
    ONE(MPI_File_seek(file, most, MPI_SEEK_CUR));
    ONE(MPI_File_seek(file, 0, 77));
    ALL(MPI_File_seek_shared(file, -1, MPI_SEEK_SET));
    ALL(MPI_File_seek_shared(file, most, MPI_SEEK_CUR));
    ALL(MPI_File_seek_shared(file, -21, MPI_SEEK_CUR));
    ALL(MPI_File_seek_shared(file, 0, 77));
    ALL(MPI_File_set_size(file, -1));
    ALL(MPI_File_preallocate(file, -1));
    ALL(MPI_File_set_view(file, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    ALL(MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL));
    ALL(MPI_File_set_view(file, 0, raw, raw, "native", MPI_INFO_NULL));
    ALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no representation", MPI_INFO_NULL));
    ONE(MPI_File_get_byte_offset(file, -1, &out.offset));
    ONE(MPI_File_close((MPI_File[]){MPI_FILE_NULL}));
    ALL(MPI_File_open(comm, "no folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &out.file));
    ALL(MPI_File_open(comm, "refused_calls.dat", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &out.file));
    ONE(MPI_Register_datarep("native", NULL, NULL, NULL, NULL));
}

static void environment_and_processes(void)
{
    ONE(MPI_Alloc_mem(-1, MPI_INFO_NULL, &out.memory));
    ONE(MPI_Free_mem(got));
    ONE(MPI_Add_error_code(-1, &out.index));
    ONE(MPI_Add_error_string(MPI_ERR_COMM, "mine"));
    ONE(MPI_Remove_error_class(MPI_ERR_COMM));
    ONE(MPI_Close_port("no port"));
    ONE(MPI_Unpublish_name("refused calls", MPI_INFO_NULL, "no port"));
    ONE(MPI_Lookup_name("refused calls", MPI_INFO_NULL, word));
    ALL(MPI_Comm_spawn("true", MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, comm, &out.comm, MPI_ERRCODES_IGNORE));
    ONE(MPI_Session_finalize((MPI_Session[]){MPI_SESSION_NULL}));
}

static void make_messages(void)
{
    MPI_Request sent;

    CHECK_EQ(MPI_Isend(data, 1, MPI_INT, right, 1, comm, &sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(data, 1, MPI_INT, right, 2, comm, &sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(left, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(left, 2, comm, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(data, 1, MPI_INT, right, 3, comm, &inactive[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(&got[0], 1, MPI_INT, left, 3, comm, &inactive[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(&got[1], 1, MPI_INT, left, 4, comm, &active), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&active), MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(data, 2, 1, MPI_INT, MPI_PROC_NULL, 5, comm, MPI_INFO_NULL, &parts), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&parts), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Irecv(&got[2 + i], 1, MPI_INT, left, 6 + i, comm, &wait_for[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(data, 1, MPI_INT, right, 8, comm, &sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&sent), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(&got[0], 1, MPI_INT, left, 8, comm, &done), MPI_SUCCESS);
    for (int flag = 0; !flag;)
        CHECK_EQ(MPI_Request_get_status(done, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_attach(attached_buffer, sizeof attached_buffer), MPI_SUCCESS);
}

static void make_objects(void)
{
    CHECK_EQ(MPI_Comm_set_name(comm, "the name"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL),
             MPI_SUCCESS);
    attribute = 17;
    CHECK_EQ(MPI_Comm_set_attr(comm, keyval, &attribute), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_contiguous(2, MPI_INT, &raw), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_contiguous(2, MPI_INT, &pair), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&pair), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_set_name(pair, "pair"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "a", "value"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(comm, 1, &size, (int[]){1}, 0, &grid), MPI_SUCCESS);
}

static void make_windows(void)
{
    const MPI_Aint bytes = WORDS * sizeof(int);

    CHECK_EQ(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &fenced_words, &fenced), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &locked_words, &locked), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &idle_words, &idle), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &dynamic), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(MPI_Win_set_errhandler((MPI_Win[]){fenced, locked, idle, dynamic}[i], MPI_ERRORS_RETURN),
                 MPI_SUCCESS);
    for (int i = 0; i < WORDS; i++)
        fenced_words[i] = locked_words[i] = idle_words[i] = 100 + i;
    CHECK_EQ(MPI_Win_attach(dynamic, data, sizeof data), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_name(fenced, "fenced"), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_fence(0, fenced), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, locked), MPI_SUCCESS);
}

static void make_file(void)
{
    CHECK_EQ(MPI_File_open(comm, "refused_calls.dat",
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_size(file, 64), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek(file, 10, MPI_SEEK_SET), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek_shared(file, 20, MPI_SEEK_SET), MPI_SUCCESS);
}

/* All that was begun comes to its end. */
static void end_messages(void)
{
    int sum;

    CHECK_EQ(MPI_Recv(&sum, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Mrecv(&sum, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(2, inactive), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, inactive, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int tag = 4; tag < 8; tag++)
        if (tag != 5)
            CHECK_EQ(MPI_Send(data, 1, MPI_INT, right, tag, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&active, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, wait_for, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, 1, parts), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&parts, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&parts), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&active), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Request_free(&inactive[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_detach(&(void *){NULL}, &sum), MPI_SUCCESS);
    CHECK_EQ(sum, (int)sizeof attached_buffer);
}

static void end_objects(void)
{
    CHECK_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&raw), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free_keyval(&type_keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_delete_attr(comm, keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
}

static void end_windows(void)
{
    CHECK_EQ(MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, fenced), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced), MPI_SUCCESS);
    CHECK_EQ(MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, locked), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(right, locked), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_post(group, 0, idle), MPI_SUCCESS); /* before the group is freed */
    CHECK_EQ(MPI_Win_start(group, 0, idle), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_complete(idle), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(idle), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_detach(dynamic, data), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&dynamic), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&idle), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&locked), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&fenced), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    memset(long_text, 'x', sizeof long_text - 1);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    make_messages();
    make_objects();
    make_windows();
    make_file();
    point_to_point_1();
    point_to_point_2();
    collectives();
    datatypes();
    info_and_groups();
    communicators();
    topologies();
    windows_1();
    windows_2();
    files_1();
    files_2();
    environment_and_processes();
    end_messages();
    end_windows();
    end_objects();
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
