/* sweep: takes a step again and again, in which the first, the second... of something fails, until it has no more of them. After
 * each failure the step must succeed when it is taken again; in the end nothing may be left behind.
 *
 * The program sets `failing` and calls take_step(&step) on all ranks. SWEEP_TELL=1 shows what each failure came to.
 */
#ifndef TESTS_MPI_SWEEP_H
#define TESTS_MPI_SWEEP_H

#include "mpi/held.h"

#include <limits.h>
#include <unistd.h>

enum {
    SWEEP_LOOKS = 8,
    SWEEPS = 3,
    SWEEP_MOST = 1000 /* failures of a step; more, and it does not end */
};

struct step {
    const char *name;
    int (*run)(void);    /* leaves nothing behind; the first error */
    unsigned settles_us; /* until what it has begun elsewhere is over; its blocks do not count then */
};

struct failing {
    void (*arm)(long n);       /* the n-th from now on fails, in this rank or in none; 0: none */
    const char *(*what)(void); /* what has failed since; NULL: nothing */
};

static struct failing failing;

static char sweep_left[200]; /* behind a step */
static long sweep_failures;  /* in it */

/* What is freed by a message from another rank may be there still, or again: the least of a few looks counts. */
static struct held look(const struct step *step)
{
    struct held least = {LONG_MAX, LONG_MAX, LONG_MAX};

    step->run();
    for (int i = 0; i < SWEEP_LOOKS; i++) {
        CHECK_EQ(step->run(), MPI_SUCCESS);
        usleep(step->settles_us);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        struct held now = held_now();

        least.blocks = now.blocks < least.blocks ? now.blocks : least.blocks;
        least.descriptors = now.descriptors < least.descriptors ? now.descriptors : least.descriptors;
        least.mappings = now.mappings < least.mappings ? now.mappings : least.mappings;
    }
    return least;
}

static void tell(const struct step *step, long n, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "went on";
    int length;

    if (code)
        MPI_Error_string(code, text, &length);
    fprintf(stderr, "%s, %ld (%s): %s\n", step->name, n, what, text);
}

/* All ranks take the step, in which the n-th fails. Whether there were so many. */
static bool take(const struct step *step, long n)
{
    int code, has_failed;

    failing.arm(n);
    code = step->run();
    failing.arm(0);
    has_failed = failing.what() != NULL;
    if (getenv("SWEEP_TELL") && has_failed)
        tell(step, n, failing.what(), code);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(has_failed || code == MPI_SUCCESS);
    return has_failed;
}

static bool sweep_leaves(const struct step *step)
{
    struct held begin = look(step), end;
    long n;

    for (n = 1; take(step, n); n++) {
        CHECK(n < SWEEP_MOST);
        CHECK_EQ(step->run(), MPI_SUCCESS); /* tried again */
    }
    sweep_failures = n - 1;
    end = look(step);
    snprintf(sweep_left, sizeof sweep_left,
             "%s, %ld failures: %ld blocks, %ld descriptors, %ld mappings more", step->name, sweep_failures,
             end.blocks - begin.blocks, end.descriptors - begin.descriptors, end.mappings - begin.mappings);
    if (getenv("SWEEP_TELL"))
        fprintf(stderr, "%s\n", sweep_left);
    return (end.blocks > begin.blocks && !step->settles_us) || end.descriptors > begin.descriptors ||
           end.mappings > begin.mappings;
}

/* The first sweep may be the first use of something that the library keeps. */
static void take_step(const struct step *step)
{
    int leaves = 1, somewhere = 1;

    for (int i = 0; i < SWEEPS && somewhere; i++) {
        leaves = sweep_leaves(step);
        MPI_Allreduce(&leaves, &somewhere, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    if (leaves)
        check_failed(__FILE__, __LINE__, "nothing is left behind: ", sweep_left);
}

#endif
