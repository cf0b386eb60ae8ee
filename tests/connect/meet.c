/* meet: what the tests of connected jobs run. Started by meeting.py: meet STEP FILE [ARGUMENT]...
 *
 * The steps come in pairs, one per job; FILE is where the one that serves leaves the name of its port. NETWORK
 * says whether they are to use the network (yes, no; not set: it does not matter). */
#include "../hints/hints.h"
#include "mpi/p2p.h"
#include "mpi/ways.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char port[MPI_MAX_PORT_NAME];
static bool has_port; /* this process has opened it */
static const char *file;

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* The file appears with all that is in it. */
static void tell_port(void)
{
    char draft[512];
    FILE *f;

    if (rank != 0)
        return;
    CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
    snprintf(draft, sizeof draft, "%s.new", file);
    f = fopen(draft, "w");
    CHECK(f && fputs(port, f) >= 0 && fclose(f) == 0);
    CHECK_EQ(rename(draft, file), 0);
    has_port = true;
}

static void close_port(void)
{
    if (has_port)
        CHECK_EQ(MPI_Close_port(port), MPI_SUCCESS);
    has_port = false;
}

static void learn_port(void)
{
    FILE *f = NULL;

    for (int i = 0; rank == 0 && !(f = fopen(file, "r")); i++) {
        CHECK(i < 30000);
        pause_ms(1);
    }
    if (rank == 0)
        CHECK(fgets(port, sizeof port, f) && fclose(f) == 0);
}

