/* survive_steps KIND VICTIM STEP DEATH: the steps of a kind of program, one call each, in which a rank dies (mpiexec --survive).
 *
 * VICTIM, a rank, dies before STEP (DEATH is kill, or exit: without MPI_Finalize), or a moment after it has begun it, while the others
 * are late (inside). Between hosts its host may also leave the network with all its ranks (cut), or the rank may be stopped for longer
 * than inkling_peer_timeout, for good or for a while (stop, pause). The living go through all steps. Each call ends within SURVIVE_LIMIT
 * seconds, with success or with an error that a death causes; what succeeds has the right data. Then they agree, shrink, and compute
 * together. `survive_steps KIND` alone prints how many steps there are. */
#include "survive_steps.h"

#include <mpi.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int rank, size, victim, partner;
static bool is_victim;
static int deaths = 1; /* ranks that die */
static const char *step_name = "before the steps";
bool has_failed; /* some step, here */
bool is_one_host;
double limit = 1;
static char *program;

MPI_Win win = MPI_WIN_NULL;
MPI_File file = MPI_FILE_NULL;
static MPI_Comm comm = MPI_COMM_NULL;
MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
int memory[ITEMS], out[ITEMS];
static char big[LARGE], bigger[64 * LARGE / 16];
char path[256];

static void late(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

_Noreturn void wrong(const char *what)
{
    fprintf(stderr, "rank %d of %d, victim %d, %s: %s\n", rank, size, victim, step_name, what);
    late(FORWARD); /* some launchers forward nothing of a process that has ended */
    _exit(3);
}

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}

int value_of(int r)
{
    return 1000 + r;
}

