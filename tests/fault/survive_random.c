/* survive_random SEED ROUNDS [FILE]: random messages, collectives, windows, accesses to FILE, spawned jobs, agreements and shrinking while
 * somebody kills ranks (survive.py, and tests/net/survived_random.py between hosts). At least ROUNDS; with FILE on until FILE.end is there.
 * SURVIVE_WRITES=1: only collective writes, many to a file that is open.
 *
 * Each round is one operation, the same on all ranks, and an agreement whether it has succeeded on all. If not, the ranks shrink the
 * communicator and do the round again. What succeeds must be right: ranks work out results alone, from who is in the communicator.
 * Agreements must be uniform: each rank keeps a digest of all that were decided, and these are compared. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    MOST = 40000, /* items of an operation */
    RANKS = 64,
    TURNS = 4, /* of a rank at each counter */
    REPEATED = 15,
    SOME = 1000 /* items, which collective buffering moves in messages */
};

/* What an agreement is about. */
enum {
    IS_RIGHT = 1, /* the round has succeeded */
    IS_THERE = 2, /* always */
    IS_ENOUGH = 4 /* nobody is killed any more */
};

static uint64_t seed, digest;
static bool is_enough;    /* all who live have seen that */
static int me;            /* in MPI_COMM_WORLD */
static int rank, size;    /* in `comm` */
static int member[RANKS]; /* of `comm`, as ranks of MPI_COMM_WORLD */
static MPI_Comm comm;
static char *program, *path; /* path: NULL: no accesses to files */
static bool only_writes;     /* SURVIVE_WRITES */
static int in[MOST * 4], out[MOST * 4];

static uint64_t mix(uint64_t n)
{
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 27) * 0x94d049bb133111ebu;
    return n ^ n >> 31;
}

static void say_wrong(FILE *to, int round, const char *what)
{
    fprintf(to, "seed %llu, round %d, rank %d: wrong: %s\n", (unsigned long long)seed, round, me, what);
}

/* Also in FILE.wrong.RANK: launchers forward nothing of a process that has ended. */
static _Noreturn void wrong(int round, const char *what)
{
    char name[4096];
    FILE *file = NULL;

    snprintf(name, sizeof name, "%s.wrong.%d", path ? path : "", me);
    if (path)
        file = fopen(name, "w");
    if (file) {
        say_wrong(file, round, what);
        fclose(file);
    }
    say_wrong(stderr, round, what);
    MPI_Abort(MPI_COMM_WORLD, 9);
    exit(9);
}

static void check_class(int error, int round)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(error, &class);
    if (!error || class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED ||
        class == MPIX_ERR_PROC_FAILED_PENDING || class == MPI_ERR_SPAWN) /* whose child was killed */
        return;
    MPI_Error_string(error, text, &length);
    wrong(round, text);
}

static int item(int of, int round, int i)
{
    return (int)(mix(seed + (uint64_t)of * 1000003 + (uint64_t)round * 7919 + (uint64_t)i) & 0xffff);
}

static void fill(int count, int round)
{
    for (int i = 0; i < count; i++)
        in[i] = item(me, round, i);
    memset(out, 0xff, sizeof out);
}

static void look_around(void)
{
    MPI_Group world, group;
    int all[RANKS];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    for (int i = 0; i < size; i++)
        all[i] = i;
    MPI_Group_translate_ranks(group, size, all, world, member);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
}

static int check_from(int error, int from, int count, int round, const char *what)
{
    for (int i = 0; !error && i < count; i++)
        if (out[i] != item(member[from], round, i))
            wrong(round, what);
    return error;
}

static int ring(int count, int round)
{
    int from = (rank + size - 1) % size;

    return check_from(MPI_Sendrecv(in, count, MPI_INT, (rank + 1) % size, 1, out, count, MPI_INT, from, 1,
                                   comm, MPI_STATUS_IGNORE),
                      from, count, round, "a message in the ring");
}

