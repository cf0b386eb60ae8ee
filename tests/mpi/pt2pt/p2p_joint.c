/* ranks: 2 4 timeout: 60 also: INKLING_JOINT_LIMIT=8192 also: INKLING_JOINT_LIMIT=1G also: INKLING_CMA=false
 */
/* Large messages that both sides copy: lengths around the limit and the chunks, several at a time, cut ones,
 * a sender that does not look, and systems that refuse one of the two ways after all. The program's own
 * process_vm_readv and _writev count and refuse. */
#include "p2p.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    LARGE = 3 << 20,
    AT_ONCE = 9,
    TRIES = 2000
};

enum refusal {
    NOTHING,
    READING,
    WRITING
};

static enum refusal refused;
static int reads_allowed, writes;
static unsigned char *out, *in;

#pragma GCC visibility push(default) /* so that the library calls these */
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                         unsigned long theres, unsigned long flags)
{
    if (refused == READING && reads_allowed-- <= 0) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_readv, pid, here, heres, there, theres, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                          unsigned long theres, unsigned long flags)
{
    writes++;
    if (refused == WRITING) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_writev, pid, here, heres, there, theres, flags);
}

#pragma GCC visibility pop

/* Rank 0 to all the others, one after the other. */
static void send_all(int bytes, unsigned message)
{
    fill(out, (size_t)bytes, message);
    for (int to = 1; to < size; to++)
        CHECK_EQ(MPI_Send(out, bytes, MPI_BYTE, to, (int)message, MPI_COMM_WORLD), MPI_SUCCESS);
}

static void receive(int bytes, int room, unsigned message)
{
    MPI_Status status;
    int code;

    memset(in, 0xee, (size_t)LARGE + 1);
    code = MPI_Recv(in, room, MPI_BYTE, 0, (int)message, MPI_COMM_WORLD, &status);
    if (bytes > room) {
        CHECK_CODE(code, MPI_ERR_TRUNCATE, "bytes arrived from rank 0");
    } else {
        CHECK_EQ(code, MPI_SUCCESS);
        CHECK_STATUS(&status, 0, (int)message, bytes);
    }
    CHECK_EQ(find_wrong(in, (size_t)(bytes < room ? bytes : room), message), -1);
    CHECK_EQ(in[bytes < room ? bytes : room], 0xee);
}

static void one(int bytes, int room, unsigned message)
{
    if (rank == 0)
        send_all(bytes, message);
    else
        receive(bytes, room, message);
}

static void lengths(void)
{
    static const int length[] = {8191,   8192,   32767,  32768,  65536,  65537,   262143,
                                 262144, 262145, 524288, 524289, 786432, 1 << 20, LARGE};
    unsigned message = 0;

    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
        one(length[i], length[i], message++);
        one(length[i], LARGE, message++);
        one(length[i], length[i] / 2 + 1, message++);
    }
}

/* More than can be under way jointly; the sender looks at none until the last is posted. */
static void several(int bytes, unsigned rest)
{
    MPI_Request request[AT_ONCE];

    if (rank > 1)
        return;
    for (int i = 0; i < AT_ONCE; i++)
        if (rank == 0) {
            fill(out + i * bytes, (size_t)bytes, (unsigned)i);
            CHECK_EQ(MPI_Isend(out + i * bytes, bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]),
                     MPI_SUCCESS);
        } else {
            CHECK_EQ(MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &request[i]),
                     MPI_SUCCESS);
        }
    if (rank == 0)
        usleep(rest);
    CHECK_EQ(MPI_Waitall(AT_ONCE, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; rank == 1 && i < AT_ONCE; i++)
        CHECK_EQ(find_wrong(in + i * bytes, (size_t)bytes, (unsigned)i), -1);
}

/* Both ways at once. */
static void crosswise(int bytes)
{
    int other = rank ^ 1;

    fill(out, (size_t)bytes, (unsigned)rank);
    CHECK_EQ(MPI_Sendrecv(out, bytes, MPI_BYTE, other, 3, in, bytes, MPI_BYTE, other, 3, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, (size_t)bytes, (unsigned)other), -1);
}

/* The sender gets its share in the end, if there is a core for it, unless the limit says otherwise. */
static void is_joint(void)
{
    const char *limit = getenv("INKLING_JOINT_LIMIT"), *cma = getenv("INKLING_CMA");
    int may = size == 2 && !(limit && strcmp(limit, "1G") == 0) && !cma && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    int helped = 0;

    for (int i = 0; i < (may ? TRIES : 20) && !helped; i++) {
        if (rank == 0)
            CHECK_EQ(MPI_Send(out, 1 << 20, MPI_BYTE, size - 1, 7, MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == size - 1)
            CHECK_EQ(MPI_Recv(in, 1 << 20, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        helped = writes > 0;
        CHECK_EQ(MPI_Bcast(&helped, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    if (!cma)
        CHECK_EQ(helped, may);
}

/* The message comes in pieces then. */
static void refuse(enum refusal what)
{
    refused = what;
    for (int i = 0; i < 16; i++) {
        reads_allowed = i % 4;
        one(1 << 20, 1 << 20, (unsigned)i);
        one(100000, 100000, (unsigned)i);
    }
    several(100000, 0);
    refused = NOTHING;
    one(1 << 20, 1 << 20, 3);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    set_up();
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    out = malloc((size_t)LARGE + 1);
    in = malloc((size_t)LARGE + 1);
    CHECK(out && in);
    is_joint();
    lengths();
    for (int i = 0; i < 8; i++) {
        several(300000, 0);
        several(40000, i % 4 ? 0 : 2000);
        crosswise(200000);
    }
    refuse(WRITING);
    refuse(READING);
    free(out);
    free(in);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