/* Persistent and partitioned. */
static int bcast_init(void)
{
    return MPI_Bcast_init(big, LARGE, MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static int allreduce_init(void)
{
    return MPI_Allreduce_init(memory, out, ITEMS, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static int alltoall_init(void)
{
    return MPI_Alltoall_init(big, LARGE / 16, MPI_CHAR, bigger, LARGE / 16, MPI_CHAR, MPI_COMM_WORLD,
                             MPI_INFO_NULL, request);
}

static int request_free(void)
{
    for (int i = 0; i < 2; i++)
        if (request[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&request[i]);
    return MPI_SUCCESS;
}

/* Messages among the living need both sides: nobody has requests unless all who live do. */
static int unless_all(int error)
{
    int all = !error;

    MPIX_Comm_agree(MPI_COMM_WORLD, &all);
    if (!all)
        request_free();
    return error;
}

static int send_init(void)
{
    int error = MPI_Ssend_init(big, LARGE, MPI_CHAR, (rank + 1) % size, 1, MPI_COMM_WORLD, request);

    return unless_all(error ? error
                            : MPI_Recv_init(bigger, LARGE, MPI_CHAR, (rank + size - 1) % size, 1,
                                            MPI_COMM_WORLD, request + 1));
}

static int psend_init(void)
{
    int error = MPI_Psend_init(big, PARTS, LARGE / PARTS, MPI_CHAR, (rank + 1) % size, 2, MPI_COMM_WORLD,
                               MPI_INFO_NULL, request);

    return unless_all(error ? error
                            : MPI_Precv_init(bigger, PARTS, LARGE / PARTS, MPI_CHAR, (rank + size - 1) % size,
                                             2, MPI_COMM_WORLD, MPI_INFO_NULL, request + 1));
}

static int start(void)
{
    return MPI_Start(request);
}

static int start_both(void)
{
    return MPI_Startall(2, request);
}

static int pready_some(void)
{
    return MPI_Pready_range(0, 1, request[0]);
}

static int pready_rest(void)
{
    return MPI_Pready_range(2, PARTS - 1, request[0]);
}

static int finish(void)
{
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int finish_both(void)
{
    int first = MPI_Wait(&request[0], MPI_STATUS_IGNORE), second = MPI_Wait(&request[1], MPI_STATUS_IGNORE);

    return first ? first : second;
}

/* Communicators. */
static int comm_made(int error)
{
    if (error)
        comm = MPI_COMM_NULL;
    else if (comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return error;
}

static int comm_free(void)
{
    int error = MPI_Comm_free(&comm);

    comm = MPI_COMM_NULL;
    return error;
}

static int comm_disconnect(void)
{
    int error = MPI_Comm_disconnect(&comm);

    if (error)
        MPI_Comm_free(&comm);
    comm = MPI_COMM_NULL;
    return error;
}

static int comm_dup(void)
{
    return comm_made(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
}

static int comm_idup(void)
{
    int error = MPI_Comm_idup(MPI_COMM_WORLD, &comm, request);

    return comm_made(error ? error : MPI_Wait(request, MPI_STATUS_IGNORE));
}

static int comm_split(void)
{
    return comm_made(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm));
}

static int comm_split_type(void)
{
    return comm_made(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
}

static int comm_create(void)
{
    MPI_Group group;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    error = MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    return comm_made(error);
}

static int comm_create_group(void)
{
    MPI_Group group;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    error = MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
    MPI_Group_free(&group);
    return comm_made(error);
}

static int comm_from_group(void)
{
    MPI_Group group;
    int error;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    error = MPI_Comm_create_from_group(group, "here", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm_made(error);
}

static int cart_create(void)
{
    return comm_made(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){1}, 0, &comm));
}

static int graph_create(void)
{
    int next = (rank + 1) % size;

    return comm_made(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &(int){1}, &next, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &comm));
}

static int neighbor_alltoall(void)
{
    return MPI_Neighbor_alltoall(big, LARGE / 16, MPI_CHAR, bigger, LARGE / 16, MPI_CHAR, comm);
}

static int neighbor_allgather(void)
{
    return MPI_Neighbor_allgather(big, LARGE, MPI_CHAR, bigger, LARGE, MPI_CHAR, comm);
}

static int comm_set_info(void)
{
    return MPI_Comm_set_info(comm, MPI_INFO_NULL);
}

static int comm_barrier(void)
{
    return MPI_Barrier(comm);
}

/* The halves of the ranks meet. */
static int inter_create(void)
{
    MPI_Comm half;
    int error = MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);

    if (error)
        return comm_made(error);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    error = MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &comm);
    MPI_Comm_free(&half);
    return comm_made(error);
}

static int inter_allreduce(void)
{
    return MPI_Allreduce(memory, out, ITEMS, MPI_INT, MPI_SUM, comm);
}

static int inter_bcast(void)
{
    return MPI_Bcast(big, LARGE, MPI_CHAR, rank % 2 ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, comm);
}

static int inter_alltoall(void)
{
    return MPI_Alltoall(big, LARGE / 16, MPI_CHAR, bigger, LARGE / 16, MPI_CHAR, comm);
}

static int inter_iallgather(void)
{
    int error = MPI_Iallgather(memory, 1, MPI_INT, out, 1, MPI_INT, comm, request);

    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int inter_merge(void)
{
    MPI_Comm both;
    int error = MPI_Intercomm_merge(comm, rank % 2, &both);

    if (!error)
        MPI_Comm_free(&both);
    return error;
}

/* Other jobs. */
static int spawn(void)
{
    char *words[] = {"child", NULL};

    return comm_made(MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &comm,
                                    MPI_ERRCODES_IGNORE));
}

static int parent_merge(void)
{
    MPI_Comm both;
    int error = MPI_Intercomm_merge(comm, 0, &both);

    if (!error)
        MPI_Comm_free(&both);
    return error;
}

static int child(void)
{
    MPI_Comm both;

    MPI_Comm_get_parent(&comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    if (!MPI_Intercomm_merge(comm, 1, &both))
        MPI_Comm_free(&both);
    comm_disconnect();
    MPI_Finalize();
    return 0;
}

static char port[MPI_MAX_PORT_NAME];
static MPI_Comm half = MPI_COMM_NULL;

/* The living go on with the halves only if all of them have theirs. */
static int port_open(void)
{
    int root = victim % 2, has_half, error = rank == root ? MPI_Open_port(MPI_INFO_NULL, port) : MPI_SUCCESS;

    if (!error)
        error = MPI_Bcast(port, sizeof port, MPI_CHAR, root, MPI_COMM_WORLD);
    if (!error)
        error = MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    has_half = !error;
    MPIX_Comm_agree(MPI_COMM_WORLD, &has_half);
    if (!error && has_half)
        return MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (!error)
        MPI_Comm_free(&half);
    half = MPI_COMM_NULL;
    return error;
}

static int port_meet(void)
{
    bool accepts = rank % 2 == victim % 2; /* who accepts waits for any job, of which it knows nothing */

    return comm_made(accepts ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &comm)
                             : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &comm));
}

static const struct step persistent[] = {{"MPI_Bcast_init", bcast_init},
                                         {"MPI_Start", start},
                                         {"MPI_Wait", finish},
                                         {"MPI_Request_free", request_free},
                                         {"MPI_Allreduce_init", allreduce_init},
                                         {"MPI_Start", start},
                                         {"MPI_Wait", finish},
                                         {"MPI_Start", start},
                                         {"MPI_Wait", finish},
                                         {"MPI_Request_free", request_free},
                                         {"MPI_Alltoall_init", alltoall_init},
                                         {"MPI_Start", start},
                                         {"MPI_Wait", finish},
                                         {"MPI_Request_free", request_free},
                                         {"MPI_Ssend_init", send_init},
                                         {"MPI_Startall", start_both},
                                         {"MPI_Wait", finish_both},
                                         {"MPI_Request_free", request_free},
                                         {NULL, NULL}};
static const struct step partitioned[] = {{"MPI_Psend_init", psend_init},
                                          {"MPI_Startall", start_both},
                                          {"MPI_Pready", pready_some},
                                          {"MPI_Pready", pready_rest},
                                          {"MPI_Wait", finish_both},
                                          {"MPI_Startall", start_both},
                                          {"MPI_Pready", pready_some},
                                          {"MPI_Pready", pready_rest},
                                          {"MPI_Wait", finish_both},
                                          {"MPI_Request_free", request_free},
                                          {NULL, NULL}};
static const struct step making[] = {{"MPI_Comm_dup", comm_dup},
                                     {"MPI_Comm_set_info", comm_set_info},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_idup", comm_idup},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_split", comm_split},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_split_type", comm_split_type},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_create", comm_create},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_create_group", comm_create_group},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Comm_create_from_group", comm_from_group},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Cart_create", cart_create},
                                     {"MPI_Neighbor_alltoall", neighbor_alltoall},
                                     {"MPI_Comm_free", comm_free},
                                     {"MPI_Dist_graph_create", graph_create},
                                     {"MPI_Neighbor_allgather", neighbor_allgather},
                                     {"MPI_Comm_free", comm_free},
                                     {NULL, NULL}};