/* All send to one, which takes them from any source. */
static int any_source(int count, int round)
{
    int root = round % size, error = MPI_SUCCESS;

    if (rank != root)
        return MPI_Send(in, count, MPI_INT, root, 2, comm);
    for (int i = 1; i < size && !error; i++) {
        MPI_Status status;

        error = MPI_Recv(out, count, MPI_INT, MPI_ANY_SOURCE, 2, comm, &status);
        check_from(error, status.MPI_SOURCE, count, round, "a message of any source");
    }
    return error;
}

/* Nonblocking, with some requests pending when others fail; all are completed. */
static int swap(int count, int round)
{
    int from = (rank + size - 1) % size, error, flag;
    MPI_Request request[2];

    error = MPI_Irecv(out, count, MPI_INT, round % 2 ? from : MPI_ANY_SOURCE, 3, comm, &request[0]);
    if (error)
        return error;
    error = MPI_Isend(in, count, MPI_INT, (rank + 1) % size, 3, comm, &request[1]);
    if (error)
        request[1] = MPI_REQUEST_NULL;
    flag = MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    error = error ? error : flag;
    if (error)
        MPIX_Comm_revoke(comm);
    if (request[0] != MPI_REQUEST_NULL) {
        MPI_Cancel(&request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    flag = MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    error = error ? error : flag;
    return check_from(error, from, count, round, "a swapped message");
}

static int finish(int error, MPI_Request *request)
{
    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int allreduce(int count, int round, bool nonblocking)
{
    MPI_Request request;
    int error = nonblocking
                    ? finish(MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, comm, &request), &request)
                    : MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);

    for (int i = 0; !error && i < count; i += 97) {
        int sum = 0;

        for (int r = 0; r < size; r++)
            sum += item(member[r], round, i);
        if (out[i] != sum)
            wrong(round, "a sum");
    }
    return error;
}

static int bcast(int count, int round, bool nonblocking)
{
    MPI_Request request;
    int root = round % size, error;

    if (rank == root)
        memcpy(out, in, (size_t)count * sizeof *in);
    error = nonblocking ? finish(MPI_Ibcast(out, count, MPI_INT, root, comm, &request), &request)
                        : MPI_Bcast(out, count, MPI_INT, root, comm);
    return check_from(error, root, count, round, "a broadcast");
}

static int allgather(int count, int round)
{
    int error;

    count = count % (MOST * 4 / RANKS) + 1;
    fill(count, round);
    error = MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    for (int r = 0; !error && r < size; r++)
        for (int i = 0; i < count; i += 13)
            if (out[r * count + i] != item(member[r], round, i))
                wrong(round, "an allgather");
    return error;
}

static int alltoall(int count, int round)
{
    int error;

    count = count % (MOST * 4 / RANKS) + 1;
    fill(count * size, round);
    error = MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
    for (int r = 0; !error && r < size; r++)
        for (int i = 0; i < count; i += 13)
            if (out[r * count + i] != item(member[r], round, rank * count + i))
                wrong(round, "an alltoall");
    return error;
}

static int gather(int count, int round)
{
    int root = round % size, error;

    count = count % (MOST * 4 / RANKS) + 1;
    fill(count, round);
    error = MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    for (int r = 0; !error && rank == root && r < size; r++)
        for (int i = 0; i < count; i += 13)
            if (out[r * count + i] != item(member[r], round, i))
                wrong(round, "a gather");
    return error;
}

static int duplicate(void)
{
    MPI_Comm copy;
    int error = MPI_Comm_dup(comm, &copy);

    if (error)
        return error;
    error = MPI_Barrier(copy);
    if (error)
        MPIX_Comm_revoke(copy); /* others may wait there */
    MPI_Comm_free(&copy);
    return error;
}

/* Windows. What a rank puts at the next one. */
static int between_fences(int count, int round, int *base, MPI_Win win)
{
    int error = MPI_Win_fence(0, win);

    if (!error)
        error = MPI_Put(in, count, MPI_INT, (rank + 1) % size, 0, count, MPI_INT, win);
    if (!error)
        error = MPI_Win_fence(0, win);
    if (!error)
        memcpy(out, base, (size_t)count * sizeof *out);
    return check_from(error, (rank + size - 1) % size, count, round, "a put between fences");
}

static int with_one(int other, int (*call)(MPI_Group group, int assert, MPI_Win win), MPI_Win win)
{
    MPI_Group all, one;
    int error;

    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &other, &one);
    error = call(one, 0, win);
    MPI_Group_free(&all);
    MPI_Group_free(&one);
    return error;
}

