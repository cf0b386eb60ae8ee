/* heat: how warmth spreads over a square plate whose edges are kept cold.
 *
 *     mpiexec -n 4 heat [picture.png [points per side [steps]]]
 *
 * Solves the heat equation on the unit square in explicit time steps. Each rank owns a block and exchanges
 * its sides with its neighbours (grid.c). The plate starts with a sum of sine waves, of which the exact
 * solution is known: each wave fades at its own rate. The result is compared with it, and drawn (picture.c).
 *
 * What is special here are hints: the program tells MPI what it promises never to do on its communicator (see
 * comm_with_promises), and MPI tells which of the promises are in force.
 */
#include "grid.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* amplitude * sin(across pi x) * sin(down pi y) */
static const struct wave {
    int across, down;
    double amplitude;
} waves[] = {{1, 1, 1.0},  {2, 3, 0.7}, {3, 2, -0.6}, {5, 4, 0.8},
             {4, 6, -0.7}, {8, 3, 0.6}, {7, 9, 0.9},  {11, 10, 0.8}};

enum {
    WAVES = sizeof waves / sizeof waves[0]
};

static double exact(double x, double y, double time)
{
    double sum = 0;
    for (int i = 0; i < WAVES; i++) {
        const struct wave *w = &waves[i];
        double fading = exp(-(w->across * w->across + w->down * w->down) * M_PI * M_PI * time);
        sum += w->amplitude * fading * sin(w->across * M_PI * x) * sin(w->down * M_PI * y);
    }
    return sum;
}

/* A communicator like MPI_COMM_WORLD, with promises about how point-to-point messages are used on it. */
static MPI_Comm comm_with_promises(void)
{
    MPI_Info info;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true"); /* every receive names its sender, */
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");    /* and its tag; */
    MPI_Info_set(info, "mpi_assert_exact_length", "true");  /* a side has the length that is expected; */
    /* two messages that may be on their way at once have different tags (see side_tag), so that order is free
     */
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_set_name(comm, "heat");
    return comm;
}

static void hints_print(MPI_Comm comm)
{
    MPI_Info info;
    int count;
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_nkeys(info, &count);
    printf("hints in force on the communicator:\n");
    for (int i = 0; i < count; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[256];
        int size = sizeof value, found;
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_string(info, key, &size, value, &found);
        if (found)
            printf("  %-50s %s\n", key, value);
    }
    MPI_Info_free(&info);
}

/* Makes the step for points of these rows and columns (ends excluded) of the block. */
static void part_step(struct grid *g, double ratio, int row, int rows, int column, int columns)
{
    for (int i = row; i < rows; i++) {
        const double *u = grid_at(g, g->u, i, 0), *above = grid_at(g, g->u, i - 1, 0),
                     *below = grid_at(g, g->u, i + 1, 0);
        double *next = grid_at(g, g->next, i, 0);
        for (int j = column; j < columns; j++)
            next[j] = u[j] + ratio * (above[j] + below[j] + u[j - 1] + u[j + 1] - 4 * u[j]);
    }
}

/* One time step. What needs no neighbour is computed while the sides travel. */
static void step(struct grid *g, double ratio)
{
    int rows = g->rows, columns = g->columns;
    grid_exchange_start(g);
    part_step(g, ratio, 1, rows - 1, 1, columns - 1);
    grid_exchange_finish(g);
    part_step(g, ratio, 0, 1, 0, columns);
    if (rows > 1)
        part_step(g, ratio, rows - 1, rows, 0, columns);
    part_step(g, ratio, 1, rows - 1, 0, 1);
    if (columns > 1)
        part_step(g, ratio, 1, rows - 1, columns - 1, columns);
    double *old = g->u;
    g->u = g->next;
    g->next = old;
}

static void plate_fill(struct grid *g, double spacing)
{
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->columns; j++)
            *grid_at(g, g->u, i, j) = exact((g->column + j + 1) * spacing, (g->row + i + 1) * spacing, 0);
}

