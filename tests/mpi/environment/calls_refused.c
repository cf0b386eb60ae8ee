/* ranks: 1 2  timeout: 120  not: address  not: thread  also: INKLING_CMA=false */
/* Each system call of rank 0 fails once, in everything that makes one: memory, windows, files, ports, children, names. The call of
 * MPI goes on without it or returns an error; nothing stays open, mapped, allocated or on the disk, and the same call works
 * when it is tried again. */
#include "failing_calls.h"
#include "sweep.h"

#include <sys/un.h>

enum {
    BYTES = 1 << 20,
    COUNT = BYTES / (int)sizeof(int),
    CHILD_US = 30 * 1000 /* until a child has ended */
};

static int rank, size, next, before;
static int *out, *in;
static char path[128], port[MPI_MAX_PORT_NAME], program[256];
static MPI_Datatype gaps;
static MPI_Info patient, of_job; /* a second; names that other runs of this test do not see */

/* Of calls that make or change an object together: all succeed, or none does. */
static int agreed(int code)
{
    int bad = code != MPI_SUCCESS, most, least;

    CHECK_EQ(MPI_Allreduce(&bad, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&bad, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (most != least)
        fprintf(stderr, "rank %d after %s: %s\n", rank, refused_call ? refused_call : "nothing",
                bad ? "an error" : "success");
    CHECK_EQ(most, least);
    return code;
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        out[i] = rank * 1000 + i;
        in[i] = -1;
    }
}

/* An error wherever the data are not those of the rank. */
static int checked(int code, int from)
{
    if (code == MPI_SUCCESS)
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(in[i], from * 1000 + i);
    return code;
}

static int alloc_mem(void)
{
    char *memory;
    int code = REFUSE(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory));

    if (code)
        return code;
    memset(memory, 1, BYTES);
    return REFUSE(MPI_Free_mem(memory));
}

static int send_large(void)
{
    fill();
    return checked(REFUSE(MPI_Sendrecv(out, COUNT, MPI_INT, next, 0, in, COUNT, MPI_INT, before, 0,
                                       MPI_COMM_WORLD, MPI_STATUS_IGNORE)),
                   before);
}

static int bcast_large(void)
{
    fill();
    if (rank == size - 1)
        memcpy(in, out, BYTES);
    return checked(REFUSE(MPI_Bcast(in, COUNT, MPI_INT, size - 1, MPI_COMM_WORLD)), size - 1);
}

static int allreduce_large(void)
{
    fill();
    return checked(REFUSE(MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD)), size - 1);
}

static int dup_comm(void)
{
    MPI_Comm comm;
    int code = agreed(REFUSE(MPI_Comm_dup(MPI_COMM_WORLD, &comm)));

    return code ? code : MPI_Comm_free(&comm);
}

static int split_type(void)
{
    MPI_Comm comm;
    int code =
        agreed(REFUSE(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm)));

    return code ? code : MPI_Comm_free(&comm);
}

static int persistent(void)
{
    MPI_Request request;
    int code = agreed(REFUSE(
        MPI_Allreduce_init(out, in, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request)));

    if (code)
        return code;
    fill();
    CHECK_EQ(REFUSE(MPI_Start(&request)), MPI_SUCCESS);
    code = checked(REFUSE(MPI_Wait(&request, MPI_STATUS_IGNORE)), size - 1);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    return code;
}

/* Puts to the next rank, and gets the data back. */
static int use_window(MPI_Win win)
{
    int code;

    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    fill();
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win), MPI_SUCCESS);
    code = REFUSE(MPI_Put(out, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win));
    code = code ? code : REFUSE(MPI_Win_flush(next, win));
    code = code ? code : REFUSE(MPI_Get(in, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win));
    code = code ? code : REFUSE(MPI_Win_flush(next, win));
    CHECK_EQ(MPI_Win_unlock(next, win), MPI_SUCCESS);
    return checked(code, rank);
}

static int used_and_freed(MPI_Win win)
{
    int code = use_window(win), freed;

    MPI_Barrier(MPI_COMM_WORLD);
    freed = REFUSE(MPI_Win_free(&win));
    CHECK_EQ(win, MPI_WIN_NULL);
    return code ? code : freed;
}

static int win_allocate(void)
{
    MPI_Win win;
    void *memory;
    int code =
        agreed(REFUSE(MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)));

    return code ? code : used_and_freed(win);
}

static int win_allocate_shared(void)
{
    MPI_Win win;
    void *memory;
    int code = agreed(
        REFUSE(MPI_Win_allocate_shared(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)));

    return code ? code : used_and_freed(win);
}

static int win_create(void)
{
    static int memory[COUNT];
    MPI_Win win;
    int code =
        agreed(REFUSE(MPI_Win_create(memory, BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win)));

    return code ? code : used_and_freed(win);
}

