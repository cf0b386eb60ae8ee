/* limits [rounds [1]]: what the machine itself can do, without MPI; with a second argument only the handoff.
 *
 * handoff: the time, in microseconds, until a cache line that one process writes is seen by another on the
 * next core, over shared memory: half a round trip, median over batches of 1000. memcpy_*K: GB/s of memcpy
 * between two buffers of that size, again and again, in one process. pingpong_*K: GB/s of memcpy between two
 * processes in turn, each from the buffer that the other has just copied to into its own, over shared memory:
 * what one copy per message can reach when the data comes from the other core. */
#define _GNU_SOURCE
#include "measure.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH = 1000,
    WARM = 20,
    COPIES = 8
};

static cpu_set_t may; /* CPUs that the program was given */

struct lines {
    _Alignas(64) _Atomic unsigned long ping;
    _Alignas(64) _Atomic unsigned long pong;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Binds the process to the index-th of the CPUs that it may use; false if there is none. */
static int bind(int index)
{
    cpu_set_t one;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && index-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0;
        }
    return 0;
}

static void await(_Atomic unsigned long *line, unsigned long value)
{
    while (atomic_load_explicit(line, memory_order_acquire) != value)
        ;
}

static void echo(struct lines *l, unsigned long rounds)
{
    for (unsigned long i = 1; i <= rounds; i++) {
        await(&l->ping, i);
        atomic_store_explicit(&l->pong, i, memory_order_release);
    }
}

static void handoff_measure(int batches)
{
    struct lines *l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double *each = malloc((size_t)batches * sizeof *each);
    unsigned long i = 0;
    pid_t child = l == MAP_FAILED || !each ? -1 : fork();
    if (child < 0) {
        free(each);
        return;
    }
    if (child == 0) {
        if (bind(1))
            echo(l, (unsigned long)(batches + WARM) * BATCH);
        _exit(0);
    }
    bind(0);
    for (int b = -WARM; b < batches; b++) {
        double start = now();
        for (int k = 0; k < BATCH; k++) {
            atomic_store_explicit(&l->ping, ++i, memory_order_release);
            await(&l->pong, i);
        }
        if (b >= 0)
            each[b] = (now() - start) / (2 * BATCH) * 1e6;
    }
    waitpid(child, NULL, 0);
    printf("handoff %.4f\n", measure_median(each, batches));
    free(each);
}

static void memcpy_measure(size_t size, int rounds)
{
    char *from = malloc(size), *to = malloc(size);
    double *each = malloc((size_t)rounds * sizeof *each);
    if (!from || !to || !each)
        exit(1);
    memset(from, 1, size);
    memset(to, 0, size);
    for (int r = 0; r < rounds; r++) {
        double start = now();
        for (int i = 0; i < COPIES; i++) {
            memcpy(to, from, size);
            __asm__ volatile("" : : "r"(to) : "memory"); /* each copy counts */
        }
        each[r] = COPIES * (double)size / (now() - start) / 1e9;
    }
    printf("memcpy_%zuK %.3f\n", size >> 10, measure_median(each, rounds));
    free(each);
    free(from);
    free(to);
}

/* Copies in turn: this process every message whose number has its parity. */
static void copy_in_turn(struct lines *l, char *mine, const char *theirs, size_t size, unsigned long parity,
                         int messages, double *each)
{
    double start = now();
    for (unsigned long i = 1; i <= (unsigned long)messages; i++) {
        if (i % 2 != parity)
            continue;
        await(&l->ping, i - 1);
        memcpy(mine, theirs, size);
        atomic_store_explicit(&l->ping, i, memory_order_release);
        if (each) {
            double end = now();
            each[i / 2 - 1] = 2 * (double)size / (end - start) / 1e9;
            start = end;
        }
    }
}

static void pingpong_measure(size_t size, int rounds)
{
    char *memory = mmap(NULL, 2 * size + sizeof(struct lines), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double *each = malloc((size_t)(rounds + WARM) * sizeof *each);
    struct lines *l = (struct lines *)(void *)(memory + 2 * size);
    pid_t child = memory == MAP_FAILED || !each ? -1 : fork();
    if (child < 0) {
        free(each);
        return;
    }
    if (child == 0) {
        if (bind(1))
            copy_in_turn(l, memory, memory + size, size, 1, 2 * (rounds + WARM), NULL);
        _exit(0);
    }
    bind(0);
    memset(memory + size, 1, size);
    copy_in_turn(l, memory + size, memory, size, 0, 2 * (rounds + WARM), each);
    waitpid(child, NULL, 0);
    printf("pingpong_%zuK %.3f\n", size >> 10, measure_median(each + WARM, rounds));
    munmap(memory, 2 * size + sizeof(struct lines));
    free(each);
}

int main(int argc, char **argv)
{
    int rounds = (int)measure_argument(argc, argv, 1, 500);
    sched_getaffinity(0, sizeof may, &may);
    if (CPU_COUNT(&may) >= 2) {
        handoff_measure(rounds);
        if (measure_argument(argc, argv, 2, 0))
            return 0;
        pingpong_measure(1 << 20, rounds);
    }
    for (size_t size = 64 << 10; size <= 16 << 20; size *= 4)
        memcpy_measure(size, rounds / 4 + 1);
    return 0;
}
