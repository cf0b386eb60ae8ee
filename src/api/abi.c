#include "api/call.h"

#include "datatype/datatype.h"
#include "plain/fail.h"

#include <stdio.h>
#include <string.h>

int api_abi_get_version(int *major, int *minor)
{
    *major = MPI_ABI_VERSION;
    *minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

static int abi_set_size(struct info *info, const char *key, size_t size)
{
    char value[24];

    snprintf(value, sizeof value, "%zu", size);
    return info_set(info, key, value);
}

static int fill_abi_info(struct info *info)
{
    int error = abi_set_size(info, "mpi_aint_size", sizeof(MPI_Aint));

    if (!error)
        error = abi_set_size(info, "mpi_count_size", sizeof(MPI_Count));
    return error ? error : abi_set_size(info, "mpi_offset_size", sizeof(MPI_Offset));
}

/* Makes a new info object and fills it. */
static int new_info(int (*fill)(struct info *info), struct info **info)
{
    struct info *made;
    int error = info_new(&made);

    if (error)
        return error;
    error = fill(made);
    if (error) {
        info_unref(made);
        return error;
    }
    *info = made;
    return MPI_SUCCESS;
}

int api_abi_get_info(struct info **info)
{
    return new_info(fill_abi_info, info);
}

static int fill_fortran_info(struct info *info)
{
    static const struct {
        const char *key;
        MPI_Datatype type;
        bool is_size;
    } row[] = {
        {"mpi_logical_size", MPI_LOGICAL, true},
        {"mpi_integer_size", MPI_INTEGER, true},
        {"mpi_real_size", MPI_REAL, true},
        {"mpi_double_precision_size", MPI_DOUBLE_PRECISION, true},
        {"mpi_logical1_supported", MPI_LOGICAL1, false},
        {"mpi_logical2_supported", MPI_LOGICAL2, false},
        {"mpi_logical4_supported", MPI_LOGICAL4, false},
        {"mpi_logical8_supported", MPI_LOGICAL8, false},
        {"mpi_logical16_supported", MPI_LOGICAL16, false},
        {"mpi_integer1_supported", MPI_INTEGER1, false},
        {"mpi_integer2_supported", MPI_INTEGER2, false},
        {"mpi_integer4_supported", MPI_INTEGER4, false},
        {"mpi_integer8_supported", MPI_INTEGER8, false},
        {"mpi_integer16_supported", MPI_INTEGER16, false},
        {"mpi_real2_supported", MPI_REAL2, false},
        {"mpi_real4_supported", MPI_REAL4, false},
        {"mpi_real8_supported", MPI_REAL8, false},
        {"mpi_real16_supported", MPI_REAL16, false},
        {"mpi_complex4_supported", MPI_COMPLEX4, false},
        {"mpi_complex8_supported", MPI_COMPLEX8, false},
        {"mpi_complex16_supported", MPI_COMPLEX16, false},
        {"mpi_complex32_supported", MPI_COMPLEX32, false},
        {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX, false},
    };

    datatype_init();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct datatype *type = datatype_predefined(row[i].type);
        int error = row[i].is_size ? abi_set_size(info, row[i].key, (size_t)type->size)
                                   : info_set(info, row[i].key, type->supported ? "true" : "false");

        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

int api_abi_get_fortran_info(struct info **info)
{
    return new_info(fill_fortran_info, info);
}

int api_abi_set_fortran_info(struct info *info)
{
    (void)info;
    return fail(MPI_ERR_ABI, "the library knows its Fortran; see MPI_Abi_get_fortran_info");
}

int api_abi_get_fortran_booleans(int size, void *true_value, void *false_value, int *is_set)
{
    if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
        return fail(MPI_ERR_ARG, "logical_size %d is none of 1, 2, 4, 8, 16", size);
    memset(true_value, 0, (size_t)size);
    memset(false_value, 0, (size_t)size);
    /* the lowest byte comes first on the processors that this library runs on */
    *(unsigned char *)true_value = 1;
    *is_set = 1;
    return MPI_SUCCESS;
}

int api_abi_set_fortran_booleans(int size, const void *true_value, const void *false_value)
{
    (void)size;
    (void)true_value;
    (void)false_value;
    return fail(MPI_ERR_ABI, "the library knows its Fortran; see MPI_Abi_get_fortran_booleans");
}