static const struct step inter[] = {{"MPI_Intercomm_create", inter_create},
                                    {"MPI_Barrier", comm_barrier},
                                    {"MPI_Allreduce", inter_allreduce},
                                    {"MPI_Bcast", inter_bcast},
                                    {"MPI_Alltoall", inter_alltoall},
                                    {"MPI_Iallgather", inter_iallgather},
                                    {"MPI_Intercomm_merge", inter_merge},
                                    {"MPI_Comm_disconnect", comm_disconnect},
                                    {NULL, NULL}};
static const struct step spawning[] = {{"MPI_Comm_spawn", spawn},
                                       {"MPI_Barrier", comm_barrier},
                                       {"MPI_Intercomm_merge", parent_merge},
                                       {"MPI_Comm_disconnect", comm_disconnect},
                                       {NULL, NULL}};
static const struct step connecting[] = {{"MPI_Open_port", port_open},
                                         {"MPI_Comm_accept", port_meet},
                                         {"MPI_Barrier", comm_barrier},
                                         {"MPI_Comm_disconnect", comm_disconnect},
                                         {NULL, NULL}};

static const struct kind {
    const char *name;
    const struct step *steps;
    void *object; /* steps after the first need it; NULL: none do */
} kinds[] = {{"fence", fence, &win},
             {"locks", locks, &win},
             {"everybody", everybody, &win},
             {"partners", partners, &win},
             {"dynamic", dynamic, &win},
             {"files", files, &file},
             {"pointers", pointers, &file},
             {"persistent", persistent, &request[0]},
             {"partitioned", partitioned, &request[1]},
             {"making", making, &comm},
             {"inter", inter, &comm},
             {"spawning", spawning, &comm},
             {"connecting", connecting, &comm}};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    wrong("no such kind");
}

