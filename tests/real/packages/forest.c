/* A forest of octrees, refined by each rank, balanced, partitioned, with ghosts: as many leaves as refinement makes, and dealt evenly. */
#include <p4est_algorithms.h>
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#include <stdio.h>

static int is_refined(p4est_t *forest, p4est_topidx_t tree, p4est_quadrant_t *quadrant)
{
    (void)forest, (void)tree;
    return quadrant->level < 5 && (quadrant->level < 3 || quadrant->x == 0);
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all;

    sc_MPI_Init(&argc, &argv);
    sc_MPI_Comm_rank(sc_MPI_COMM_WORLD, &rank);
    sc_MPI_Comm_size(sc_MPI_COMM_WORLD, &size);
    sc_init(sc_MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
    p4est_init(NULL, SC_LP_ERROR);
    p4est_connectivity_t *square = p4est_connectivity_new_unitsquare();
    p4est_t *forest = p4est_new(sc_MPI_COMM_WORLD, square, 0, NULL, NULL);
    p4est_refine(forest, 1, is_refined, NULL);
    /* 64 of level 3; 8 at the left are divided, of each of which 2 are divided again: 64 - 8 + 32 - 16 + 64 */
    wrong += forest->global_num_quadrants != 136;
    p4est_balance(forest, P4EST_CONNECT_FULL, NULL);
    wrong += forest->global_num_quadrants < 136;
    p4est_partition(forest, 0, NULL);
    wrong += forest->local_num_quadrants > forest->global_num_quadrants / size + 1;
    p4est_ghost_t *ghost = p4est_ghost_new(forest, P4EST_CONNECT_FULL);
    wrong += size > 1 && ghost->ghosts.elem_count == 0;
    wrong += !p4est_is_valid(forest) || !p4est_ghost_is_valid(forest, ghost);
    p4est_ghost_destroy(ghost);
    p4est_destroy(forest);
    p4est_connectivity_destroy(square);
    sc_MPI_Allreduce(&wrong, &all, 1, sc_MPI_INT, sc_MPI_SUM, sc_MPI_COMM_WORLD);
    if (rank == 0 && !all)
        printf("p4est: all well\n");
    sc_finalize();
    sc_MPI_Finalize();
    return all != 0;
}
