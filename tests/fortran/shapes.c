/* Counts the datatypes that the Fortran library makes, commits and frees for sections, and runs a subroutine in several threads.
 * For shapes.f90. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 2

void count_types_(int *committed, int *left);
void run_threads_(void (*body)(void));

static atomic_int types_made, types_committed, types_freed;

void count_types_(int *committed, int *left)
{
    *committed = types_committed;
    *left = types_made - types_freed;
}

static void *thread_run(void *body)
{
    (*(void (**)(void))body)();
    return NULL;
}

void run_threads_(void (*body)(void))
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, thread_run, &body) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype type,
                               MPI_Datatype *newtype)
{
    types_made++;
    return MPI_Type_create_hvector_c(count, blocklength, stride, type, newtype);
}

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count places[],
                              const MPI_Datatype types[], MPI_Datatype *newtype)
{
    types_made++;
    return MPI_Type_create_struct_c(count, lengths, places, types, newtype);
}

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype type, MPI_Datatype *newtype)
{
    types_made++;
    return MPI_Type_contiguous_c(count, type, newtype);
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    types_committed++;
    return MPI_Type_commit(type);
}

int PMPI_Type_free(MPI_Datatype *type)
{
    types_freed++;
    return MPI_Type_free(type);
}