static bool has_object(const struct kind *k)
{
    if (k->object == &win)
        return win != MPI_WIN_NULL;
    if (k->object == &file)
        return file != MPI_FILE_NULL;
    if (k->object == &comm)
        return comm != MPI_COMM_NULL;
    return *(MPI_Request *)k->object != MPI_REQUEST_NULL;
}

/* Whether the step makes the object. */
static bool makes_object(const struct kind *k, int i)
{
    return i == 0 || strstr(k->steps[i].name, "_init") ||
           (k->steps == making && strcmp(k->steps[i - 1].name, "MPI_Comm_free") == 0) ||
           (k->steps == connecting && i == 1 && half != MPI_COMM_NULL);
}

static void check_error(int error, double seconds)
{
    char text[MPI_MAX_ERROR_STRING];
    int class = class_of(error), length;
    bool was_port =
        class == MPI_ERR_PORT && strcmp(step_name, "MPI_Comm_accept") == 0; /* it went with who opened it */
    bool has_left =
        class == MPI_ERR_RMA_RANGE && /* and detached its memory before the sums came */
        (strcmp(step_name, "MPI_Accumulate") == 0 || strcmp(step_name, "MPI_Win_unlock_all") == 0);
    bool follows = class == MPI_ERR_RMA_SYNC || class == MPI_ERR_REQUEST || class == MPI_ERR_PORT ||
                   class == MPI_ERR_SPAWN;

    if (seconds > limit + (strcmp(step_name, "MPI_Comm_spawn") == 0 ? LAUNCHER : 0)) {
        snprintf(text, sizeof text, "took %.1f s, error class %d", seconds, class);
        wrong(text);
    }
    if (!error)
        return;
    if (class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED || was_port || has_left ||
        (follows && has_failed)) {
        has_failed = true;
        return;
    }
    MPI_Error_string(error, text, &length);
    wrong(text);
}

/* Takes this host off its network. */
static void leave_network(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq network = {.ifr_name = "eth0"};

    if (ioctl(fd, SIOCGIFFLAGS, &network))
        wrong("no eth0");
    network.ifr_flags &= ~IFF_UP;
    if (ioctl(fd, SIOCSIFFLAGS, &network))
        wrong("eth0 stays up");
    close(fd);
}

/* Stops this process for STOPPED seconds, and ends it then. */
static void stop(void)
{
    char line[64];

    snprintf(line, sizeof line, "(sleep %d; kill -9 %d) >/dev/null 2>&1 &", STOPPED, (int)getpid());
    if (system(line))
        wrong("nobody would end this process");
    raise(SIGSTOP);
    raise(SIGKILL);
}

/* Stops this process for PAUSED seconds. The others then have taken it for dead, and end it. */
static void pause_long(void)
{
    char line[64];

    snprintf(line, sizeof line, "(sleep %d; kill -CONT %d) >/dev/null 2>&1 &", PAUSED, (int)getpid());
    if (system(line))
        wrong("nobody would wake this process");
    raise(SIGSTOP);
    sleep(AWAKE);
    wrong("goes on although the others have taken it for dead");
}

static void die_before(const char *death)
{
    if (strcmp(death, "cut") == 0)
        leave_network();
    if (strcmp(death, "stop") == 0)
        stop();
    if (strcmp(death, "pause") == 0)
        pause_long();
    if (strcmp(death, "kill") == 0 || strcmp(death, "cut") == 0)
        raise(SIGKILL);
    if (strcmp(death, "exit") == 0)
        exit(0);
    signal(SIGALRM, SIG_DFL);
    ualarm(ALARM * 1000, 0);
}

