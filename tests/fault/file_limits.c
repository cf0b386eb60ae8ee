/* file_limits: memory that ranks share under a limit on the size of files.
 *
 *     file_limits alone MIB      memory of MPI_Alloc_mem and windows of so many MiB; prints what MPI_Win_allocate_shared says
 *     file_limits parent KIB     spawns two ranks that have another limit, and exchanges messages with them
 */
#include "../check.h"

enum {
    LONG = 1 << 20, /* ints of a message that does not fit into rings or staging areas */
    CHILDREN = 2
};

static int rank, size;

static void use_memory(size_t bytes)
{
    char *memory, *window;
    MPI_Win win;
    int next = (rank + 1) % size, got = -1;

    CHECK_EQ(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    memset(memory, 1, bytes);
    CHECK_EQ(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win), MPI_SUCCESS);
    memset(window, 2, bytes);
    MPI_Win_fence(0, win);
    CHECK_EQ(
        MPI_Put(memory, (int)bytes / 2, MPI_BYTE, next, (MPI_Aint)bytes / 2, (int)bytes / 2, MPI_BYTE, win),
        MPI_SUCCESS);
    CHECK_EQ(MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win), MPI_SUCCESS);
    MPI_Win_fence(0, win);
    CHECK(window[0] == 2 && window[bytes / 2] == 1 && window[bytes - 1] == 1);
    CHECK_EQ(got, 0x02020202);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
}

static void share_memory(size_t bytes)
{
    char *memory, text[MPI_MAX_ERROR_STRING] = "shared";
    MPI_Win win;
    int code = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
        length;

    if (code == MPI_SUCCESS) {
        memset(memory, 3, bytes);
        MPI_Win_free(&win);
    } else {
        CHECK_EQ(class_of(code), MPI_ERR_RMA_SHARED);
        MPI_Error_string(code, text, &length);
    }
    if (rank == 0)
        printf("%s\n", text);
}

/* Each rank of one job has a long message of each of the other, and all of both combine. */
static void meet(MPI_Comm other)
{
    int others, *out = malloc(LONG * sizeof *out), *in = malloc(LONG * sizeof *in), sum = 0, all;
    MPI_Comm both;
    MPI_Request request;

    CHECK(out && in);
    MPI_Comm_remote_size(other, &others);
    for (int r = 0; r < others; r++) {
        for (int i = 0; i < LONG; i++)
            out[i] = 1000 * rank + i;
        CHECK_EQ(MPI_Isend(out, LONG, MPI_INT, r, 0, other, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, LONG, MPI_INT, r, 0, other, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(in[0] == 1000 * r && in[LONG - 1] == 1000 * r + LONG - 1);
    }
    CHECK_EQ(MPI_Intercomm_merge(other, 0, &both), MPI_SUCCESS);
    MPI_Comm_size(both, &all);
    CHECK_EQ(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, both), MPI_SUCCESS);
    CHECK_EQ(sum, all);
    MPI_Comm_free(&both);
    free(out);
    free(in);
}

static void spawn(const char *program, const char *limit)
{
    char command[4096];
    char *words[] = {"-c", command, NULL};
    MPI_Comm children;

    snprintf(command, sizeof command, "ulimit -f %s && exec '%s' child", limit, program);
    CHECK_EQ(MPI_Comm_spawn("sh", words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                            MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    meet(children);
    CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
    if (rank == 0)
        puts("met");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        meet(parent);
        CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    } else if (strcmp(argv[1], "parent") == 0) {
        spawn(argv[0], argv[2]);
    } else {
        use_memory((size_t)atol(argv[2]) << 20);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        share_memory((size_t)atol(argv[2]) << 20);
    }
    MPI_Finalize();
    return 0;
}
