/* survive STEP: what the living do when ranks die (mpiexec --survive). Each step ends with the code 0 on the living if all is right.
 *
 * The dead raise SIGKILL themselves, where STEP says. */
#include "survive_expect.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGE = 1 << 20 /* bytes that do not travel at once */
};

static int rank, size;
static char big[LARGE], got[LARGE];

static void die(void)
{
    raise(SIGKILL);
}

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

static bool is_failure(int code)
{
    return class_of(code) == MPIX_ERR_PROC_FAILED;
}

static int count_failed(MPI_Comm comm)
{
    MPI_Group group;
    int count;

    EXPECT(MPIX_Comm_get_failed(comm, &group) == MPI_SUCCESS);
    MPI_Group_size(group, &count);
    MPI_Group_free(&group);
    return count;
}

/* Until the death of so many is known; within a second. */
static void await_failures(MPI_Comm comm, int count)
{
    double end = MPI_Wtime() + 1;

    while (count_failed(comm) < count && MPI_Wtime() < end)
        ;
    EXPECT(count_failed(comm) == count);
}

/* By messages, which need no rank but those that send and receive them. */
static void meet(void)
{
    for (int i = 0; i < size; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, i, 98, &(int){0}, 1, MPI_INT, i, 98, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* The last rank dies once all others are here: what they have done together has succeeded on all. */
static void last_dies(void)
{
    if (rank < size - 1) {
        MPI_Send(&rank, 1, MPI_INT, size - 1, 99, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < size - 1; i++)
        MPI_Recv(&(int){0}, 1, MPI_INT, i, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    die();
}

/* The last rank has told the others of a message that they do not take yet. */
static void announce(int last)
{
    MPI_Request request;

    for (int i = 0; rank == last && i < last; i++)
        MPI_Isend(big, LARGE, MPI_CHAR, i, 7, MPI_COMM_WORLD, &request);
    if (rank < last)
        EXPECT(!MPI_Probe(last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The last rank dies; the others ask it for all sorts of things. */
static void messages(void)
{
    int last = size - 1, value = 0, flag, acked;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    MPI_Comm living;

    MPI_Comm_split(MPI_COMM_WORLD, rank < last ? 0 : MPI_UNDEFINED, rank, &living);
    announce(last);
    last_dies();
    EXPECT(is_failure(MPI_Recv(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    EXPECT(is_failure(MPI_Recv(got, LARGE, MPI_CHAR, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    EXPECT(is_failure(MPI_Send(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD)));
    EXPECT(is_failure(MPI_Ssend(big, LARGE, MPI_CHAR, last, 0, MPI_COMM_WORLD)));
    EXPECT(is_failure(MPI_Probe(last, 0, MPI_COMM_WORLD, &status)));
    EXPECT(is_failure(MPI_Mprobe(last, 0, MPI_COMM_WORLD, &message, &status)));
    EXPECT(is_failure(MPI_Irecv(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &request)) ||
           is_failure(MPI_Wait(&request, &status)));
    EXPECT(is_failure(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status)));
    EXPECT(count_failed(MPI_COMM_WORLD) == 1);
    EXPECT(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    EXPECT(class_of(MPI_Wait(&request, &status)) == MPIX_ERR_PROC_FAILED_PENDING);
    EXPECT(request != MPI_REQUEST_NULL);
    EXPECT(class_of(MPI_Test(&request, &flag, &status)) == MPIX_ERR_PROC_FAILED_PENDING);
    EXPECT(class_of(MPI_Waitall(1, &request, &status)) == MPI_ERR_IN_STATUS);
    EXPECT(class_of(status.MPI_ERROR) == MPIX_ERR_PROC_FAILED_PENDING && request != MPI_REQUEST_NULL);
    EXPECT(MPIX_Comm_ack_failed(MPI_COMM_WORLD, size, &acked) == MPI_SUCCESS && acked == 1);
    EXPECT(MPI_Test(&request, &flag, &status) == MPI_SUCCESS && !flag);
    EXPECT(MPI_Barrier(living) == MPI_SUCCESS);
    EXPECT(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % last, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(MPI_Wait(&request, &status) == MPI_SUCCESS && value == (rank + last - 1) % last);
    EXPECT(MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS && !flag);
    MPI_Comm_free(&living);
}

/* The last rank dies while the others wait for it. */
static void pending(void)
{
    int last = size - 1, value = 0, other = 0;
    MPI_Request request[4];
    MPI_Status status[4];

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) {
        usleep(100000);
        die();
    }
    MPI_Irecv(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(big, LARGE, MPI_CHAR, last, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(big, LARGE, MPI_CHAR, (rank + 1) % last, 3, MPI_COMM_WORLD, &request[3]);
    EXPECT(is_failure(MPI_Wait(&request[0], status)));
    EXPECT(class_of(MPI_Wait(&request[1], status)) == MPIX_ERR_PROC_FAILED_PENDING);
    EXPECT(is_failure(MPI_Wait(&request[2], status)));
    EXPECT(MPI_Cancel(&request[1]) == MPI_SUCCESS && MPI_Wait(&request[1], status) == MPI_SUCCESS);
    EXPECT(MPI_Recv(got, LARGE, MPI_CHAR, (rank + last - 1) % last, 3, MPI_COMM_WORLD, status) ==
           MPI_SUCCESS);
    EXPECT(MPI_Wait(&request[3], status) == MPI_SUCCESS);
}

/* A communicator without the dead goes on as before. */
static void untouched(void)
{
    int sum = 0, expected = (size - 1) * (size - 2) / 2;
    MPI_Comm living;

    MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : MPI_UNDEFINED, rank, &living);
    last_dies();
    await_failures(MPI_COMM_WORLD, 1);
    EXPECT(count_failed(living) == 0);
    for (int i = 0; i < 100; i++)
        EXPECT(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, living) == MPI_SUCCESS && sum == expected);
    MPI_Comm_set_errhandler(living, MPI_ERRORS_ARE_FATAL);
    EXPECT(MPI_Recv(&sum, 0, MPI_INT, MPI_PROC_NULL, 0, living, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Comm_free(&living);
}

typedef int collective(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request);

static int barrier(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request)
{
    (void)in;
    (void)out;
    (void)count;
    return request ? MPI_Ibarrier(comm, request) : MPI_Barrier(comm);
}

static int bcast(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request)
{
    (void)in;
    return request ? MPI_Ibcast(out, count, MPI_INT, 0, comm, request)
                   : MPI_Bcast(out, count, MPI_INT, 0, comm);
}

static int allreduce(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request)
{
    return request ? MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, comm, request)
                   : MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
}

static int alltoall(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request)
{
    return request ? MPI_Ialltoall(in, count, MPI_INT, out, count, MPI_INT, comm, request)
                   : MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
}

static int gather(MPI_Comm comm, void *in, void *out, int count, MPI_Request *request)
{
    return request ? MPI_Igather(in, count, MPI_INT, out, count, MPI_INT, 0, comm, request)
                   : MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, 0, comm);
}

static collective *const collectives[] = {barrier, bcast, allreduce, alltoall, gather};

/* Collectives end, whoever has died, and each living rank sees an error in the end. */
static void collect(collective *call, int count, bool is_nonblocking)
{
    int *in = calloc((size_t)count * (size_t)size, sizeof *in),
        *out = calloc((size_t)count * (size_t)size, sizeof *out);
    bool has_failed = false;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    meet(); /* else the dead might have left before some have it */
    for (int i = 0; i < 500 && !has_failed; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int error;

        if (rank == size - 1 && i == 50)
            die();
        error = call(comm, in, out, count, is_nonblocking ? &request : NULL);
        if (!error)
            error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (error && !is_failure(error)) {
            char text[MPI_MAX_ERROR_STRING];
            int length;

            MPI_Error_string(error, text, &length);
            fprintf(stderr, "rank %d: %s\n", rank, text);
        }
        EXPECT(!error || is_failure(error));
        has_failed = error;
    }
    EXPECT(has_failed || call == bcast || call == gather); /* whose ranks need not all hear of each other */
    MPIX_Comm_agree(MPI_COMM_WORLD, &(int){1});            /* nobody leaves while others send to it */
    MPI_Comm_free(&comm);
    free(in);
    free(out);
}

static void collectives_end(int which, int count, bool is_nonblocking)
{
    collect(collectives[which], count, is_nonblocking);
}

/* Who revokes wakes all others out of what they wait for; they shrink and go on. */
static void revocation(void)
{
    int flag, value, sum;
    MPI_Comm comm, next;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && !flag);
    EXPECT(MPI_ERR_REVOKED == MPIX_ERR_REVOKED && MPI_ERR_PROC_FAILED == MPIX_ERR_PROC_FAILED &&
           MPI_ERR_PROC_FAILED_PENDING == MPIX_ERR_PROC_FAILED_PENDING);
    last_dies();
    if (rank == 0) {
        EXPECT(is_failure(MPI_Recv(&value, 1, MPI_INT, size - 1, 0, comm, MPI_STATUS_IGNORE)));
        EXPECT(MPI_Comm_revoke(comm) == MPI_SUCCESS);
    } else {
        EXPECT(class_of(MPI_Recv(&value, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    }
    EXPECT(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag);
    EXPECT(class_of(MPI_Send(&value, 1, MPI_INT, rank, 0, comm)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Bcast(&value, 1, MPI_INT, rank, comm)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Comm_dup(comm, &next)) == MPIX_ERR_REVOKED);
    EXPECT(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
    MPI_Comm_size(next, &value);
    EXPECT(value == size - 1);
    EXPECT(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, next) == MPI_SUCCESS && sum == size - 1);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&next);
}

/* Rank 0 has a communicator, and revokes it, while the others have only begun to make it: what they wait for there ends all the same. */
static void revoked_early(void)
{
    MPI_Comm comm, next;
    MPI_Request request;
    int x = 0;

    for (int round = 0; round < 20; round++) {
        EXPECT(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request) == MPI_SUCCESS);
        if (rank) {
            usleep(10000);
            EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            EXPECT(class_of(MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
        } else {
            EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            EXPECT(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
        }
        EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
        EXPECT(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
        MPI_Comm_free(&next);
        MPI_Comm_free(&comm);
    }
}

/* Who revokes a window and a file wakes the others out of them; nobody has died, and communicators go on. */
static void revoke_objects(const char *path)
{
    MPI_Win win;
    MPI_File file;
    int *base;

    EXPECT(!MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    EXPECT(!MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    if (rank == 0)
        EXPECT(!MPIX_Win_revoke(win));
    EXPECT(class_of(MPI_Win_fence(0, win)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_Win_lock_all(0, win)) == MPIX_ERR_REVOKED);
    if (rank == size - 1)
        EXPECT(!MPIX_File_revoke(file));
    EXPECT(class_of(MPI_File_write_at_all(file, 0, big, 4, MPI_CHAR, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    EXPECT(class_of(MPI_File_write_ordered(file, big, 4, MPI_CHAR, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    EXPECT(!MPI_File_close(&file) && !MPI_Win_free(&win));
    EXPECT(!MPI_Barrier(MPI_COMM_WORLD));
}

/* A communicator of all who live has the right size and sum. */
static void check_living(MPI_Comm comm, int expected)
{
    int now, sum = 0;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(comm, &now);
    EXPECT(now == expected);
    EXPECT(!MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm) && sum == expected);
}

/* The living make communicators of their group, over one that the dead belong to and over none. */
static void groups(void)
{
    MPI_Group world, failed, living;
    MPI_Comm comm;

    last_dies();
    await_failures(MPI_COMM_WORLD, 1);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    EXPECT(!MPI_Comm_get_failed(MPI_COMM_WORLD, &failed));
    MPI_Group_difference(world, failed, &living);
    for (int tag = 0; tag < 20; tag++) {
        EXPECT(!MPI_Comm_create_group(MPI_COMM_WORLD, living, tag, &comm));
        check_living(comm, size - 1);
        MPI_Comm_free(&comm);
        EXPECT(!MPI_Comm_create_from_group(living, "living", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        check_living(comm, size - 1);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&failed);
    MPI_Group_free(&living);
}

/* Merges parents and children, and puts each at the rank that `wanted` says. */
static void complete(MPI_Comm between, bool is_child, int wanted, int expected)
{
    MPI_Comm both, ordered;
    int now;

    EXPECT(!MPI_Intercomm_merge(between, is_child, &both));
    EXPECT(!MPI_Comm_split(both, 0, wanted, &ordered));
    check_living(ordered, expected);
    MPI_Comm_rank(ordered, &now);
    EXPECT(now == wanted);
    MPI_Comm_free(&ordered);
    MPI_Comm_free(&both);
    EXPECT(!MPI_Comm_disconnect(&between));
}

/* The middle one dies, and a new process takes its place. */
static void respawn(char *program)
{
    MPI_Comm parent, living, between;
    char place[16], whole[16], *words[] = {"replace", place, whole, NULL};
    int middle = size / 2;

    if (rank == middle)
        die();
    await_failures(MPI_COMM_WORLD, 1);
    EXPECT(!MPIX_Comm_shrink(MPI_COMM_WORLD, &living));
    snprintf(place, sizeof place, "%d", middle);
    snprintf(whole, sizeof whole, "%d", size);
    EXPECT(!MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, living, &between, MPI_ERRCODES_IGNORE));
    MPI_Comm_get_parent(&parent);
    EXPECT(parent == MPI_COMM_NULL);
    complete(between, false, rank, size);
    check_living(living, size - 1);
    MPI_Comm_free(&living);
}

static void replace(int place, int whole)
{
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    complete(parent, true, place, whole);
}

static const char
    *victim; /* where rank 1 finds the number of the process that is to die before they meet; NULL: none is */

static void kill_victim(void)
{
    int file = open(victim, O_RDONLY | O_CLOEXEC), pid = 0;
    struct pollfd end = {.events = POLLIN};

    victim = NULL;
    EXPECT(read(file, &pid, sizeof pid) == sizeof pid);
    end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
    kill(pid, SIGKILL);
    poll(&end, 1, -1);
    close(end.fd);
    close(file);
}

/* Takes the place of libc's in the library: processes of another job on this host are met here. */
__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr *name, socklen_t length)
{
    if (victim && memmem(name, length, "-attach-", strlen("-attach-")))
        kill_victim();
    return (int)syscall(SYS_connect, fd, name, length);
}

/* A spawned process dies when it has said that it is there, and before rank 1 has met it. */
static void unmet(char *program, char *path)
{
    char *words[] = {"unmet-child", path, NULL};
    MPI_Comm between;
    int error;

    victim = rank == 1 ? path : NULL;
    error =
        MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    EXPECT(!victim);
    EXPECT(!error || is_failure(error) || class_of(error) == MPI_ERR_SPAWN);
    if (!error)
        MPI_Comm_free(&between);
}

/* Before MPI_Init. */
static void unmet_child(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), pid = getpid();

    EXPECT(write(file, &pid, sizeof pid) == sizeof pid);
    close(file);
}

/* Agreements are uniform, and shrinking takes ranks out one after the other. */
static void shrink(void)
{
    MPI_Comm comm = MPI_COMM_WORLD, next;
    MPI_Request request;
    int flag, now, me, acked;

    for (int left = size; left > 1; left--) {
        MPI_Comm_rank(comm, &me);
        flag = ~(1 << me);
        EXPECT(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == ~((1 << left) - 1));
        if (me == left / 2)
            die();
        flag = 1;
        EXPECT(is_failure(MPIX_Comm_agree(comm, &flag)) && flag == 1);
        await_failures(comm, 1);
        EXPECT(MPI_Comm_ack_failed(comm, 1, &acked) == MPI_SUCCESS && acked == 1);
        EXPECT(MPIX_Comm_iagree(comm, &flag, &request) == MPI_SUCCESS);
        EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 1);
        if (left % 2)
            EXPECT(MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS);
        else
            EXPECT(MPIX_Comm_ishrink(comm, &next, &request) == MPI_SUCCESS &&
                   MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Comm_size(next, &now);
        EXPECT(now == left - 1);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
        comm = next;
    }
    MPI_Comm_free(&comm);
}

/* Both groups agree, each on what the other says; the last rank of one of them dies, the communicator is revoked, and the living go on. */
static void agree_across(MPI_Comm inter, bool is_loser)
{
    MPI_Comm next, last;
    MPI_Request request;
    int me, local, remote, flag, acked, now, there, sum = 0;

    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_rank(inter, &me);
    MPI_Comm_size(inter, &local);
    MPI_Comm_remote_size(inter, &remote);
    flag = ~(1 << me << (is_loser ? 0 : 8));
    EXPECT(!MPIX_Comm_agree(inter, &flag) && flag == ~(((1 << remote) - 1) << (is_loser ? 8 : 0)));
    if (is_loser && me == local - 1)
        die();
    flag = is_loser ? INT_MIN : 9;
    EXPECT(is_failure(MPIX_Comm_agree(inter, &flag)) && flag == (is_loser ? 9 : INT_MIN));
    await_failures(inter, 1);
    EXPECT(!MPIX_Comm_ack_failed(inter, 1, &acked) && acked == 1);
    EXPECT(!MPIX_Comm_iagree(inter, &flag, &request) && !MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(flag == (is_loser ? INT_MIN : 9));
    if (is_loser && me == 0)
        EXPECT(!MPIX_Comm_revoke(inter));
    EXPECT(!MPIX_Comm_shrink(inter, &next) && !MPI_Comm_free(&inter));
    MPI_Comm_size(next, &now);
    MPI_Comm_remote_size(next, &there);
    EXPECT(now == local - is_loser && there == remote - !is_loser);
    EXPECT(!MPIX_Comm_ishrink(next, &last, &request) && !MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(!MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, last) && sum == there * (there - 1) / 2);
    EXPECT(!MPI_Comm_free(&next) && !MPI_Comm_disconnect(&last)); /* a job may end before the other now */
}

static void two_groups(void)
{
    MPI_Comm half, inter;
    bool is_loser = rank % 2 == 0;

    EXPECT(!MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    EXPECT(!MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_loser, 5, &inter));
    agree_across(inter, is_loser);
    MPI_Comm_free(&half);
}

static void two_jobs(char *program)
{
    char *words[] = {"two-jobs", NULL};
    MPI_Comm inter;

    MPI_Comm_get_parent(&inter);
    if (inter != MPI_COMM_NULL) {
        agree_across(inter, true);
        return;
    }
    EXPECT(!MPI_Comm_spawn(program, words, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    agree_across(inter, false);
}

/* All but one die. */
static void alone(void)
{
    MPI_Comm next;
    int now, flag = 0, *survives;

    EXPECT(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &survives, &flag) == MPI_SUCCESS);
    EXPECT(flag && *survives == 1);
    if (rank)
        die();
    await_failures(MPI_COMM_WORLD, size - 1);
    EXPECT(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
    MPI_Comm_size(next, &now);
    EXPECT(now == 1);
    MPI_Comm_free(&next);
}

static bool dies_in_init;

/* Takes the place of libc's in the library, which notes in the environment that a process has joined its job. */
__attribute__((visibility("default"))) int setenv(const char *name, const char *value, int overwrite)
{
    static char kept[8][512];
    static int count;

    if (dies_in_init && strncmp(name, "INKLING_JOB_", strlen("INKLING_JOB_")) == 0)
        die();
    if ((!overwrite && getenv(name)) || count == 8)
        return 0;
    snprintf(kept[count], sizeof *kept, "%s=%s", name, value);
    return putenv(kept[count++]);
}

static void before_init(void)
{
    const char *number = getenv("INKLING_JOB_RANK");

    if (!number)
        number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    dies_in_init = number && atoi(number) == 1;
}

/* Rank 1 dies in MPI_Init, and the others go on. */
static void in_init(void)
{
    MPI_Comm next;

    await_failures(MPI_COMM_WORLD, 1);
    EXPECT(!MPIX_Comm_shrink(MPI_COMM_WORLD, &next));
    check_living(next, size - 1);
    MPI_Comm_free(&next);
}

/* The last rank dies when it has said; how long after that the others learn of it, of whom they ask nothing else. */
static void soon(void)
{
    double limit = getenv("SURVIVE_LIMIT") ? atof(getenv("SURVIVE_LIMIT")) : 1, told, late;
    int last = size - 1;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last) {
        told = MPI_Wtime() + 0.1;
        for (int i = 0; i < last; i++)
            MPI_Send(&told, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD);
        while (MPI_Wtime() < told)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
        die();
    }
    EXPECT(MPI_Recv(&told, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(is_failure(MPI_Recv(&late, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    late = MPI_Wtime() - told;
    printf("rank %d: the error came after %.3f s\n", rank, late);
    EXPECT(late < limit);
    MPIX_Comm_agree(MPI_COMM_WORLD, &(int){1});
}

static void join_parents(void)
{
    MPI_Comm parents;

    MPI_Comm_get_parent(&parents);
    EXPECT(!MPI_Barrier(parents) && !MPI_Comm_disconnect(&parents));
}

/* The last rank's host is cut off: it and the others take each other for dead, and each part goes on. Children come to other hosts. */
static void cut_off(char *program)
{
    int last = size - 1, value, sum;
    MPI_Comm next, children;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        puts("ready");
        fflush(stdout);
    }
    EXPECT(is_failure(
        MPI_Recv(&value, 1, MPI_INT, rank == last ? 0 : last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    EXPECT(MPIX_Comm_shrink(MPI_COMM_WORLD, &next) == MPI_SUCCESS);
    EXPECT(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, next) == MPI_SUCCESS);
    EXPECT(sum == (rank == last ? 1 : last));
    EXPECT(rank == last || !MPI_Comm_spawn(program, (char *[]){"joins", NULL}, size, MPI_INFO_NULL, 0, next,
                                           &children, MPI_ERRCODES_IGNORE));
    EXPECT(rank == last || (!MPI_Barrier(children) && !MPI_Comm_disconnect(&children)));
    if (rank == 0) {
        puts("goes on");
        fflush(stdout);
    }
    MPI_Comm_free(&next);
}

static void reduce_once(void)
{
    double sum;

    MPI_Allreduce(&(double){1}, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void agree_once(void)
{
    MPIX_Comm_agree(MPI_COMM_WORLD, &(int){1});
}

static void dup_once(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void shrink_once(void)
{
    MPI_Comm comm;

    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

/* us of a call: the best of `turns`. */
static double cost_of(void (*call)(void), int turns, int calls)
{
    double best = 1e9;

    for (int turn = 0; turn < turns; turn++) {
        double begin, took;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            call();
        took = (MPI_Wtime() - begin) / calls * 1e6;
        best = took < best ? took : best;
    }
    return best;
}

/* For docs/SURVIVE.md. */
static void costs(int turns, int calls)
{
    double reduce = cost_of(reduce_once, turns, calls), agree = cost_of(agree_once, turns, calls);
    double dup = cost_of(dup_once, turns, calls), shrink = cost_of(shrink_once, turns, calls);

    if (rank == 0)
        printf(
            "%d ranks: allreduce %.2f us, agree %.2f us (%.2f x); dup and free %.2f us, shrink and free %.2f "
            "us (%.2f x)\n",
            size, reduce, agree, agree / reduce, dup, shrink, shrink / dup);
}

/* Without --survive. */
static void unsupported(void)
{
    MPI_Comm next;
    int flag = 1;

    EXPECT(class_of(MPIX_Comm_shrink(MPI_COMM_WORLD, &next)) == MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT(class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)) == MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT(class_of(MPIX_Comm_revoke(MPI_COMM_WORLD)) == MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT(count_failed(MPI_COMM_WORLD) == 0);
}

static void run(char **argv)
{
    const char *step = argv[1];

    if (strcmp(step, "messages") == 0)
        messages();
    else if (strcmp(step, "pending") == 0)
        pending();
    else if (strcmp(step, "untouched") == 0)
        untouched();
    else if (strcmp(step, "collectives") == 0)
        collectives_end(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    else if (strcmp(step, "revoke") == 0)
        revocation();
    else if (strcmp(step, "revoke-early") == 0)
        revoked_early();
    else if (strcmp(step, "revoke-objects") == 0)
        revoke_objects(argv[2]);
    else if (strcmp(step, "groups") == 0)
        groups();
    else if (strcmp(step, "respawn") == 0)
        respawn(argv[0]);
    else if (strcmp(step, "replace") == 0)
        replace(atoi(argv[2]), atoi(argv[3]));
    else if (strcmp(step, "unmet") == 0)
        unmet(argv[0], argv[2]);
    else if (strcmp(step, "shrink") == 0)
        shrink();
    else if (strcmp(step, "two-groups") == 0)
        two_groups();
    else if (strcmp(step, "two-jobs") == 0)
        two_jobs(argv[0]);
    else if (strcmp(step, "alone") == 0)
        alone();
    else if (strcmp(step, "in-init") == 0)
        in_init();
    else if (strcmp(step, "soon") == 0)
        soon();
    else if (strcmp(step, "cut-off") == 0)
        cut_off(argv[0]);
    else if (strcmp(step, "joins") == 0)
        join_parents();
    else if (strcmp(step, "costs") == 0)
        costs(atoi(argv[2]), atoi(argv[3]));
    else if (strcmp(step, "unsupported") == 0)
        unsupported();
    else if (strcmp(step, "exit") == 0 && rank)
        exit(atoi(argv[2]));
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "unmet-child") == 0)
        unmet_child(argv[2]);
    if (argc > 1 && strcmp(argv[1], "in-init") == 0)
        before_init();
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    run(argv);
    MPI_Finalize();
    return 0;
}
