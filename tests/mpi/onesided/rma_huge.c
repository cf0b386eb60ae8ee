/* ranks: 2 timeout: 240 not: thread not: address also: INKLING_CMA=false */
/* A put and a get of more than 2^31 bytes, in one run and with gaps at the target, of memory that only its rank maps: by the kernel, or by
 * the target. */
#include "large.h"
#include "win.h"

static unsigned char *origin;

static void move(int has_gaps)
{
    unsigned char *memory = huge_memory(has_gaps), *begin = huge_begin(memory, has_gaps);
    MPI_Datatype type = has_gaps ? huge_type() : MPI_BYTE;
    MPI_Count count = has_gaps ? 1 : HUGE_BYTES;
    MPI_Win win;

    OK(MPI_Win_create_c(memory, (MPI_Aint)huge_span(has_gaps), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        huge_fill(origin, 0, 3 + has_gaps);
        OK(MPI_Put_c(origin, HUGE_BYTES, MPI_BYTE, 1, begin - memory, count, type, win));
    }
    OK(MPI_Win_fence(0, win));
    if (rank == 1) {
        huge_check(begin, has_gaps, 3 + has_gaps);
        huge_fill(begin, has_gaps, 5);
    }
    OK(MPI_Win_fence(0, win));
    if (rank == 0)
        OK(MPI_Get_c(origin, HUGE_BYTES, MPI_BYTE, 1, begin - memory, count, type, win));
    OK(MPI_Win_fence(0, win));
    if (rank == 0)
        huge_check(origin, 0, 5);
    OK(MPI_Win_free(&win));
    if (has_gaps)
        OK(MPI_Type_free(&type));
    munmap(memory, huge_span(has_gaps));
}

int main(int argc, char **argv)
{
    unsigned char *memory = huge_memory(0);

    origin = huge_begin(memory, 0);
    set_up(&argc, &argv);
    move(0);
    if (!getenv("INKLING_CMA") &&
        !getenv("INKLING_NETWORK")) /* by messages, which takes long, once a host and once between hosts */
        move(1);
    munmap(memory, huge_span(0));
    OK(MPI_Finalize());
    return 0;
}