/* A file whose data could not be stored stays open, so that the caller can try again. */
static int close_file(MPI_File *file)
{
    int code = agreed(REFUSE(MPI_File_close(file)));

    if (code && *file != MPI_FILE_NULL)
        CHECK_EQ(MPI_File_close(file), MPI_SUCCESS);
    CHECK_EQ(*file, MPI_FILE_NULL);
    return code;
}

static int closed(MPI_File *file, int code)
{
    int result = close_file(file);

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        int deleted = REFUSE(MPI_File_delete(path, MPI_INFO_NULL));

        if (deleted)
            CHECK_EQ(MPI_File_delete(path, MPI_INFO_NULL), MPI_SUCCESS);
        code = code ? code : deleted;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return code ? code : result;
}

/* Opens `path`, does something with it, and removes it. */
static int with_file(int (*use)(MPI_File file))
{
    MPI_File file;
    int code;

    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(access(path, F_OK) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    code = agreed(
        REFUSE(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file)));
    if (code) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            unlink(path); /* which may have been made before the call failed */
        return code;
    }
    fill();
    return closed(&file, use(file));
}

static int sizes(MPI_File file)
{
    MPI_Offset bytes;
    int code = REFUSE(MPI_File_set_size(file, BYTES));

    code = code ? code : REFUSE(MPI_File_preallocate(file, 2 * BYTES));
    code = code ? code : REFUSE(MPI_File_sync(file));
    return code ? code : REFUSE(MPI_File_get_size(file, &bytes));
}

static int separate(MPI_File file)
{
    MPI_Offset mine = (MPI_Offset)rank * BYTES;
    int code = REFUSE(MPI_File_write_at(file, mine, out, COUNT, MPI_INT, MPI_STATUS_IGNORE));

    return code ? code
                : checked(REFUSE(MPI_File_read_at(file, mine, in, COUNT, MPI_INT, MPI_STATUS_IGNORE)), rank);
}

static int together(MPI_File file)
{
    int code = REFUSE(
        MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, gaps, "native", MPI_INFO_NULL));

    if (agreed(code))
        return code;
    code = REFUSE(MPI_File_write_at_all(file, 0, out, COUNT, MPI_INT, MPI_STATUS_IGNORE));
    if (agreed(code))
        return code;
    return checked(agreed(REFUSE(MPI_File_read_at_all(file, 0, in, COUNT, MPI_INT, MPI_STATUS_IGNORE))),
                   rank);
}

static int shared_pointer(MPI_File file)
{
    int code = agreed(REFUSE(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)));

    if (code)
        return code;
    code = REFUSE(MPI_File_write_ordered(file, out, 10, MPI_INT, MPI_STATUS_IGNORE));
    return code ? code : REFUSE(MPI_File_write_shared(file, out, 10, MPI_INT, MPI_STATUS_IGNORE));
}

static int nonblocking(MPI_File file)
{
    MPI_Request request;
    int code = REFUSE(MPI_File_iwrite_at(file, (MPI_Offset)rank * BYTES, out, COUNT, MPI_INT, &request));

    code = code ? code : REFUSE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return code;
}

static int atomically(MPI_File file)
{
    int code = REFUSE(MPI_File_set_atomicity(file, 1));

    if (agreed(code))
        return code;
    return separate(file);
}

static int file_sizes(void)
{
    return with_file(sizes);
}

static int file_separate(void)
{
    return with_file(separate);
}

static int file_together(void)
{
    return with_file(together);
}

static int file_shared_pointer(void)
{
    return with_file(shared_pointer);
}

static int file_nonblocking(void)
{
    return with_file(nonblocking);
}

static int file_atomically(void)
{
    return with_file(atomically);
}

static int open_port(void)
{
    char name[MPI_MAX_PORT_NAME];
    int code = REFUSE(MPI_Open_port(MPI_INFO_NULL, name));

    return code ? code : REFUSE(MPI_Close_port(name));
}

static int publish(void)
{
    char found[MPI_MAX_PORT_NAME];
    int code;

    if (rank)
        return MPI_SUCCESS;
    code = REFUSE(MPI_Publish_name("calls_refused", of_job, port));
    if (code)
        return code;
    CHECK(REFUSE(MPI_Publish_name("calls_refused", of_job, "another port")) != MPI_SUCCESS);
    code = REFUSE(MPI_Lookup_name("calls_refused", of_job, found));
    if (code == MPI_SUCCESS)
        CHECK_STR(found, port);
    CHECK(class_of(code) != MPI_ERR_NAME); /* it is published */
    if (REFUSE(MPI_Unpublish_name("calls_refused", of_job, port)))
        CHECK_EQ(MPI_Unpublish_name("calls_refused", of_job, port), MPI_SUCCESS);
    return code;
}

