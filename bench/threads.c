/* threads [how [windows]]: message rate of one and of two threads of a process under MPI_THREAD_MULTIPLE, in
 * millions a second. Each thread sends 8-byte messages under a tag of its own, in windows of 64: with one
 * rank to itself, with two ranks to its twin of the other. how 0: on one communicator; 1: which has
 * mpi_assert_allow_overtaking; 2: each thread on a communicator of its own; 3: two threads without (off) and
 * with the hint (on), and one thread with it.
 *
 * Each thread is bound to a core of its own, as far as its process has so many: left to itself, the system
 * may keep two threads on one core. Two threads of a process that may use two cores have one each; two
 * threads of two ranks share two cores, so that what they cannot gain by running at once shows what they lose
 * by getting in each other's way. */
#define _GNU_SOURCE
#include "measure.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WINDOW = 64,
    THREADS = 2,
    ROUNDS = 7
};

static MPI_Comm comms[THREADS]; /* by thread */
static cpu_set_t cores;         /* of the process */
static int rank, size;
static long windows;

/* As rate.c; a process alone does both parts. */
static void window_run(MPI_Comm comm, int tag, char message[2][WINDOW][8])
{
    MPI_Request request[2 * WINDOW];
    int count = 0, other = size - 1 - rank;

    for (int i = 0; i < WINDOW && (size == 1 || rank == 1); i++)
        MPI_Irecv(message[0][i], 8, MPI_CHAR, other, tag, comm, &request[count++]);
    for (int i = 0; i < WINDOW && (size == 1 || rank == 0); i++)
        MPI_Isend(message[1][i], 8, MPI_CHAR, other, tag, comm, &request[count++]);
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    if (size == 1)
        return;
    if (rank == 0)
        MPI_Recv(message[0][0], 0, MPI_CHAR, 1, tag + THREADS, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(message[1][0], 0, MPI_CHAR, 0, tag + THREADS, comm);
}

/* To the index-th core of the process; beyond the last one, to the first again. */
static void bind_thread(int index)
{
    cpu_set_t one;

    index %= CPU_COUNT(&cores);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cores) && index-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static void *run(void *arg)
{
    static struct {
        _Alignas(128) char message[2][WINDOW][8];
    } own[THREADS];
    int tag = (int)(intptr_t)arg;

    bind_thread(tag);
    for (long i = 0; i < windows; i++)
        window_run(comms[tag], tag, own[tag].message);
    return NULL;
}

/* Messages a second of so many threads together, in millions. */
static double rate_of(int threads)
{
    pthread_t thread[THREADS];
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (intptr_t i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    run((void *)0);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return (double)threads * (double)windows * WINDOW / (MPI_Wtime() - start) / 1e6;
}

static void open_comms(long how)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", how == 1 ? "true" : "false");
    for (int i = 0; i < THREADS; i++)
        if (i == 0 || how == 2)
            MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comms[i]);
        else
            comms[i] = comms[0];
    MPI_Info_free(&info);
}

static void close_comms(long how)
{
    for (int i = 0; i < (how == 2 ? THREADS : 1); i++)
        MPI_Comm_free(&comms[i]);
}

/* Medians of one thread and of two. */
static void measure_how(long how, double *one, double *two)
{
    double ones[ROUNDS], twos[ROUNDS];

    open_comms(how);
    rate_of(THREADS); /* warms up */
    for (int i = 0; i < ROUNDS; i++) {
        ones[i] = rate_of(1);
        twos[i] = rate_of(THREADS);
    }
    *one = measure_median(ones, ROUNDS);
    *two = measure_median(twos, ROUNDS);
    close_comms(how);
}

int main(int argc, char **argv)
{
    double one, two, hinted;
    int provided;
    long how;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows = measure_argument(argc, argv, 2, 3000);
    how = measure_argument(argc, argv, 1, 0);
    if (provided < MPI_THREAD_MULTIPLE || size > 2 || sched_getaffinity(0, sizeof cores, &cores))
        MPI_Abort(MPI_COMM_WORLD, 1);
    measure_how(how == 3 ? 0 : how, &one, &two);
    if (how == 3) {
        measure_how(1, &one, &hinted);
        if (rank == 0)
            printf("one %.4f\noff %.4f\non %.4f\n", one, two, hinted);
    } else if (rank == 0) {
        printf("one_thread %.4f\ntwo_threads %.4f\n", one, two);
    }
    MPI_Finalize();
    return 0;
}
