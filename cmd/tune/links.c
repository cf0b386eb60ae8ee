#include "cmd/tune/calls.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 15,
    SMALL = 8,
    LARGEST = 1 << 20,
    FLOOD = 64,
    FEWEST_TRIPS = 6,
    MOST_TRIPS = 500
};

static char *buffer, *other_buffer;
static int rank, ranks;

int links_count_hosts(void)
{
    MPI_Comm host;
    int me, first, hosts;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &me);
    first = me == 0;
    MPI_Allreduce(&first, &hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&host);
    return hosts;
}

/* The first rank that is on rank 0's host, or is not; -1: none. The same on all. */
static int find_partner(int is_near)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
    int length, fits, found;

    MPI_Get_processor_name(mine, &length);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    fits = rank > 0 && (strcmp(mine, first) == 0) == is_near ? rank : ranks;
    MPI_Allreduce(&fits, &found, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return found < ranks ? found : -1;
}

static int links_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* So many round trips; seconds. */
static double make_trips(MPI_Comm comm, int partner, int bytes, int trips)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < trips; i++)
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_BYTE, partner, 0, comm);
            MPI_Recv(buffer, bytes, MPI_BYTE, partner, 0, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, comm);
        }
    return MPI_Wtime() - begin;
}

/* Half of a round trip, of as many as take some milliseconds; on rank 0. */
static double half_trip(MPI_Comm comm, int partner, int bytes)
{
    double first = make_trips(comm, partner, bytes, FEWEST_TRIPS) / FEWEST_TRIPS;
    int trips = first > 0 && 0.004 / first < MOST_TRIPS ? (int)(0.004 / first) : MOST_TRIPS;

    if (trips < FEWEST_TRIPS)
        trips = FEWEST_TRIPS;
    if (rank == 0)
        MPI_Send(&trips, 1, MPI_INT, partner, 3, comm);
    else
        MPI_Recv(&trips, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    return make_trips(comm, partner, bytes, trips) / (2 * trips);
}

/* Of FLOOD messages of a byte: until MPI_Isend of one has returned, and until all have gone. */
static void flood(int partner, double *overhead, double *each)
{
    MPI_Request request[FLOOD];
    double begin = MPI_Wtime(), sent;

    for (int i = 0; i < FLOOD; i++)
        if (rank == 0)
            MPI_Isend(buffer, 1, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(buffer + i, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[i]);
    sent = MPI_Wtime();
    MPI_Waitall(FLOOD, request, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(buffer, 0, MPI_BYTE, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    *overhead = (sent - begin) / FLOOD;
    *each = (MPI_Wtime() - begin) / FLOOD;
}

static double middle(double value[TURNS])
{
    qsort(value, TURNS, sizeof *value, links_compare);
    return value[TURNS / 2];
}

static void measure_link(const char *name, int partner)
{
    double small[TURNS], half[TURNS], large[TURNS], overhead[TURNS], each[TURNS], o, gap, byte;

    for (int t = 0; t < TURNS; t++) {
        small[t] = half_trip(MPI_COMM_WORLD, partner, 1);
        half[t] = half_trip(MPI_COMM_WORLD, partner, LARGEST / 2);
        large[t] = half_trip(MPI_COMM_WORLD, partner, LARGEST);
        flood(partner, &overhead[t], &each[t]);
    }
    o = middle(overhead);
    gap = middle(each);
    byte = (middle(large) - middle(half)) / (LARGEST / 2);
    if (rank == 0) {
        double way = middle(small);

        if (2 * o > way)
            o = way / 3; /* a send returned before the message was on its way: the way has both overheads */
        if (byte <= 0)
            byte = middle(large) / LARGEST; /* the halves were disturbed: what a byte takes at most */
        printf("link %s %.6g %.6g %.6g %.6g\n", name, way - 2 * o, o, gap > o ? gap - o : 0, byte);
    }
}

static void measure_eager(const char *name, const char *key, const char *most, int partner, int takes_part)
{
    MPI_Comm eager = calls_comm_with(key, most), waiting = calls_comm_with(key, "0");

    for (int size = 1024; size <= 32768 && takes_part; size *= 2) {
        double ratio[TURNS];

        for (int t = 0; t < TURNS; t++) {
            double first = half_trip(t % 2 ? eager : waiting, partner, size),
                   second = half_trip(t % 2 ? waiting : eager, partner, size);

            ratio[t] = t % 2 ? first / second : second / first;
        }
        qsort(ratio, TURNS, sizeof *ratio, links_compare);
        if (rank == 0)
            printf("eager %s %d %.4f %.4f %.4f\n", name, size, ratio[TURNS / 2], ratio[TURNS / 4],
                   ratio[TURNS - 1 - TURNS / 4]);
    }
    MPI_Comm_free(&eager);
    MPI_Comm_free(&waiting);
}

static void measure_core(void)
{
    double copy[TURNS], reduce[TURNS];

    for (int t = 0; t < TURNS; t++) {
        double begin = MPI_Wtime(), between;

        for (int i = 0; i < 16; i++)
            memcpy(buffer + i * 65536, other_buffer + i * 65536, 65536);
        between = MPI_Wtime();
        for (int i = 0; i < 16; i++)
            MPI_Reduce_local(other_buffer + i * 65536, buffer + i * 65536, 8192, MPI_DOUBLE, MPI_SUM);
        copy[t] = (between - begin) / LARGEST;
        reduce[t] = (MPI_Wtime() - between) / LARGEST;
    }
    printf("core %.6g %.6g\n", middle(copy), middle(reduce));
}

static void measure_both(const char *name, int is_near, const char *key, const char *most)
{
    int partner = find_partner(is_near), takes_part = partner >= 0 && (rank == 0 || rank == partner);

    if (partner < 0)
        return;
    if (takes_part)
        measure_link(name, partner);
    measure_eager(name, key, most, partner, takes_part);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void links_prepare(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    buffer = calloc(1, LARGEST);
    other_buffer = calloc(1, LARGEST);
    if (!buffer || !other_buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void links_tidy(void)
{
    free(buffer);
    free(other_buffer);
}

void links_measure(void)
{
    links_prepare();
    measure_both("near", 1, "inkling_eager_limit", "32K");
    measure_both("far", 0, "inkling_ofi_eager_limit", "32K");
    if (rank == 0)
        measure_core();
    links_tidy();
}

void links_measure_network(const char *name)
{
    double small[TURNS], large[TURNS];
    int partner;

    links_prepare();
    partner = find_partner(0);
    for (int t = 0; t < TURNS && partner >= 0 && (rank == 0 || rank == partner); t++) {
        small[t] = half_trip(MPI_COMM_WORLD, partner, SMALL);
        large[t] = half_trip(MPI_COMM_WORLD, partner, LARGEST);
    }
    if (rank == 0 && partner >= 0)
        printf("network %s %.6g %.6g\n", name, middle(small), middle(large));
    MPI_Barrier(MPI_COMM_WORLD);
    links_tidy();
}
