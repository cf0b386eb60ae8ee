/* A manager with workers that may die: mpiexec --survive -n 4 manager [RANK@TASK ...]
 *
 * Rank 0 gives out ranges of numbers, one at a time, to whoever is free, and adds up how many primes are in them. When a worker dies, its
 * range goes to another; when none is left, the manager does the rest. Workers need nothing of each other, so nobody revokes or shrinks
 * anything. RANK@TASK makes a worker kill itself in its task of this number, from 0 on.
 *
 * The sum is the number of primes below MOST, which is known. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST = 200000,
    PRIMES = 17984, /* below that */
    RANGE = 1000,
    TASKS = MOST / RANGE,
    NONE = -1,
    TASK = 1,
    RESULT = 2
};

static int count_primes(int task)
{
    int count = 0;

    for (int n = task * RANGE; n < (task + 1) * RANGE; n++) {
        bool is_prime = n > 1;

        for (int d = 2; d * d <= n && is_prime; d++)
            is_prime = n % d;
        count += is_prime;
    }
    return count;
}

static bool dies_in(char **deaths, int rank, int number)
{
    for (char **death = deaths; *death; death++) {
        int who = NONE, when = NONE;

        if (sscanf(*death, "%d@%d", &who, &when) == 2 && who == rank && when == number)
            return true;
    }
    return false;
}

/* Until there are no more tasks, or no manager. */
static void work(char **deaths, int rank)
{
    int result = 0, task;

    for (int number = 0;; number++) {
        if (MPI_Send(&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD) != MPI_SUCCESS ||
            MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
            task == NONE)
            return;
        if (dies_in(deaths, rank, number))
            raise(SIGKILL);
        result = count_primes(task);
    }
}

struct tasks {
    int open[TASKS], count; /* that nobody has */
    int done, sum;
    int *at; /* by rank: the task that it has */
};

static void put_back(struct tasks *t, int worker)
{
    if (t->at[worker] != NONE)
        t->open[t->count++] = t->at[worker];
    t->at[worker] = NONE;
}

/* Takes the tasks of the dead back; how many workers have died in all. */
static int look_for_dead(struct tasks *t)
{
    MPI_Group failed, world;
    int count, worker, acked;

    MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
    MPI_Group_size(failed, &count);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < count; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, world, &worker);
        put_back(t, worker);
    }
    MPIX_Comm_ack_failed(MPI_COMM_WORLD, count, &acked);
    MPI_Group_free(&failed);
    MPI_Group_free(&world);
    return count;
}

static void give_task(struct tasks *t, int worker)
{
    int task = t->count ? t->open[--t->count] : NONE;

    t->at[worker] = task;
    if (MPI_Send(&task, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD) != MPI_SUCCESS)
        put_back(t, worker); /* it has died after its last result */
}

static void do_alone(struct tasks *t)
{
    while (t->count) {
        t->sum += count_primes(t->open[--t->count]);
        t->done++;
    }
}

/* A worker without a task waits, as one with a task may die. */
static void manage(struct tasks *t, int size)
{
    int waiting[size], waits = 0, dead = 0;

    while (t->done < TASKS && dead < size - 1) {
        MPI_Status status;
        int result;

        if (MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status) != MPI_SUCCESS) {
            dead = look_for_dead(t);
        } else {
            t->done += t->at[status.MPI_SOURCE] != NONE;
            t->sum += result;
            t->at[status.MPI_SOURCE] = NONE;
            waiting[waits++] = status.MPI_SOURCE;
        }
        while (waits && t->count)
            give_task(t, waiting[--waits]);
    }
    do_alone(t);
    for (int worker = 1; worker < size; worker++)
        MPI_Send(&(int){NONE}, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD);
    printf("%d primes below %d, with %d of %d workers at the end\n", t->sum, MOST,
           size - 1 - look_for_dead(t), size - 1);
}

int main(int argc, char **argv)
{
    static struct tasks tasks;
    int rank, size;

    (void)argc;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tasks.at = malloc((size_t)size * sizeof *tasks.at);
    if (!tasks.at)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < size; i++)
        tasks.at[i] = NONE;
    while (tasks.count < TASKS) {
        tasks.open[tasks.count] = tasks.count;
        tasks.count++;
    }
    if (rank)
        work(argv + 1, rank);
    else
        manage(&tasks, size);
    free(tasks.at);
    MPI_Finalize();
    return rank == 0 && tasks.sum != PRIMES;
}
