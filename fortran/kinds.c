/* MPI_Type_create_f90_real and _complex for compilers that have kinds of REAL below single precision and choose them, as flang
 * does: selected_real_kind(3) is IEEE half there, selected_real_kind(2, 37) bfloat16. The C library knows no type of
 * the one, and external32 has neither (20.1.9). What gfortran has in common with them goes on.
 *
 * The modules and mpif.h are compiled by the program's compiler: there the binding label is one of these names where
 * selected_real_kind(1) is not single precision (gen/fortran_modules.py). */
#include "convert.h"

typedef int create_function(int precision, int range, MPI_Datatype *type);

/* MPI_UNDEFINED, for what does not matter, is below every number of digits. */
static bool is_below_single(int precision, int range)
{
    if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)
        return false;
    return (precision <= 3 && range <= 4) || (precision <= 2 && range <= 37);
}

static int create(create_function *c, int precision, int range, int *type)
{
    MPI_Datatype made;
    int error;

    if (is_below_single(precision, range))
        return fortran_raise(
            MPI_ERR_ARG,
            "MPI_Type_create_f90_real and _complex: this compiler's kind for p and r is below single "
            "precision; ask for p = 4 or more, or name MPI_REAL2 or MPI_COMPLEX4");
    error = c(precision, range, &made);
    if (!error)
        *type = PMPI_Type_toint(made);
    return error;
}

/* ierror is absent in mpi_f08 where the program leaves it out. */
#define CREATE(fortran, c)                                                                                   \
    EXPORTED void fortran##_small_(const int *p, const int *r, int *newtype, int *ierror);                   \
    EXPORTED void fortran##_f08_small_(const int *p, const int *r, int *newtype, int *ierror)                \
        __attribute__((alias(#fortran "_small_")));                                                          \
    void fortran##_small_(const int *p, const int *r, int *newtype, int *ierror)                             \
    {                                                                                                        \
        int error = create(c, *p, *r, newtype);                                                              \
                                                                                                             \
        if (ierror)                                                                                          \
            *ierror = error;                                                                                 \
    }

CREATE(mpi_type_create_f90_real, MPI_Type_create_f90_real)
CREATE(mpi_type_create_f90_complex, MPI_Type_create_f90_complex)
CREATE(pmpi_type_create_f90_real, PMPI_Type_create_f90_real)
CREATE(pmpi_type_create_f90_complex, PMPI_Type_create_f90_complex)
