/* Jobs that hang, one for each argument: what `inkling where` must say of them is in situations.py. Each function never returns on
 * the ranks that wait. Ranks that have nothing to wait for compute in smooth(). */
#include "situations.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank;
static int size;
static const char *program;
MPI_Comm halo;
static volatile double grid[1024];

/* Computes until the job is ended. */
__attribute__((noinline)) void smooth(void)
{
    for (;;)
        for (int i = 1; i < 1023; i++)
            grid[i] = (grid[i - 1] + grid[i + 1]) / 2;
}

static void receive(int source, int tag, MPI_Comm comm)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE);
}

static void send_to(int dest, int tag, MPI_Comm comm)
{
    int value = 1;

    MPI_Send(&value, 1, MPI_INT, dest, tag, comm);
}

static void wrong_tag(void)
{
    if (rank == 0)
        receive(1, 7, halo);
    send_to(0, 8, halo);
    smooth();
}

static void wrong_communicator(void)
{
    if (rank == 0)
        receive(1, 7, halo);
    send_to(0, 7, MPI_COMM_WORLD);
    smooth();
}

static void late(void)
{
    double sum = rank;

    for (int i = 0; i < 20; i++) /* so that shared memory is used */
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
    if (rank == size - 1)
        smooth();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
}

static void circle(void)
{
    receive((rank + 1) % size, 3, halo);
}

static void computing(void)
{
    smooth();
}

static void lock(void)
{
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, halo, &memory, &win);
    MPI_Win_set_name(win, "table");
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(halo);
    if (rank == 0)
        smooth();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

static void epoch(void)
{
    MPI_Group all, others;
    int *memory, zero = 0;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, halo, &memory, &win);
    MPI_Win_set_name(win, "table");
    MPI_Comm_group(halo, &all);
    if (rank == 0) {
        MPI_Group_excl(all, 1, &zero, &others);
        MPI_Win_post(others, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_incl(all, 1, &zero, &others);
    MPI_Win_start(others, 0, win);
    if (rank != 1)
        MPI_Win_complete(win);
    smooth();
}

/* MPI_Finalize waits until what was sent is received. */
static void finalize(void)
{
    static char large[1 << 22];
    MPI_Request request;

    if (rank == 0)
        smooth();
    MPI_Isend(large, sizeof large, MPI_CHAR, 0, 5, halo, &request);
    MPI_Request_free(&request);
    MPI_Finalize();
}

static void *wait_in_thread(void *number)
{
    receive((rank + 1) % size, 100 + *(int *)number, halo);
    return NULL;
}

static void threads(void)
{
    static int number[8];
    pthread_t thread[8];

    for (int i = 0; i < 8; i++) {
        number[i] = i / 4;
        pthread_create(&thread[i], NULL, wait_in_thread, &number[i]);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
}

static void stopped(void)
{
    if (rank == 0)
        receive(1, 7, halo);
    smooth();
}

static void send_late(void)
{
    static char large[1 << 22];

    if (rank == 0)
        MPI_Send(large, sizeof large, MPI_CHAR, 1, 9, halo);
    smooth();
}

/* Neither sends anything before the other has. */
static void other_collective(void)
{
    int value = 0, all[64];

    if (rank == 0)
        MPI_Bcast(&value, 1, MPI_INT, 1, halo);
    else
        MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 1, halo);
}

static void probe(void)
{
    if (rank == 0)
        MPI_Probe(1, 11, halo, MPI_STATUS_IGNORE);
    smooth();
}

static void any_source(void)
{
    if (rank == 0)
        receive(MPI_ANY_SOURCE, MPI_ANY_TAG, halo);
    smooth();
}

static void waitall(void)
{
    MPI_Request request[3];
    int value[3];

    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 1, 20 + i, halo, &request[i]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    send_to(0, 20, halo);
    send_to(0, 22, halo);
    smooth();
}

static void duplicate(void)
{
    MPI_Comm copy;

    if (rank == 0)
        smooth();
    MPI_Comm_dup(halo, &copy);
}

/* The tag is told by the receiver's queue, so the receiver has taken the message in. */
static void synchronous_send(void)
{
    int value = 1, is_there = rank != 1;

    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 12, halo);
    while (!is_there)
        MPI_Iprobe(0, 12, halo, &is_there, MPI_STATUS_IGNORE);
    smooth();
}

