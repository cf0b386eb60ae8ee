/* ranks: 2 */
#include "program.h"

static MPI_Win make(int *memory)
{
    MPI_Win win;

    MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return win;
}

static void end(MPI_Win *win)
{
    MPI_Win_fence(0, *win);
    MPI_Win_free(win);
}

/* A caller's variables, from deep functions and shallow ones. */
static void use_array(int *of_main)
{
    int mine[4];
    MPI_Win win = make(mine), other = make(of_main);

    MPI_Win_fence(0, win);
    end(&win);
    end(&other);
}

int main(void)
{
    MPI_Win win;
    int x = 1, bytes = 1000, of_main[4], *memory = calloc(1, 64), *before, *attached = calloc(1, 64);
    void *buffer = malloc(1000);

    begin();
    use_array(of_main);
    before = malloc(64);
    free(before); /* another block */
    MPI_Win_create(memory, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    memory = realloc(memory, 40); /* stays where it is */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(memory);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, attached, 64);
    MPI_Win_detach(win, attached);
    free(attached);
    MPI_Win_free(&win);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0)
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    MPI_Finalize();
    return 0;
}
