/* What a foreign ABI adds to a message: its calls over a library that does nothing (cost.py), less the same calls of that library. The
 * fastest of many rounds counts, as other work on the machine only adds. */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    CALLS = 1000,
    KINDS = 4
};

static const char *const kinds[KINDS] = {"MPI_Send", "MPI_Recv", "MPI_Isend and MPI_Wait",
                                         "MPI_Irecv and MPI_Wait"};
static int buffer;
static MPI_Comm comm;

/* The library below, as C calls it: handles are words. */
static int (*send)(void *, int, long, int, int, long);
static int (*receive)(void *, int, long, int, int, long, void *);
static int (*isend)(void *, int, long, int, int, long, void *);
static int (*ireceive)(void *, int, long, int, int, long, void *);
static int (*wait)(void *, void *);

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call(int kind)
{
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < CALLS; i++) {
        if (kind == 0)
            MPI_Send(&buffer, 1, MPI_INT, i, 1, comm);
        else if (kind == 1)
            MPI_Recv(&buffer, 1, MPI_INT, i, 1, comm, &status);
        else if (kind == 2)
            MPI_Isend(&buffer, 1, MPI_INT, i, 1, comm, &request);
        else
            MPI_Irecv(&buffer, 1, MPI_INT, i, 1, comm, &request);
        if (kind >= 2)
            MPI_Wait(&request, kind == 2 ? MPI_STATUS_IGNORE : &status);
    }
}

static void call_below(int kind)
{
    long request[8], status[8];

    for (int i = 0; i < CALLS; i++) {
        if (kind == 0)
            send(&buffer, 1, 0x209, i, 1, 0x101);
        else if (kind == 1)
            receive(&buffer, 1, 0x209, i, 1, 0x101, status);
        else if (kind == 2)
            isend(&buffer, 1, 0x209, i, 1, 0x101, request);
        else
            ireceive(&buffer, 1, 0x209, i, 1, 0x101, request);
        if (kind >= 2)
            wait(request, status);
    }
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Looks until all are below the limit, or `seconds` have passed. */
static int worst_after(double limit, double seconds, double added[KINDS])
{
    double above[KINDS], below[KINDS], began = now();
    int worst = 0;

    for (int k = 0; k < KINDS; k++)
        above[k] = below[k] = 1e9;
    do {
        for (int k = 0; k < KINDS; k++) {
            double start = now(), middle;
            call(k);
            middle = now();
            call_below(k);
            above[k] = least(above[k], (middle - start) / CALLS);
            below[k] = least(below[k], (now() - middle) / CALLS);
            added[k] = above[k] - below[k];
            worst = added[k] > added[worst] ? k : worst;
        }
    } while (now() - began < 1e8 || (added[worst] > limit && now() - began < seconds * 1e9));
    return worst;
}

int main(void)
{
    void *library = dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_NOLOAD);
    double added[KINDS] = {0}, limit = 15;
    int worst;

    if (!library)
        return 1;
    *(void **)&send = dlsym(library, "MPI_Send");
    *(void **)&receive = dlsym(library, "MPI_Recv");
    *(void **)&isend = dlsym(library, "MPI_Isend");
    *(void **)&ireceive = dlsym(library, "MPI_Irecv");
    *(void **)&wait = dlsym(library, "MPI_Wait");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    worst = worst_after(limit, 20, added);
    for (int k = 0; k < KINDS; k++)
        printf("%s: %.1f ns more\n", kinds[k], added[k]);
    if (added[worst] > limit)
        fprintf(stderr, "%s costs %.1f ns more, not %.0f at most\n", kinds[worst], added[worst], limit);
    return added[worst] > limit;
}