static void exchange_with_late(void)
{
    int out = rank, in;

    if (rank == 0)
        MPI_Sendrecv(&out, 1, MPI_INT, 1, 13, &in, 1, MPI_INT, 1, 14, halo, MPI_STATUS_IGNORE);
    smooth();
}

static void waitany(void)
{
    MPI_Request request[2];
    int value[2], index;

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 1, 30 + i, halo, &request[i]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    }
    smooth();
}

static void nonblocking_barrier(void)
{
    MPI_Request request;

    if (rank == 1)
        smooth();
    MPI_Ibarrier(halo, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* So that shared memory is used. */
static void warm_up(void)
{
    double sum = rank;

    for (int i = 0; i < 20; i++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
}

static void broadcast(void)
{
    double value = 0;

    warm_up();
    if (rank == 0)
        smooth();
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, halo);
    smooth();
}

/* The root waits for one; the others have gone on. */
static void gather(void)
{
    double value = rank, all[64];

    for (int i = 0; i < 20; i++)
        MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, halo);
    MPI_Barrier(halo);
    if (rank == 1)
        smooth();
    MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, halo);
    smooth();
}

static void all_to_all(void)
{
    static double out[64], in[64];

    warm_up();
    if (rank == 1)
        smooth();
    MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, halo);
}

static void scan(void)
{
    double value = rank, sum;

    warm_up();
    if (rank == 0)
        smooth();
    MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
}

static void barrier(void)
{
    warm_up();
    if (rank == size - 1)
        smooth();
    MPI_Barrier(halo);
}

static void fence(void)
{
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, halo, &memory, &win);
    MPI_Win_set_name(win, "table");
    if (rank == 1)
        smooth();
    MPI_Win_fence(0, win);
}

static void file(void)
{
    int value = rank;
    MPI_File handle;

    MPI_File_open(halo, getenv("WHERE_FILE"), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
    if (rank == 1)
        smooth();
    MPI_File_write_at_all(handle, rank * (MPI_Offset)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(halo);
}

/* A file that could not be opened is no object. */
static void failed_open(void)
{
    MPI_File handle;

    if (MPI_File_open(halo, "/there is no such folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &handle) ==
        MPI_SUCCESS)
        return;
    if (rank == 1)
        smooth();
    MPI_Barrier(halo);
}

static void split(void)
{
    MPI_Comm half;

    if (rank == 1)
        smooth();
    MPI_Comm_split(halo, rank % 2, rank, &half);
}

/* One of the two that are to connect is not there. */
static void accept_alone(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;

    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    smooth();
}

static void matched_probe(void)
{
    MPI_Message message;

    if (rank == 0)
        MPI_Mprobe(1, 15, halo, &message, MPI_STATUS_IGNORE);
    smooth();
}

static void test_loop(void)
{
    MPI_Request request;
    int value, done = 0;

    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 40, halo, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    smooth();
}

static void waitsome(void)
{
    MPI_Request request[2];
    int value[2], count, index[2];

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 1, 30 + i, halo, &request[i]);
        MPI_Waitsome(2, request, &count, index, MPI_STATUSES_IGNORE);
    }
    smooth();
}

/* More messages without a receive than anyone wants to read of. */
static void crowd(void)
{
    int is_there = 0;

    if (rank == 1) {
        for (int i = 0; i < 500; i++)
            send_to(0, 50 + i % 2, halo);
        send_to(0, 49, MPI_COMM_WORLD);
    }
    while (rank == 0 && !is_there)
        MPI_Iprobe(1, 49, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (rank == 0)
        receive(1, 7, halo);
    smooth();
}

static void reduce(void)
{
    double value = rank, sum;

    if (rank == 1)
        smooth();
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, halo);
    smooth();
}

static void allgather(void)
{
    double value = rank, all[64];

    warm_up();
    if (rank == 1)
        smooth();
    MPI_Allgather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, halo);
}