/* R48: the kinds of what is made are those of this job's world. R3: it starts from the defaults. */
static void check_plain(MPI_Comm comm)
{
    char kinds[MPI_MAX_INFO_VAL + 1];

    snprintf(kinds, sizeof kinds, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    CHECK_HINT(comm, KINDS, kinds);
    check_defaults(comm);
}

/* The root's info gives hints, of this process and on this side alone. */
static void check_met(MPI_Comm inter)
{
    CHECK_HINT(inter, EXACT_LENGTH, rank == 0 ? "true" : "false");
    CHECK_HINT(inter, NO_ANY_TAG, "false");
}

static MPI_Comm meet(bool serves)
{
    MPI_Comm inter = MPI_COMM_NULL;
    const char *name = rank == 0 ? port : NULL;
    MPI_Info hints = info_with(EXACT_LENGTH, "true"), info = rank == 0 ? hints : (MPI_Info)(uintptr_t)77;
    int flag;

    if (serves)
        CHECK_EQ(MPI_Comm_accept(name, info, 0, MPI_COMM_WORLD, &inter), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Comm_connect(name, info, 0, MPI_COMM_WORLD, &inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&hints), MPI_SUCCESS);
    check_met(inter);
    CHECK_EQ(MPI_Comm_test_inter(inter, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_EQ(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN), MPI_SUCCESS);
    return inter;
}

/* Every rank of comm sends to every other (of the other group) and receives from it. */
static void exchange(MPI_Comm comm, int peers, int me, size_t bytes, int mode)
{
    unsigned char *out = malloc(bytes + 1), *in = malloc((bytes + 1) * (size_t)peers);
    MPI_Request *r = malloc(2 * (size_t)peers * sizeof *r);
    MPI_Status s;

    CHECK(out && in && r);
    fill(out, bytes, (unsigned)me + 1);
    for (int p = 0; p < peers; p++)
        CHECK_EQ(MPI_Irecv(in + (bytes + 1) * (size_t)p, (int)bytes, MPI_BYTE, p, 7, comm, &r[p]),
                 MPI_SUCCESS);
    for (int p = 0; p < peers; p++)
        if (mode == 0)
            CHECK_EQ(MPI_Isend(out, (int)bytes, MPI_BYTE, p, 7, comm, &r[peers + p]), MPI_SUCCESS);
        else
            CHECK_EQ(MPI_Issend(out, (int)bytes, MPI_BYTE, p, 7, comm, &r[peers + p]), MPI_SUCCESS);
    for (int p = 0; p < peers; p++) {
        CHECK_EQ(MPI_Wait(&r[p], &s), MPI_SUCCESS);
        CHECK_STATUS(&s, p, 7, (MPI_Count)bytes);
        CHECK_EQ(find_wrong(in + (bytes + 1) * (size_t)p, bytes, (unsigned)p + 1), -1);
    }
    CHECK_EQ(MPI_Waitall(peers, r + peers, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    free(out);
    free(in);
    free(r);
}

/* Items with gaps, of this many ints. */
static void exchange_typed(MPI_Comm comm, int peers, int me, int count)
{
    MPI_Datatype type;
    int *out = malloc((size_t)count * 2 * sizeof *out), *in = malloc((size_t)count * 2 * sizeof *in);
    MPI_Request r;

    CHECK(out && in);
    CHECK_EQ(MPI_Type_vector(count, 1, 2, MPI_INT, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    for (int i = 0; i < 2 * count; i++)
        out[i] = me * 1000003 + i;
    for (int p = 0; p < peers; p++) {
        memset(in, 0, (size_t)count * 2 * sizeof *in);
        CHECK_EQ(MPI_Isend(out, 1, type, p, 8, comm, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, 1, type, p, 8, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < 2 * count - 1; i++)
            CHECK_EQ(in[i], i % 2 ? 0 : p * 1000003 + i);
    }
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    free(out);
    free(in);
}

static void exchange_wild(MPI_Comm comm, int peers, int me)
{
    MPI_Request r[64];
    MPI_Status s;
    int from;

    CHECK(peers <= 64);
    for (int p = 0; p < peers; p++)
        CHECK_EQ(MPI_Isend(&me, 1, MPI_INT, p, 100 + me, comm, &r[p]), MPI_SUCCESS);
    for (int p = 0; p < peers; p++) {
        CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &s), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&from, 1, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, comm, &s), MPI_SUCCESS);
        CHECK_EQ(from, s.MPI_SOURCE);
        CHECK_EQ(s.MPI_TAG, 100 + from);
    }
    CHECK_EQ(MPI_Waitall(peers, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS); /* what comes next has other tags */
}

/* Of MPI_Alloc_mem, which peers map. */
static void exchange_mapped(MPI_Comm comm, int peers, int me)
{
    enum {
        BYTES = 300000
    };
    unsigned char *out, *in;
    MPI_Request r;

    CHECK_EQ(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &out), MPI_SUCCESS);
    CHECK_EQ(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &in), MPI_SUCCESS);
    for (int p = 0; p < peers; p++) {
        fill(out, BYTES, (unsigned)(me * 100 + p));
        CHECK_EQ(MPI_Isend(out, BYTES, MPI_BYTE, p, 9, comm, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, BYTES, MPI_BYTE, p, 9, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(find_wrong(in, BYTES, (unsigned)(p * 100 + me)), -1);
    }
    CHECK_EQ(MPI_Free_mem(out), MPI_SUCCESS);
    CHECK_EQ(MPI_Free_mem(in), MPI_SUCCESS);
}

static void exchange_all(MPI_Comm comm, int peers, int me)
{
    static const size_t sizes[] = {0, 1, 40, 41, 4096, 4097, 70000, 1 << 20, 3000001};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int mode = 0; mode < 2; mode++)
            exchange(comm, peers, me, sizes[i], mode);
    exchange_typed(comm, peers, me, 10);
    exchange_typed(comm, peers, me, 3000);
    exchange_typed(comm, peers, me, 200000);
    exchange_wild(comm, peers, me);
    exchange_mapped(comm, peers, me);
}

static void use_inter_collectives(MPI_Comm inter, bool serves)
{
    int here, there, sum = -1, mine, root, value, *all;

    CHECK_EQ(MPI_Comm_size(inter, &here), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &there), MPI_SUCCESS);
    all = malloc((size_t)there * sizeof *all);
    CHECK(all != NULL);
    mine = serves ? 1000 + rank : rank;
    CHECK_EQ(MPI_Barrier(inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_SUCCESS);
    CHECK_EQ(sum, there * (there - 1) / 2 + (serves ? 0 : 1000 * there));
    CHECK_EQ(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter), MPI_SUCCESS);
    for (int i = 0; i < there; i++)
        CHECK_EQ(all[i], (serves ? 0 : 1000) + i);
    for (int by = 0; by < 2; by++) {
        bool sends = by == serves;

        root = !sends ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
        value = sends && rank == 0 ? 4711 : 0;
        CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, root, inter), MPI_SUCCESS);
        CHECK_EQ(value, sends && rank != 0 ? 0 : 4711);
    }
    free(all);
}

/* WAY=shared: ranks of one host, of whichever jobs, use its memory; WAY=messages: not all are on one host, or share its memory. */
static void check_ways(unsigned long long small_before, unsigned long long large_before)
{
    const char *expected = getenv("WAY");

    if (!expected)
        return;
    CHECK_EQ(ways_count(WAY_SHARED) > small_before, !strcmp(expected, "shared"));
    CHECK_EQ(ways_count(WAY_COPIED) > large_before, !strcmp(expected, "shared"));
}

static void use_collectives(MPI_Comm comm)
{
    enum {
        MANY = 20000
    };
    int me, all, sum, *in, *out;
    unsigned long long small = ways_count(WAY_SHARED), large = ways_count(WAY_COPIED);

    CHECK_EQ(MPI_Comm_rank(comm, &me), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &all), MPI_SUCCESS);
    in = malloc((size_t)all * MANY * sizeof *in);
    out = malloc((size_t)all * MANY * sizeof *out);
    CHECK(in && out);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, all * (all - 1) / 2);
    }
    for (int i = 0; i < all * MANY; i++)
        in[i] = me * 10 + i % 7;
    CHECK_EQ(MPI_Alltoall(in, MANY, MPI_INT, out, MANY, MPI_INT, comm), MPI_SUCCESS);
    for (int i = 0; i < all * MANY; i++)
        CHECK_EQ(out[i], i / MANY * 10 + (me * MANY + i % MANY) % 7);
    for (int root = 0; root < all; root++) {
        in[0] = me == root ? root + 5 : 0;
        CHECK_EQ(MPI_Bcast(in, MANY, MPI_INT, root, comm), MPI_SUCCESS);
        CHECK_EQ(in[0], root + 5);
        for (int i = 1; i < MANY; i++) /* as rank 0 had them */
            CHECK_EQ(in[i], i % 7);
    }
    for (int i = 0; i < MANY; i++)
        in[i] = i % 7 + (i % all == me);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, in, MANY, MPI_INT, MPI_MAX, comm), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(in[i], i % 7 + 1);
    free(in);
    free(out);
    if (all > 1)
        check_ways(small, large);
}

