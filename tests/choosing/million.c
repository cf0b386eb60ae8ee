/* million: what a rank keeps and exchanges in a world of many hosts of which it is the only real process. The launcher is pretended
 * (million.py), and so is what other ranks answer: collectives of the library's own are replaced here (--wrap), and count the bytes that
 * this rank would receive of all. Prints a line for each object: its name, bytes that it keeps, bytes that its making takes for a while,
 * bytes of all ranks that it receives. million.c NEAR: so many ranks of a host. */
#include "check.h"
#include "coll/coll.h"
#include "making/make.h"
#include "win/win_make.h"

#include <malloc.h>
#include <unistd.h>

/* As making/split.c sends it. */
struct bid {
    int64_t color;
    int32_t key, rank;
};

static int near;
static size_t received;

int __wrap_coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or);
int __wrap_coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size);
int __wrap_coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type,
                          struct op *op, struct comm *comm, enum form form, struct info *info,
                          struct request **request);
int __wrap_coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
                      enum form form, struct info *info, struct request **request);
int __wrap_agree(struct agreement *a);
bool __wrap_net_can_copy(struct peer *peer, uint64_t address, size_t bytes);

/* All agree with this rank. */
int __wrap_coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or)
{
    (void)comm, (void)word_and, (void)word_or;
    return MPI_SUCCESS;
}

/* Ranks of other hosts have nothing; those of this one say one word of theirs, its number, as this rank does. */
int __wrap_coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size)
{
    unsigned char *place = all;

    received += (size_t)comm->size * size;
    memset(all, 0, (size_t)comm->size * size);
    for (int r = 0; r < comm->size; r++) {
        struct bid bid = {.color = r % 2, .rank = r};

        if (size == sizeof bid)
            memcpy(place + (size_t)r * size, &bid, size);
        else if (r == comm->rank || (size == sizeof(uint64_t) && r < near))
            memcpy(place + (size_t)r * size, mine, size);
    }
    return MPI_SUCCESS;
}

int __wrap_coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type,
                          struct op *op, struct comm *comm, enum form form, struct info *info,
                          struct request **request)
{
    (void)recvbuf, (void)count, (void)type, (void)op, (void)comm, (void)form, (void)info, (void)request;
    CHECK(sendbuf == MPI_IN_PLACE);
    return MPI_SUCCESS;
}

int __wrap_coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
                      enum form form, struct info *info, struct request **request)
{
    (void)buffer, (void)count, (void)type, (void)root, (void)comm, (void)form, (void)info, (void)request;
    return MPI_SUCCESS;
}

int __wrap_agree(struct agreement *a)
{
    a->step = AGREE_DONE;
    return a->error = MPI_SUCCESS;
}

bool __wrap_net_can_copy(struct peer *peer, uint64_t address, size_t bytes)
{
    (void)peer, (void)address, (void)bytes;
    return true;
}

static size_t in_use(void)
{
    struct mallinfo2 all = mallinfo2();

    return all.uordblks + all.hblkhd;
}

/* The largest resident size since the last call, bytes. */
static size_t find_peak(void)
{
    FILE *status = fopen("/proc/self/status", "r"), *clear;
    char line[200];
    size_t kib = 0;

    while (status && fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %zu", &kib) != 1)
        ;
    if (status)
        fclose(status);
    clear = fopen("/proc/self/clear_refs", "w");
    if (clear) {
        fputs("5", clear);
        fclose(clear);
    }
    return kib << 10;
}

static size_t kept, peak;

static void begin(void)
{
    find_peak();
    peak = find_peak();
    kept = in_use();
    received = 0;
}

static void end(const char *name)
{
    size_t now = in_use(), most = find_peak();

    printf("%s %zu %zu %zu\n", name, now > kept ? now - kept : 0, most > peak ? most - peak : 0, received);
}

static void make_comms(void)
{
    MPI_Group all, half;
    MPI_Comm comm;
    int size, range[3] = {0, 0, 2};

    begin();
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    end("MPI_Comm_dup");
    begin();
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm), MPI_SUCCESS);
    end("MPI_Comm_split");
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &all), MPI_SUCCESS);
    range[1] = 2 * size - 2;
    CHECK_EQ(MPI_Group_range_incl(all, 1, &range, &half), MPI_SUCCESS);
    begin();
    CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, half, 0, &comm), MPI_SUCCESS);
    end("MPI_Comm_create_group");
}

static void make_windows(void)
{
    static char memory[1000];
    void *base;
    MPI_Win win;
    MPI_Info info;

    begin();
    CHECK_EQ(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    end("MPI_Win_create");
    begin();
    CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    end("MPI_Win_create_dynamic");
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "same_size", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "same_disp_unit", "true"), MPI_SUCCESS);
    begin();
    CHECK_EQ(MPI_Win_allocate(1000, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    end("MPI_Win_allocate");
}

static void open_file(const char *name)
{
    MPI_File file;

    begin();
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    end("MPI_File_open");
    CHECK_EQ(MPI_File_delete(name, MPI_INFO_NULL), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK_EQ(argc, 3);
    near = atoi(argv[1]);
    begin();
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    end("MPI_Init");
    make_comms();
    make_windows();
    open_file(argv[2]);
    fflush(stdout);
    _exit(0); /* nobody would end with this process */
}