static int posted_put(int count, int round, int *base, MPI_Win win)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, error = with_one(left, MPI_Win_post, win);

    if (!error)
        error = with_one(right, MPI_Win_start, win);
    if (!error)
        error = MPI_Put(in, count, MPI_INT, right, 0, count, MPI_INT, win);
    if (!error)
        error = MPI_Win_complete(win);
    if (!error)
        error = MPI_Win_wait(win);
    if (!error)
        memcpy(out, base, (size_t)count * sizeof *out);
    return check_from(error, left, count, round, "a put to who has posted");
}

/* All add to the counters of all, under locks of either kind. */
static int locked_sums(int round, int *base, MPI_Win win)
{
    int error = MPI_Barrier(comm); /* the counters are 0 */

    for (int i = 0; i < TURNS * size && !error; i++) {
        int target = (rank + i) % size;

        error = MPI_Win_lock((i + round) % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
        if (!error)
            error = MPI_Accumulate(&(int){1}, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
        if (!error)
            error = MPI_Win_unlock(target, win);
    }
    if (!error)
        error = MPI_Barrier(comm);
    if (!error)
        error = MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    if (!error && base[0] != TURNS * size)
        wrong(round, "a sum under locks");
    return error ? error : MPI_Win_unlock(rank, win);
}

/* All draw numbers from a counter of one. */
static int drawn_numbers(int round, int *base, MPI_Win win)
{
    int root = round % size, last = -1, error = MPI_Barrier(comm);

    if (!error)
        error = MPI_Win_lock_all(0, win);
    for (int i = 0; i < TURNS && !error; i++) {
        int mine = -1;

        error = MPI_Fetch_and_op(&(int){1}, &mine, MPI_INT, root, 0, MPI_SUM, win);
        if (!error)
            error = MPI_Win_flush(root, win);
        if (!error && (mine <= last || mine >= TURNS * size))
            wrong(round, "a number drawn");
        last = mine;
    }
    if (!error)
        error = MPI_Barrier(comm);
    if (!error && rank == root) {
        MPI_Win_sync(win);
        if (base[0] != TURNS * size)
            wrong(round, "the counter of numbers drawn");
    }
    return error ? error : MPI_Win_unlock_all(win);
}

static int window(int kind, int count, int round)
{
    static int own[MOST];
    int *base = own, freed, error;
    MPI_Win win;

    memset(own, 0, sizeof own);
    error = kind & 1 ? MPI_Win_allocate(MOST * sizeof *base, sizeof *base, MPI_INFO_NULL, comm, &base, &win)
                     : MPI_Win_create(own, MOST * sizeof *base, sizeof *base, MPI_INFO_NULL, comm, &win);
    if (error)
        return error;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    base[0] = 0;
    if (kind / 2 == 0)
        error = between_fences(count, round, base, win);
    else if (kind / 2 == 1)
        error = posted_put(count, round, base, win);
    else if (kind / 2 == 2)
        error = locked_sums(round, base, win);
    else
        error = drawn_numbers(round, base, win);
    if (error && round % 2)
        MPIX_Win_revoke(win);
    freed = MPI_Win_free(&win);
    return error ? error : freed;
}

/* Files. Sees every size-th item, from one on. */
static int set_view(MPI_File file, int first)
{
    MPI_Datatype every;
    int error;

    MPI_Type_create_resized(MPI_INT, 0, size * (MPI_Aint)sizeof(int), &every);
    MPI_Type_commit(&every);
    error = MPI_File_set_view(file, first * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
    MPI_Type_free(&every);
    return error;
}

/* Items of all ranks in turn; each then reads those of the rank before it. */
static int interleaved(int count, int round, MPI_File file)
{
    int left = (rank + size - 1) % size, error = set_view(file, rank);
    MPI_Request request;

    if (!error && round % 2)
        error = finish(MPI_File_iwrite_at_all(file, 0, in, count, MPI_INT, &request), &request);
    else if (!error)
        error = MPI_File_write_at_all(file, 0, in, count, MPI_INT, MPI_STATUS_IGNORE);
    if (!error)
        error = MPI_File_sync(file);
    if (!error)
        error = MPI_Barrier(comm);
    if (!error)
        error = set_view(file, left);
    if (!error)
        error = MPI_File_read_at_all(file, 0, out, count, MPI_INT, MPI_STATUS_IGNORE);
    return check_from(error, left, count, round, "a file of interleaved items");
}

/* Blocks in the order of ranks, by the shared pointer. */
static int ordered(int count, int round, MPI_File file)
{
    int left = (rank + size - 1) % size, error;

    error = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (!error)
        error = MPI_File_write_ordered(file, in, count, MPI_INT, MPI_STATUS_IGNORE);
    if (!error)
        error = MPI_File_sync(file);
    if (!error)
        error = MPI_Barrier(comm);
    if (!error)
        error = MPI_File_read_at(file, (MPI_Offset)left * count, out, count, MPI_INT, MPI_STATUS_IGNORE);
    return check_from(error, left, count, round, "a file of blocks");
}

/* One collective write after the other. */
static int repeated(int count, MPI_File file)
{
    int error = set_view(file, rank);

    for (int i = 0; i < REPEATED && !error; i++)
        error = MPI_File_write_at_all(file, 0, in, count, MPI_INT, MPI_STATUS_IGNORE);
    return error;
}

static int access_file(int count, int round, bool is_ordered)
{
    MPI_File file;
    int closed, error;

    error = MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (error)
        return error;
    if (only_writes)
        error = repeated(SOME + count % SOME, file);
    else
        error = is_ordered ? ordered(count, round, file) : interleaved(count, round, file);
    if (error && round % 2)
        MPIX_File_revoke(file);
    closed = MPI_File_close(&file);
    return error ? error : closed;
}

/* Another job of one rank, which may be killed as well. */
static int add_up(MPI_Comm between, bool is_child)
{
    MPI_Comm both;
    int sum = 0, all, error = MPI_Intercomm_merge(between, is_child, &both);

    if (error)
        return error;
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    MPI_Comm_size(both, &all);
    error = MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, both);
    if (!error && sum != all)
        wrong(-1, "a sum with a spawned job");
    if (error)
        MPIX_Comm_revoke(both);
    MPI_Comm_free(&both);
    return error;
}

static int spawn(void)
{
    char *words[] = {"child", NULL};
    MPI_Comm between;
    int error = MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, comm, &between, MPI_ERRCODES_IGNORE),
        parted;

    if (error)
        return error;
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    error = add_up(between, false);
    if (error)
        MPIX_Comm_revoke(between);
    parted = MPI_Comm_disconnect(&between);
    if (parted)
        MPI_Comm_free(&between);
    return error ? error : parted;
}

static int child(void)
{
    MPI_Comm parent;

    prctl(PR_SET_NAME, "survive_child");
    MPI_Init(NULL, NULL);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (add_up(parent, true))
        MPIX_Comm_revoke(parent);
    if (MPI_Comm_disconnect(&parent))
        MPI_Comm_free(&parent);
    MPI_Finalize();
    return 0;
}

static int operate(int round)
{
    uint64_t dice = mix(seed * 31 + (uint64_t)round);
    int count = dice >> 8 & 1 ? (int)(dice >> 16) % 200 : (int)((dice >> 16) % MOST);

    count = count < 0 ? -count : count;
    fill(count, round);
    if (only_writes && path)
        return access_file(count, round, false);
    if (dice % 16 == 12 || dice % 16 == 13)
        return window((int)(dice >> 40 & 7), count, round);
    if (dice % 16 == 14 && path)
        return access_file(count, round, dice >> 40 & 1);
    if (dice % 16 == 15 && (dice >> 40) % 8 == 0)
        return spawn();
    switch (dice % 16) {
    case 0:
        return ring(count, round);
    case 1:
        return any_source(count, round);
    case 2:
        return swap(count, round);
    case 3:
        return allreduce(count, round, false);
    case 4:
        return allreduce(count, round, true);
    case 5:
        return bcast(count, round, false);
    case 6:
        return bcast(count, round, true);
    case 7:
        return allgather(count, round);
    case 8:
        return alltoall(count, round);
    case 9:
        return gather(count, round);
    case 10:
        return duplicate();
    default:
        return MPI_Barrier(comm);
    }
}

static bool sees_end(void)
{
    char name[4096];

    if (!path)
        return true;
    snprintf(name, sizeof name, "%s.end", path);
    return access(name, F_OK) == 0;
}

/* Whether it has succeeded on all ranks: the same on all. */
static bool agree(bool is_right, int round, bool nonblocking)
{
    int flag = IS_THERE | (is_right ? IS_RIGHT : 0) | (sees_end() ? IS_ENOUGH : 0), error;
    MPI_Request request;

    error = nonblocking ? finish(MPIX_Comm_iagree(comm, &flag, &request), &request)
                        : MPIX_Comm_agree(comm, &flag);
    check_class(error, round);
    digest = mix(digest + (uint64_t)flag * 2 + (error != MPI_SUCCESS));
    is_enough = flag & IS_ENOUGH;
    return !error && (flag & IS_RIGHT) && (flag & IS_THERE);
}

static void shrink(int round)
{
    MPI_Comm next;
    MPI_Request request;
    bool nonblocking = mix(seed + (uint64_t)round) & 1;
    int error = nonblocking ? finish(MPIX_Comm_ishrink(comm, &next, &request), &request)
                            : MPIX_Comm_shrink(comm, &next);

    if (error) {
        check_class(error, round);
        wrong(round, "shrinking failed");
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    comm = next;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    look_around();
}

/* All who live have decided alike. */
static int compare_digests(int round)
{
    uint64_t mine[2] = {digest, ~digest}, all[2];
    int error = MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_BAND, comm);

    if (!error && all[0] != ~all[1])
        wrong(round, "ranks have decided differently");
    return error;
}

/* Leaves a file beside `path` with the number of this process: it has started MPI. */
static void say_started(void)
{
    char name[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s.started.%d", path, me);
    file = fopen(name, "w");
    if (!file)
        return;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 100;

    program = argv[0];
    only_writes = getenv("SURVIVE_WRITES") != NULL;
    if (argc == 2 && strcmp(argv[1], "child") == 0)
        return child();
    path = argc > 3 ? argv[3] : NULL;
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    MPI_Init(NULL, NULL);
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &me);
    look_around();
    if (path)
        say_started();
    for (int round = 0; round < rounds || !is_enough;) {
        int error = round % 8 == 7 ? compare_digests(round) : operate(round);

        check_class(error, round);
        if (error)
            MPIX_Comm_revoke(comm); /* others may wait for this rank */
        if (agree(!error, round, round % 3 == 0))
            round++;
        else
            shrink(round);
    }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