/* What is made of a communicator of several jobs. */
static void make_children(MPI_Comm comm)
{
    int me, all, half_size, result, there;
    MPI_Comm dup, half, inter, back, few;
    MPI_Group whole, first, world, mine;

    CHECK_EQ(MPI_Comm_rank(comm, &me), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(comm, dup, &result), MPI_SUCCESS);
    CHECK_EQ(result, MPI_CONGRUENT);
    use_collectives(dup);
    CHECK_EQ(MPI_Comm_split(dup, me % 2, 0, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(half, &half_size), MPI_SUCCESS);
    CHECK_EQ(half_size, me % 2 ? all / 2 : (all + 1) / 2);
    use_collectives(half);
    CHECK_EQ(MPI_Intercomm_create(half, 0, dup, !(me % 2), 5, &inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &there), MPI_SUCCESS);
    CHECK_EQ(there, all - half_size);
    exchange(inter, there, me / 2, 10000, 0);
    CHECK_EQ(MPI_Intercomm_merge(inter, me % 2, &back), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_compare(comm, back, &result), MPI_SUCCESS);
    CHECK_EQ(result, all == 2 ? MPI_CONGRUENT : MPI_SIMILAR);
    use_collectives(back);
    CHECK_EQ(MPI_Comm_group(comm, &whole), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_incl(whole, 2, (int[]){all - 1, 0}, &first), MPI_SUCCESS);
    few = MPI_COMM_NULL;
    if (me == 0 || me == all - 1) {
        CHECK_EQ(MPI_Comm_create_group(comm, first, 3, &few), MPI_SUCCESS);
        use_collectives(few);
        CHECK_EQ(MPI_Comm_free(&few), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_intersection(whole, world, &mine), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(mine, &half_size), MPI_SUCCESS);
    CHECK_EQ(half_size, size);
    MPI_Group_free(&whole);
    MPI_Group_free(&first);
    MPI_Group_free(&world);
    MPI_Group_free(&mine);
    CHECK_EQ(MPI_Comm_disconnect(&back), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
}

/* Jobs of one host that share memory never load libfabric. */
static void check_network(void)
{
    const char *expected = getenv("NETWORK");

    if (expected)
        CHECK_EQ(is_loaded("/libfabric.so"), !strcmp(expected, "yes"));
}

static void use(MPI_Comm inter, bool serves)
{
    int there, me, all;
    MPI_Comm merged, dup;

    CHECK_EQ(MPI_Comm_remote_size(inter, &there), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(inter, &dup), MPI_SUCCESS);
    check_plain(dup);
    CHECK_EQ(MPI_Comm_disconnect(&dup), MPI_SUCCESS);
    set_hint(inter, EXACT_LENGTH, "false");
    check_plain(inter);
    exchange_all(inter, there, rank);
    use_inter_collectives(inter, serves);
    CHECK_EQ(MPI_Intercomm_merge(inter, serves, &merged), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(merged, &me), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(merged, &all), MPI_SUCCESS);
    check_network();
    CHECK_EQ(all, size + there);
    CHECK_EQ(me, serves ? there + rank : rank);
    exchange_all(merged, all, me);
    use_collectives(merged);
    make_children(merged);
    CHECK_EQ(MPI_Comm_disconnect(&merged), MPI_SUCCESS);
}

/* serve FILE [TIMES]: accepts each caller, one after the other. */
static void serve(int times)
{
    tell_port();
    while (times-- > 0) {
        MPI_Comm inter = meet(true);

        use(inter, true);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    }
    close_port();
}

static void call(int times)
{
    learn_port();
    while (times-- > 0) {
        MPI_Comm inter = meet(false);

        use(inter, false);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    }
}

/* three FILE first|second|third: the first two jobs meet, and both meet the third, of which the second knows
 * nothing. */
static void meet_three(const char *which)
{
    MPI_Comm inter = MPI_COMM_NULL, two = MPI_COMM_NULL, three;
    bool is_third = !strcmp(which, "third");
    int all;

    if (!strcmp(which, "first"))
        tell_port();
    else
        learn_port();
    if (!is_third) {
        inter = meet(!strcmp(which, "first"));
        CHECK_EQ(MPI_Intercomm_merge(inter, strcmp(which, "first"), &two), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_accept(port, MPI_INFO_NULL, 0, two, &inter), MPI_SUCCESS);
    } else {
        pause_ms(100);
        inter = meet(false);
    }
    CHECK_EQ(MPI_Comm_remote_size(inter, &all), MPI_SUCCESS);
    if (is_third)
        exchange_all(inter, all, rank);
    else
        MPI_Comm_rank(two, &all), exchange_all(inter, size, all);
    CHECK_EQ(MPI_Intercomm_merge(inter, is_third, &three), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(three, &all), MPI_SUCCESS);
    CHECK_EQ(all, 3 * size);
    use_collectives(three);
    make_children(three);
    CHECK_EQ(MPI_Comm_disconnect(&three), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    if (!is_third)
        CHECK_EQ(MPI_Comm_disconnect(&two), MPI_SUCCESS);
}

/* join FD: the socket is as quiet as before. */
static void join(int fd)
{
    MPI_Comm inter = MPI_COMM_NULL;
    char byte = 'a', got = 0;
    int flags = fcntl(fd, F_GETFL);

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_join(fd, &inter), MPI_SUCCESS);
        CHECK(inter != MPI_COMM_NULL);
        check_plain(inter);
        CHECK_EQ(send(fd, &byte, 1, 0), 1);
        CHECK_EQ(recv(fd, &got, 1, 0), 1);
        CHECK_EQ(got, 'a');
        CHECK(recv(fd, &got, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
        CHECK_EQ(fcntl(fd, F_GETFL), flags);
        exchange_all(inter, 1, 0);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    }
}

/* Ends with MPI_SUCCESS or else, in less than this many seconds. */
#define SOON(call, class_, seconds)                                                                          \
    do {                                                                                                     \
        double begin_ = MPI_Wtime();                                                                         \
        int code_ = (call), found_;                                                                          \
        MPI_Error_class(code_, &found_);                                                                     \
        CHECK_EQ(found_, class_);                                                                            \
        CHECK(MPI_Wtime() - begin_ < (seconds));                                                             \
    } while (0)

/* An open port on which nobody accepts: the root reports which, how long it waited, and what to do. */
static void check_unserved(const char *name, MPI_Comm comm)
{
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm inter;
    double begin = MPI_Wtime();
    int length, error = MPI_Comm_connect(name, MPI_INFO_NULL, 0, comm, &inter), class;

    MPI_Error_class(error, &class);
    CHECK_EQ(class, MPI_ERR_PORT);
    CHECK(MPI_Wtime() - begin < 5);
    MPI_Error_string(error, text, &length);
    if (rank > 0)
        return;
    CHECK(strstr(text, "'inkling-port:") != NULL);
    CHECK(strstr(text, "MPI_Comm_accept") != NULL);
    CHECK(strstr(text, "0.3 seconds") != NULL);
    CHECK(strstr(text, "INKLING_CONNECT_TIMEOUT") != NULL);
}

/* refused FILE: what cannot be a port, or is none any more. */
static void be_refused(void)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "inkling-port:",
                                      "inkling-port:1:2:3",
                                      "inkling-port:zz:0:1",
                                      "inkling-port:0000000000000001:0:0000000000000001 "};
    char name[MPI_MAX_PORT_NAME], twisted[MPI_MAX_PORT_NAME];
    MPI_Comm comm = MPI_COMM_WORLD, inter;
    char *many = malloc(100000);

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SOON(MPI_Comm_connect(bad[i], MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
        SOON(MPI_Comm_accept(bad[i], MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
        SOON(MPI_Close_port(bad[i]), MPI_ERR_PORT, 5);
    }
    memset(many, 'p', 99999);
    many[99999] = 0;
    SOON(MPI_Comm_connect(many, MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
    free(many);
    if (rank == 0)
        SOON(MPI_Open_port(MPI_INFO_NULL, name), MPI_SUCCESS, 5);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    check_unserved(name, comm);
    strcpy(twisted, name);
    twisted[strlen("inkling-port:")] ^= 1;
    SOON(MPI_Comm_connect(twisted, MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
    if (rank == 0)
        SOON(MPI_Close_port(name), MPI_SUCCESS, 5);
    if (rank == 0)
        SOON(MPI_Close_port(name), MPI_ERR_PORT, 5);
    SOON(MPI_Comm_connect(name, MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
    SOON(MPI_Comm_accept(name, MPI_INFO_NULL, 0, comm, &inter), MPI_ERR_PORT, 5);
    if (size > 1) {
        SOON(MPI_Comm_accept(name, MPI_INFO_NULL, rank, comm, &inter), MPI_ERR_ROOT, 5);
        SOON(MPI_Comm_connect(name, MPI_INFO_NULL, rank == 0, comm, &inter), MPI_ERR_ROOT, 5);
    }
    SOON(MPI_Comm_join(-1, &inter), MPI_ERR_ARG, 5);
    SOON(MPI_Comm_join(open("/dev/null", O_RDWR), &inter), MPI_ERR_ARG, 5);
}

/* bereaved FILE: rank 0 serves, one caller after the other, each of which dies when asked to. */
static void outlive_one(MPI_Comm comm, int way, int peer)
{
    static char large[1 << 20];
    MPI_Request r[2];
    int byte = way, index, all;
    MPI_Status s;

    CHECK_EQ(MPI_Send(&byte, 1, MPI_INT, peer, 1, comm), MPI_SUCCESS);
    switch (way) {
    case 0:
        SOON(MPI_Recv(&byte, 1, MPI_INT, peer, 2, comm, &s), MPI_ERR_PROC_ABORTED, 20);
        break;
    case 1:
        SOON(MPI_Recv(&byte, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &s), MPI_ERR_PROC_ABORTED, 20);
        break;
    case 2:
        SOON(MPI_Send(large, sizeof large, MPI_BYTE, peer, 2, comm), MPI_ERR_PROC_ABORTED, 20);
        break;
    case 3:
        SOON(MPI_Probe(MPI_ANY_SOURCE, 2, comm, &s), MPI_ERR_PROC_ABORTED, 20);
        break;
    case 4:
        alarm(getenv("SANITIZER") ? 60 : 20); /* for a barrier that waits for ever */
        index = MPI_Barrier(comm);
        alarm(0);
        MPI_Error_class(index, &index);
        CHECK_EQ(index, MPI_ERR_PROC_ABORTED);
        break;
    case 5: /* what it sent before its end can be had after it */
        CHECK_EQ(MPI_Irecv(&all, 1, MPI_INT, peer, 9, comm, &r[0]), MPI_SUCCESS);
        SOON(MPI_Wait(&r[0], &s), MPI_ERR_PROC_ABORTED, 20);
        CHECK_EQ(MPI_Recv(&byte, 1, MPI_INT, peer, 3, comm, &s), MPI_SUCCESS);
        CHECK_EQ(byte, 4711);
        break;
    case 7: /* who has ended keeps nobody in a collective, in which others copy from their buffers */
        index = MPI_Allreduce(large, large + sizeof large / 2, sizeof large / 2, MPI_BYTE, MPI_BXOR, comm);
        MPI_Error_class(index, &index);
        CHECK_EQ(index, MPI_ERR_PROC_ABORTED);
        break;
    default:
        CHECK_EQ(MPI_Issend(&byte, 1, MPI_INT, peer, 4, comm, &r[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Irecv(large, sizeof large, MPI_BYTE, peer, 5, comm, &r[1]), MPI_SUCCESS);
        SOON(MPI_Wait(&r[0], &s), MPI_ERR_PROC_ABORTED, 20);
        SOON(MPI_Wait(&r[1], &s), MPI_ERR_PROC_ABORTED, 20);
    }
    SOON(MPI_Send(&byte, 1, MPI_INT, peer, 1, comm), MPI_ERR_PROC_ABORTED, 20);
    SOON(MPI_Recv(&byte, 1, MPI_INT, peer, 1, comm, &s), MPI_ERR_PROC_ABORTED, 20);
}

enum {
    DEATHS = 8
};

/* The library has settled how collectives of the communicator go. */
static MPI_Comm merge_and_settle(MPI_Comm inter, bool high)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Intercomm_merge(inter, high, &comm), MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    return comm;
}

static void outlive(bool merges)
{
    tell_port();
    for (int way = 0; way < DEATHS; way++) {
        MPI_Comm inter = meet(true), comm = inter;

        if (merges)
            comm = merge_and_settle(inter, false);
        outlive_one(comm, way, merges ? size : 0);
        if (merges)
            CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    }
}

/* A child that outlives this process, as long as the test goes on. */
static void leave_child(void)
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid > 0)
        return;
    for (int i = 0; i < 6000 && access(file, F_OK) == 0; i++)
        pause_ms(10);
    _exit(0);
}

static void die(bool merges, bool leaves_child)
{
    MPI_Comm inter, comm;
    int way, word = 4711;

    learn_port();
    comm = inter = meet(false);
    if (leaves_child)
        leave_child();
    if (merges)
        comm = merge_and_settle(inter, true);
    CHECK_EQ(MPI_Recv(&way, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (way == 5)
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, 0, 3, comm), MPI_SUCCESS);
    pause_ms(way % 2 ? 50 : 0);
    if (way == 3)
        MPI_Abort(comm, 3);
    raise(SIGKILL);
}

/* late FILE serves|calls: MPI_Finalize while connected; what was sent arrives. */
static void part_late(bool serves)
{
    enum {
        LARGE = 500000
    };
    static char large[LARGE];
    MPI_Comm inter;
    int word = 42;

    if (serves)
        tell_port();
    else
        learn_port();
    inter = meet(serves);
    if (serves) {
        pause_ms(200);
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, rank, 2, inter, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(word, 43);
        CHECK_EQ(MPI_Recv(large, LARGE, MPI_CHAR, rank, 3, inter, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(find_wrong(large, LARGE, 5), -1);
    } else {
        MPI_Request r;

        word = 43;
        fill(large, LARGE, 5);
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, rank, 2, inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Isend(large, LARGE, MPI_CHAR, rank, 3, inter, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    }
}

/* abandoned FILE 1|0: 1: meets one whose host is cut off then, and afterwards another; 0: that one. */
static void be_abandoned(bool serves)
{
    char met[512];
    MPI_Comm inter;
    int byte;
    FILE *f;

    if (!serves) {
        learn_port();
        inter = meet(false);
        pause_ms(100000); /* it is ended */
        return;
    }
    tell_port();
    inter = meet(true);
    snprintf(met, sizeof met, "%s.met", file);
    f = fopen(met, "w");
    CHECK(f && fclose(f) == 0);
    SOON(MPI_Recv(&byte, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE), MPI_ERR_PROC_ABORTED, 30);
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    inter = meet(true);
    use(inter, true);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

static int count_fds(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    CHECK(d != NULL);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static long count_kib(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    long kib = -1;

    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

/* cycle FILE TIMES serves|calls: meets and parts; nothing grows in the second half. Wants malloc to grow by small steps. */
static void cycle(int times, bool serves)
{
    int fds = 0, value;
    long kib = 0;

    if (serves)
        tell_port();
    else
        learn_port();
    for (int i = 0; i < times; i++) {
        MPI_Comm inter = meet(serves), merged;

        CHECK_EQ(MPI_Intercomm_merge(inter, serves, &merged), MPI_SUCCESS);
        CHECK_EQ(MPI_Allreduce(&i, &value, 1, MPI_INT, MPI_MAX, merged), MPI_SUCCESS);
        CHECK(value >= i);
        CHECK_EQ(MPI_Comm_disconnect(&merged), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
        if (i == times / 2) {
            fds = count_fds();
            kib = count_kib();
        }
    }
    for (int i = 0; i < 1000 && count_fds() > fds;
         i++) { /* the end of a caller may not have been noticed yet */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &value, MPI_STATUS_IGNORE);
        pause_ms(10);
    }
    CHECK(count_fds() <= fds);
    CHECK(getenv("SANITIZER") || count_kib() < kib + 512);
}

int main(int argc, char **argv)
{
    const char *step = argc > 2 ? argv[1] : "";
    int number = argc > 3 ? atoi(argv[3]) : 1;

    CHECK(argc > 2);
    file = argv[2];
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    ways_open();
    set_up();
    if (!strcmp(step, "serve"))
        serve(number);
    else if (!strcmp(step, "call"))
        call(number);
    else if (!strcmp(step, "three"))
        meet_three(argv[3]);
    else if (!strcmp(step, "join"))
        join(number);
    else if (!strcmp(step, "refused"))
        be_refused();
    else if (!strcmp(step, "outlive"))
        outlive(number);
    else if (!strcmp(step, "die"))
        die(number, argc > 4);
    else if (!strcmp(step, "abandoned"))
        be_abandoned(number);
    else if (!strcmp(step, "late"))
        part_late(!strcmp(argv[3], "serves"));
    else if (!strcmp(step, "cycle"))
        cycle(number, !strcmp(argv[4], "serves"));
    else
        CHECK(!"a known step");
    close_port();
    ways_close();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