/* Run by fault/refused alone, since children may die of it. */
static int spawn(void)
{
    MPI_Comm children;
    int code = agreed(REFUSE(MPI_Comm_spawn(program, (char *[]){"child", NULL}, 1, MPI_INFO_NULL, 0,
                                            MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE)));

    return code ? code : REFUSE(MPI_Comm_disconnect(&children));
}

/* One rank connects to the other, as if it were another job's. */
static int connect_job(void)
{
    MPI_Comm other;
    int code;

    if (size != 2)
        return MPI_SUCCESS;
    if (rank == 0)
        code = REFUSE(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
    else
        do /* a caller who is lost is forgotten, and the next one accepted */
            code = REFUSE(MPI_Comm_connect(port, patient, 0, MPI_COMM_SELF, &other));
        while (code);
    if (agreed(code))
        return code;
    return REFUSE(MPI_Comm_disconnect(&other));
}

/* Both ends of one socket, of which the other rank has been told where to find it. */
static int connected_socket(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), other;

    snprintf(at.sun_path, sizeof at.sun_path, "%.90s.socket", path);
    if (rank) {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_EQ(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
        return fd;
    }
    CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    CHECK_EQ(listen(fd, 1), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    other = accept4(fd, NULL, NULL, 0);
    close(fd);
    unlink(at.sun_path);
    return other;
}

static int join(void)
{
    MPI_Comm other = MPI_COMM_NULL;
    int fd, code;

    if (size != 2)
        return MPI_SUCCESS;
    fd = connected_socket();
    never_refused = "recv"; /* the last word may be for rank 0; if it is lost, the other cannot know */
    code = REFUSE(MPI_Comm_join(fd, &other));
    never_refused = NULL;
    close(fd);
    return agreed(code) ? code : REFUSE(MPI_Comm_disconnect(&other));
}

static int open_session(void)
{
    MPI_Session session;
    int code = REFUSE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));

    return code ? code : MPI_Session_finalize(&session);
}

static int describe(void)
{
    MPI_Info info;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, code = REFUSE(MPI_Get_hw_resource_info(&info));

    if (code)
        return code;
    MPI_Info_free(&info);
    code = REFUSE(MPI_Info_create_env(0, NULL, &info));
    if (code)
        return code;
    MPI_Info_free(&info);
    return REFUSE(MPI_Get_processor_name(name, &length));
}

static const struct step steps[] = {
    {.name = "alloc_mem", .run = alloc_mem},
    {.name = "send_large", .run = send_large},
    {.name = "bcast_large", .run = bcast_large},
    {.name = "allreduce_large", .run = allreduce_large},
    {.name = "dup_comm", .run = dup_comm},
    {.name = "split_type", .run = split_type},
    {.name = "persistent", .run = persistent},
    {.name = "win_allocate", .run = win_allocate},
    {.name = "win_allocate_shared", .run = win_allocate_shared},
    {.name = "win_create", .run = win_create},
    {.name = "file_sizes", .run = file_sizes},
    {.name = "file_separate", .run = file_separate},
    {.name = "file_together", .run = file_together},
    {.name = "file_shared_pointer", .run = file_shared_pointer},
    {.name = "file_nonblocking", .run = file_nonblocking},
    {.name = "file_atomically", .run = file_atomically},
    {.name = "open_port", .run = open_port},
    {.name = "publish", .run = publish},
    {.name = "open_session", .run = open_session},
    {.name = "describe", .run = describe},
    {.name = "spawn", .run = spawn, .settles_us = CHILD_US},
    {.name = "connect", .run = connect_job},
    {.name = "join", .run = join},
};

static void arm(long n)
{
    if (n)
        refused_call = NULL;
    atomic_store(&until_refused, rank == 0 ? n : 0);
}

static const char *failed(void)
{
    return refused_call;
}

static int be_child(void)
{
    MPI_Comm parent;

    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    long number = getpid();

    MPI_Init(&argc, &argv);
    failing = (struct failing){arm, failed};
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return be_child();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    snprintf(program, sizeof program, "%s", argv[0]);
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/dev/shm/tested_calls_refused.%ld", number);
    out = malloc(BYTES);
    in = malloc(BYTES);
    MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint)sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    if (rank == 0)
        CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Info_create(&patient);
    MPI_Info_set(patient, "timeout", "1");
    MPI_Info_create(&of_job);
    MPI_Info_set(of_job, "inkling_name_scope", "job");
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        if (argc < 2 ? steps[s].run != spawn : strcmp(argv[1], steps[s].name) == 0)
            take_step(&steps[s]);
    if (argc > 1)
        printf("%s: %ld calls refused\n", argv[1], sweep_failures);
    MPI_Info_free(&patient);
    MPI_Info_free(&of_job);
    if (rank == 0)
        CHECK_EQ(MPI_Close_port(port), MPI_SUCCESS);
    MPI_Type_free(&gaps);
    free(in);
    free(out);
    return MPI_Finalize();
}
