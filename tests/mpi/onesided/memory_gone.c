/* ranks: 2  not: address  not: thread */
/* A part of a window's memory is unmapped, which the standard forbids. Every operation on it is an error of its origin, and
 * those on the rest still work: no lock stays taken. */
#include "check.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    SKIPPED = 77
};

static MPI_Win win;
static MPI_Datatype spaced;

static void use_there(MPI_Aint at, int class)
{
    long in[4] = {0}, out[4] = {1, 2, 3, 4}, seven = 7;

    CHECK_EQ(class_of(MPI_Put(out, 1, MPI_LONG, 1, at, 1, MPI_LONG, win)), class);
    CHECK_EQ(class_of(MPI_Get(in, 1, MPI_LONG, 1, at, 1, MPI_LONG, win)), class);
    CHECK_EQ(class_of(MPI_Put(out, 1, spaced, 1, at, 1, spaced, win)), class);
    CHECK_EQ(class_of(MPI_Get(in, 1, spaced, 1, at, 1, spaced, win)), class);
    CHECK_EQ(class_of(MPI_Accumulate(out, 1, MPI_LONG, 1, at, 1, MPI_LONG, MPI_SUM, win)), class);
    CHECK_EQ(class_of(MPI_Accumulate(out, 1, spaced, 1, at, 1, spaced, MPI_SUM, win)), class);
    CHECK_EQ(class_of(MPI_Get_accumulate(out, 1, spaced, in, 1, spaced, 1, at, 1, spaced, MPI_SUM, win)),
             class);
    CHECK_EQ(class_of(MPI_Fetch_and_op(out, in, MPI_LONG, 1, at, MPI_SUM, win)), class);
    CHECK_EQ(class_of(MPI_Accumulate(out, 1, MPI_LONG, 1, at, 1, MPI_LONG, MPI_REPLACE, win)), class);
    if (class == MPI_SUCCESS)
        in[0] = 0;
    CHECK_EQ(class_of(MPI_Compare_and_swap(&seven, out, in, MPI_LONG, 1, at, win)), class);
    if (class == MPI_SUCCESS) {
        CHECK_EQ(in[0], 1);
        CHECK_EQ(MPI_Compare_and_swap(&seven, out, in, MPI_LONG, 1, at, win), MPI_SUCCESS);
        CHECK_EQ(in[0], 7);
    }
}

/* Whether this process may read the other's memory: else the other one does what is asked, and would fail itself. */
static int may_read(uint64_t there, int pid)
{
    int got = 0;
    struct iovec to = {&got, sizeof got}, from = {(void *)(uintptr_t)there, sizeof got};

    return process_vm_readv(pid, &to, 1, &from, 1, 0) == sizeof got;
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t there = (uintptr_t)memory;
    int rank, pid = getpid(), may = 1;

    CHECK(memory != MAP_FAILED);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Bcast(&there, 1, MPI_UINT64_T, 1, MPI_COMM_WORLD);
    if (rank == 0)
        may = may_read(there, pid);
    MPI_Bcast(&may, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!may) {
        if (rank == 0)
            printf("skipped: processes may not read each other's memory here\n");
        MPI_Finalize();
        return SKIPPED;
    }
    MPI_Type_vector(2, 1, 2, MPI_LONG, &spaced);
    MPI_Type_commit(&spaced);
    MPI_Win_create(memory, (MPI_Aint)(2 * page), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 1)
        CHECK_EQ(munmap(memory + page, page), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        use_there((MPI_Aint)page, MPI_ERR_OTHER);
        use_there(0, MPI_SUCCESS);
        CHECK_EQ(MPI_Win_unlock(1, win), MPI_SUCCESS);
    }
    MPI_Win_free(&win);
    MPI_Type_free(&spaced);
    MPI_Finalize();
    return 0;
}
