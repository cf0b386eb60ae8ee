/* libmpifort_removed: what MPI-3.0 removed (chapter 18), for old programs in Fortran that ask for it: `mpifort -DINKLING_REMOVED`, or
 * -lmpifort_removed before -lmpifort_abi. An archive, so that only these programs have the names.
 *
 * Each is made of its replacement as Fortran calls it. Addresses, extents and displacements are default INTEGERs here: a value that
 * does not fit is an error, since what is left of it would be a wrong one. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

void mpi_get_address_(void *location, MPI_Aint *address, int *ierror);
void mpi_comm_create_errhandler_(void (*function)(void), int *errhandler, int *ierror);
void mpi_comm_get_errhandler_(const int *comm, int *errhandler, int *ierror);
void mpi_comm_set_errhandler_(const int *comm, const int *errhandler, int *ierror);
void mpi_type_get_extent_(const int *type, MPI_Aint *lower, MPI_Aint *extent, int *ierror);
void mpi_type_create_hindexed_(const int *count, const int *lengths, const MPI_Aint *displacements,
                               const int *type, int *newtype, int *ierror);
void mpi_type_create_hvector_(const int *count, const int *length, const MPI_Aint *stride, const int *type,
                              int *newtype, int *ierror);
void mpi_type_create_struct_(const int *count, const int *lengths, const MPI_Aint *displacements,
                             const int *types, int *newtype, int *ierror);

void mpi_address_(void *location, int *address, int *ierror);
void mpi_errhandler_create_(void (*function)(void), int *errhandler, int *ierror);
void mpi_errhandler_get_(const int *comm, int *errhandler, int *ierror);
void mpi_errhandler_set_(const int *comm, const int *errhandler, int *ierror);
void mpi_type_extent_(const int *type, int *extent, int *ierror);
void mpi_type_lb_(const int *type, int *displacement, int *ierror);
void mpi_type_ub_(const int *type, int *displacement, int *ierror);
void mpi_type_hindexed_(const int *count, const int *lengths, const int *displacements, const int *type,
                        int *newtype, int *ierror);
void mpi_type_hvector_(const int *count, const int *length, const int *stride, const int *type, int *newtype,
                       int *ierror);
void mpi_type_struct_(const int *count, const int *lengths, const int *displacements, const int *types,
                      int *newtype, int *ierror);

static int removed_raise(int class, const char *text)
{
    int code = class, made;

    if (PMPI_Add_error_code(class, &made) == MPI_SUCCESS && PMPI_Add_error_string(made, text) == MPI_SUCCESS)
        code = made;
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
    return code;
}

/* ierror is absent where a program that includes mpif.h leaves it out. */
static void removed_end(int error, int *ierror)
{
    if (ierror)
        *ierror = error;
}

/* Gives out a value of a call that ended with `error`. */
static void narrow(int error, MPI_Aint wide, const char *text, int *value, int *ierror)
{
    if (!error && (wide < INT_MIN || wide > INT_MAX))
        error = removed_raise(MPI_ERR_ARG, text);
    if (!error)
        *value = (int)wide;
    removed_end(error, ierror);
}

void mpi_address_(void *location, int *address, int *ierror)
{
    MPI_Aint wide = 0;
    int error;

    mpi_get_address_(location, &wide, &error);
    narrow(
        error, wide,
        "MPI_ADDRESS: the address does not fit a default INTEGER; call MPI_GET_ADDRESS, or link with -no-pie",
        address, ierror);
}

void mpi_errhandler_create_(void (*function)(void), int *errhandler, int *ierror)
{
    int error;

    mpi_comm_create_errhandler_(function, errhandler, &error);
    removed_end(error, ierror);
}

void mpi_errhandler_get_(const int *comm, int *errhandler, int *ierror)
{
    int error;

    mpi_comm_get_errhandler_(comm, errhandler, &error);
    removed_end(error, ierror);
}

void mpi_errhandler_set_(const int *comm, const int *errhandler, int *ierror)
{
    int error;

    mpi_comm_set_errhandler_(comm, errhandler, &error);
    removed_end(error, ierror);
}

static int bounds(const int *type, MPI_Aint *lower, MPI_Aint *extent)
{
    int error;

    *lower = *extent = 0;
    mpi_type_get_extent_(type, lower, extent, &error);
    return error;
}

void mpi_type_extent_(const int *type, int *extent, int *ierror)
{
    MPI_Aint lower, wide;
    int error = bounds(type, &lower, &wide);

    narrow(error, wide,
           "MPI_TYPE_EXTENT: the extent does not fit a default INTEGER; call MPI_TYPE_GET_EXTENT", extent,
           ierror);
}

void mpi_type_lb_(const int *type, int *displacement, int *ierror)
{
    MPI_Aint lower, extent;
    int error = bounds(type, &lower, &extent);

    narrow(error, lower, "MPI_TYPE_LB: the bound does not fit a default INTEGER; call MPI_TYPE_GET_EXTENT",
           displacement, ierror);
}

void mpi_type_ub_(const int *type, int *displacement, int *ierror)
{
    MPI_Aint lower, extent;
    int error = bounds(type, &lower, &extent);

    narrow(error, lower + extent,
           "MPI_TYPE_UB: the bound does not fit a default INTEGER; call MPI_TYPE_GET_EXTENT", displacement,
           ierror);
}

/* To be freed. NULL: there are none, or no memory, and then *error says so. */
static MPI_Aint *widened(const int *displacements, int count, int *error)
{
    MPI_Aint *wide = count > 0 ? malloc((size_t)count * sizeof *wide) : NULL;

    *error = MPI_SUCCESS;
    if (count > 0 && !wide)
        *error = removed_raise(MPI_ERR_NO_MEM, "no memory to widen displacements");
    for (int i = 0; wide && i < count; i++)
        wide[i] = displacements[i];
    return wide;
}

void mpi_type_hindexed_(const int *count, const int *lengths, const int *displacements, const int *type,
                        int *newtype, int *ierror)
{
    int error;
    MPI_Aint *wide = widened(displacements, *count, &error);

    if (!error)
        mpi_type_create_hindexed_(count, lengths, wide, type, newtype, &error);
    free(wide);
    removed_end(error, ierror);
}

void mpi_type_hvector_(const int *count, const int *length, const int *stride, const int *type, int *newtype,
                       int *ierror)
{
    MPI_Aint wide = *stride;
    int error;

    mpi_type_create_hvector_(count, length, &wide, type, newtype, &error);
    removed_end(error, ierror);
}

void mpi_type_struct_(const int *count, const int *lengths, const int *displacements, const int *types,
                      int *newtype, int *ierror)
{
    int error;
    MPI_Aint *wide = widened(displacements, *count, &error);

    if (!error)
        mpi_type_create_struct_(count, lengths, wide, types, newtype, &error);
    free(wide);
    removed_end(error, ierror);
}