/* The largest difference from the exact solution, anywhere on the plate, relative to its largest value. */
static double plate_error(struct grid *g, double spacing, double time)
{
    double mine[2] = {0, 0}, all[2];
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->columns; j++) {
            double wanted = exact((g->column + j + 1) * spacing, (g->row + i + 1) * spacing, time);
            mine[0] = fmax(mine[0], fabs(*grid_at(g, g->u, i, j) - wanted));
            mine[1] = fmax(mine[1], fabs(wanted));
        }
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, g->comm);
    return all[0] / all[1];
}

/* One line that is written over on a terminal, and one per quarter elsewhere. */
static void progress_print(int done, int steps, double seconds)
{
    static int terminal = -1;
    if (terminal < 0)
        terminal = isatty(STDOUT_FILENO);
    int part = terminal ? 100 : 4;
    if ((long)done * part / steps == (long)(done - 1) * part / steps)
        return;
    printf("%sstep %d of %d (%d %%), %.2f s%s", terminal ? "\r" : "", done, steps, (int)(100L * done / steps),
           seconds, terminal && done < steps ? "" : "\n");
    fflush(stdout);
}

static int picture_draw(struct grid *g, const char *path)
{
    double *whole = grid_gather(g), low = 0, high = 0;
    int error = 0;
    if (!whole)
        return 0;
    for (long i = 0; i < (long)g->n * g->n; i++) {
        low = fmin(low, whole[i]);
        high = fmax(high, whole[i]);
    }
    error = picture_write(path, whole, g->n, g->n, low, high);
    if (error)
        fprintf(stderr, "heat: cannot write %s: %s\n", path, strerror(error));
    else
        printf("wrote %s, %d x %d pixels\n", path, g->n, g->n);
    free(whole);
    return error != 0;
}

/* Runs the steps, says how it went, and returns the program's exit code. */
static int run(MPI_Comm comm, const char *path, int n, int steps)
{
    struct grid g;
    const double spacing = 1.0 / (n + 1), ratio = 0.2;
    const double tolerance = 40 * spacing * spacing; /* the method is of second order */
    int rank, failed;
    MPI_Comm_rank(comm, &rank);
    grid_init(&g, comm, n);
    if (rank == 0)
        printf("heat: %d x %d points on %d x %d ranks\n", n, n, g.tall, g.wide);
    plate_fill(&g, spacing);
    MPI_Barrier(comm);
    double start = MPI_Wtime();
    for (int i = 1; i <= steps; i++) {
        step(&g, ratio);
        if (rank == 0)
            progress_print(i, steps, MPI_Wtime() - start);
    }
    double spent = MPI_Wtime() - start, error = plate_error(&g, spacing, steps * ratio * spacing * spacing);
    failed = !(error < tolerance);
    if (rank == 0) {
        printf("time per step: %.1f us\n", spent / steps * 1e6);
        printf("largest error: %.1e of the exact solution (%s, limit %.0e)\n", error,
               failed ? "WRONG" : "right", tolerance);
    }
    failed |= picture_draw(&g, path);
    grid_fini(&g);
    return failed;
}

int main(int argc, char **argv)
{
    int rank, size, failed;
    MPI_Init(&argc, &argv);
    MPI_Comm comm = comm_with_promises();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const char *path = argc > 1 ? argv[1] : "heat.png";
    int n = argc > 2 ? atoi(argv[2]) : 400, steps = argc > 3 ? atoi(argv[3]) : 1500;
    if (n < size || n > 20000 || steps < 1) {
        if (rank == 0)
            fprintf(stderr, "heat: wants %d to 20000 points per side and at least 1 step, not %d and %d\n",
                    size, n, steps);
        MPI_Comm_free(&comm);
        MPI_Finalize();
        return 2;
    }
    if (rank == 0)
        hints_print(comm);
    failed = run(comm, path, n, steps);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return failed;
}