static int do_step(const struct step *s)
{
    double begin = MPI_Wtime();
    int error;

    step_name = s->name;
    error = s->call();
    check_error(error, MPI_Wtime() - begin);
    return error;
}

static void go_through(const struct kind *k, int die_at, const char *death)
{
    bool dies_inside = strcmp(death, "inside") == 0;

    for (int i = 0; k->steps[i].name; i++) {
        if (i >= die_at && is_victim)
            die_before(i == die_at || !dies_inside ? death : "kill");
        else if (i == die_at && dies_inside)
            late(LATE);
        if (makes_object(k, i) || has_object(k))
            do_step(&k->steps[i]);
    }
    if (is_victim)
        die_before(dies_inside ? "kill" : death);
}

/* The living have the same number, and go on together. */
static void go_on(void)
{
    MPI_Comm next;
    int flag = 1, now, sum = 0, error;

    step_name = "afterwards";
    error = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    if (class_of(error) != MPIX_ERR_PROC_FAILED)
        wrong("agreed without an error");
    if (MPIX_Comm_shrink(MPI_COMM_WORLD, &next))
        wrong("cannot shrink");
    MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
    MPI_Comm_size(next, &now);
    error = MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, next);
    if (error || now != size - deaths || sum != now)
        wrong("the living do not go on");
    MPI_Comm_rank(next, &now);
    if (now == 0) {
        puts("they go on");
        fflush(stdout);
    }
    MPI_Comm_free(&next);
}

/* Connects all with all, which may take a second between hosts where the kernel drops the first packet. */
static void connect_all(void)
{
    MPI_Alltoall(big, LARGE / 16, MPI_CHAR, bigger, LARGE / 16, MPI_CHAR, MPI_COMM_WORLD);
    for (int distance = 1; distance < size; distance++)
        MPI_Sendrecv(big, LARGE, MPI_CHAR, (rank + distance) % size, 0, bigger, LARGE, MPI_CHAR,
                     (rank + size - distance) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Where the host is lost, its other ranks are, too. */
static void find_victims(const char *death)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = "", its[MPI_MAX_PROCESSOR_NAME];
    int length, near;

    MPI_Get_processor_name(mine, &length);
    memcpy(its, mine, sizeof its);
    MPI_Bcast(its, sizeof its, MPI_CHAR, victim, MPI_COMM_WORLD);
    is_victim = rank == victim || (strcmp(death, "cut") == 0 && strcmp(mine, its) == 0);
    MPI_Allreduce(&(int){strcmp(mine, its) == 0}, &near, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    is_one_host = near;
    MPI_Allreduce(&(int){is_victim}, &deaths, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int count = 0;

    program = argv[0];
    if (argc == 2 && strcmp(argv[1], "child")) {
        while (find_kind(argv[1])->steps[count].name)
            count++;
        printf("%d\n", count);
        return 0;
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2)
        return child();
    victim = atoi(argv[2]);
    partner = (rank + 1) % size;
    limit = getenv("SURVIVE_LIMIT") ? atof(getenv("SURVIVE_LIMIT")) : 1;
    snprintf(path, sizeof path, "%s",
             getenv("SURVIVE_FILE") ? getenv("SURVIVE_FILE") : "/tmp/survive_steps.data");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    find_victims(argv[4]);
    connect_all();
    MPI_Barrier(MPI_COMM_WORLD);
    go_through(find_kind(argv[1]), atoi(argv[3]), argv[4]);
    go_on();
    if (strcmp(argv[4], "pause") == 0)
        sleep(PAUSED + 1); /* it is told by those who are there when it wakes */
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
    if (*port && strcmp(argv[1], "connecting") == 0 && rank == victim % 2)
        MPI_Close_port(port);
    step_name = "MPI_Finalize";
    MPI_Finalize();
    return 0;
}