static void reduce_scatter(void)
{
    double value[64] = {0}, sum;

    warm_up();
    if (rank == 1)
        smooth();
    MPI_Reduce_scatter_block(value, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
}

static void exscan(void)
{
    double value = rank, sum;

    if (rank == 0)
        smooth();
    MPI_Exscan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, halo);
}

/* A ring, in which both neighbours of the late rank wait for it. */
static void neighbours(void)
{
    double out[2] = {0}, in[2];
    int periodic = 1;
    MPI_Comm ring;

    MPI_Cart_create(halo, 1, &size, &periodic, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    if (rank == 1)
        smooth();
    MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring);
}

static void partitioned(void)
{
    MPI_Request request;
    double value[2];

    if (rank == 0) {
        MPI_Precv_init(value, 2, 1, MPI_DOUBLE, 1, 60, halo, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    smooth();
}

static void detach(void)
{
    static char buffer[1 << 21];
    static char large[1 << 20];
    void *address;
    int bytes;

    if (rank == 0) {
        MPI_Buffer_attach(buffer, sizeof buffer);
        MPI_Bsend(large, sizeof large, MPI_CHAR, 1, 61, halo);
        MPI_Buffer_detach(&address, &bytes);
    }
    smooth();
}

static MPI_Win make_window(void)
{
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, halo, &memory, &win);
    MPI_Win_set_name(win, "table");
    return win;
}

/* An access without the post that gives it. */
static void start(void)
{
    MPI_Win win = make_window();
    int one = 1, value = 1;
    MPI_Group all, target;

    MPI_Comm_group(halo, &all);
    MPI_Group_incl(all, 1, &one, &target);
    if (rank == 0) {
        MPI_Win_start(target, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    smooth();
}

static void lock_all(void)
{
    MPI_Win win = make_window();

    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(halo);
    if (rank == 1) {
        int value = 1;

        MPI_Win_lock_all(0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    smooth();
}

static void free_window(void)
{
    MPI_Win win = make_window();

    if (rank == 1)
        smooth();
    MPI_Win_free(&win);
}

static void open_file(void)
{
    MPI_File handle;

    if (rank == 1)
        smooth();
    MPI_File_open(halo, getenv("WHERE_FILE"), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
}

static void close_file(void)
{
    MPI_File handle;

    MPI_File_open(halo, getenv("WHERE_FILE"), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
    if (rank == 1)
        smooth();
    MPI_File_close(&handle);
}

static void bridge(void)
{
    MPI_Comm half, both;
    int side = rank == 2;

    MPI_Comm_split(halo, side, rank, &half);
    if (rank == 2)
        smooth();
    MPI_Intercomm_create(half, 0, halo, side ? 0 : 2, 62, &both);
}

static void connect_alone(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;

    if (rank == 1)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 1, halo);
    if (rank == 0)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    smooth();
}

/* The children never call MPI_Init. */
static void spawn(void)
{
    char unborn[] = "unborn", *arguments[] = {unborn, NULL};
    MPI_Comm children;

    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, halo, &children, MPI_ERRCODES_IGNORE);
}

/* Computes while a receive is open. */
static void overlap(void)
{
    static MPI_Request request;
    static int value;

    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 63, halo, &request);
    smooth();
}

static void long_chain(void)
{
    if (rank == size - 1)
        smooth();
    receive(rank + 1, 3, halo);
}

static void dies(void)
{
    if (rank == 1)
        pause();
    receive(1, 7, halo);
}

static unsigned state = 1;

/* The same numbers on all ranks. */
static int random_below(int most)
{
    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % most;
}

enum {
    MESSAGES = 16, /* of a round */
    LONGEST = 20000
};

/* A round of messages between random ranks, of random lengths and tags. */
static void exchange(int round)
{
    static int out[MESSAGES][LONGEST], in[MESSAGES][LONGEST];
    MPI_Request request[2 * MESSAGES];
    int from[MESSAGES], to[MESSAGES], length[MESSAGES], requests = 0;

    for (int i = 0; i < MESSAGES; i++) {
        int tag = 1000 + random_below(50) * MESSAGES + i;

        from[i] = random_below(size);
        to[i] = random_below(size);
        length[i] = 1 + random_below(random_below(4) ? 100 : LONGEST);
        if (to[i] == rank)
            MPI_Irecv(in[i], length[i], MPI_INT, from[i], tag, halo, &request[requests++]);
        if (from[i] == rank) {
            out[i][0] = out[i][length[i] - 1] = round * MESSAGES + i;
            MPI_Isend(out[i], length[i], MPI_INT, to[i], tag, halo, &request[requests++]);
        }
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MESSAGES; i++)
        if (to[i] == rank && (in[i][0] != round * MESSAGES + i || in[i][length[i] - 1] != in[i][0])) {
            fprintf(stderr, "round %d: message %d is wrong\n", round, i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

/* So many rounds; prints their time. */
static void traffic(int rounds)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < rounds; i++) {
        int sum = rank + i;

        exchange(i);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, halo);
        if (sum != size * i + size * (size - 1) / 2) {
            fprintf(stderr, "round %d: the sum is wrong\n", i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    if (rank == 0)
        printf("seconds %.6f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } situations[] = {
        {"wrong_tag", wrong_tag},
        {"wrong_communicator", wrong_communicator},
        {"late", late},
        {"circle", circle},
        {"computing", computing},
        {"lock", lock},
        {"epoch", epoch},
        {"finalize", finalize},
        {"threads", threads},
        {"stopped", stopped},
        {"send_late", send_late},
        {"other_collective", other_collective},
        {"probe", probe},
        {"any_source", any_source},
        {"waitall", waitall},
        {"duplicate", duplicate},
        {"dies", dies},
        {"synchronous_send", synchronous_send},
        {"exchange_with_late", exchange_with_late},
        {"waitany", waitany},
        {"nonblocking_barrier", nonblocking_barrier},
        {"broadcast", broadcast},
        {"gather", gather},
        {"all_to_all", all_to_all},
        {"scan", scan},
        {"barrier", barrier},
        {"fence", fence},
        {"file", file},
        {"failed_open", failed_open},
        {"split", split},
        {"accept_alone", accept_alone},
        {"matched_probe", matched_probe},
        {"test_loop", test_loop},
        {"long_chain", long_chain},
        {"overlap", overlap},
        {"paced", paced},
        {"posted", posted},
        {"started", started},
        {"kinds", kinds},
        {"exchanged", exchanged},
        {"waitsome", waitsome},
        {"crowd", crowd},
        {"reduce", reduce},
        {"allgather", allgather},
        {"reduce_scatter", reduce_scatter},
        {"exscan", exscan},
        {"neighbours", neighbours},
        {"partitioned", partitioned},
        {"detach", detach},
        {"start", start},
        {"lock_all", lock_all},
        {"free_window", free_window},
        {"open_file", open_file},
        {"close_file", close_file},
        {"bridge", bridge},
        {"connect_alone", connect_alone},
        {"spawn", spawn},
    };
    int level;

    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "unborn") == 0)
        smooth();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++)
        if (argc > 1 && strcmp(argv[1], situations[i].name) == 0) {
            MPI_Barrier(halo);
            if (rank == 0) {
                printf("ready\n");
                fflush(stdout);
            }
            situations[i].run();
        }
    if (argc > 2 && strcmp(argv[1], "traffic") == 0) {
        MPI_Barrier(halo);
        if (rank == 0) {
            printf("ready\n");
            fflush(stdout);
        }
        traffic(atoi(argv[2]));
    }
    fprintf(stderr, "situations: there is no situation '%s', or it is over\n", argc > 1 ? argv[1] : "");
    return 1;
}
