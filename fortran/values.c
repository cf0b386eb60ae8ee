/* Constant addresses, logicals, strings and indices. */
#include "convert.h"
#include "visible.h"

#include <string.h>

/* The COMMON blocks. Those of the program, where it has any, take the place of these: one address in the process.
 * Compilers align theirs to up to 32 bytes. */
#ifndef FORTRAN_FOREIGN
_Alignas(32) EXPORTED int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_;
_Alignas(32) EXPORTED int mpi_fortran_status_ignore_[8], mpi_fortran_statuses_ignore_[8];
_Alignas(32) EXPORTED int mpi_fortran_errcodes_ignore_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_;
_Alignas(32) EXPORTED char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
#endif

int fortran_true = 1, fortran_false;

MPI_Status *status_in(MPI_Status *status)
{
    return is_either(status, mpi_fortran_status_ignore_, &mpi_f08_status_ignore_) ? MPI_STATUS_IGNORE
                                                                                  : status;
}

MPI_Status *statuses_in(MPI_Status *statuses)
{
    return is_either(statuses, mpi_fortran_statuses_ignore_, &mpi_f08_statuses_ignore_) ? MPI_STATUSES_IGNORE
                                                                                        : statuses;
}

int *weights_in(const int *weights)
{
    if (is_either(weights, &mpi_fortran_unweighted_, &mpi_f08_unweighted_))
        return MPI_UNWEIGHTED;
    if (is_either(weights, &mpi_fortran_weights_empty_, &mpi_f08_weights_empty_))
        return MPI_WEIGHTS_EMPTY;
    return (int *)(intptr_t)weights;
}

int *errcodes_in(int *codes)
{
    return is_either(codes, &mpi_fortran_errcodes_ignore_, &mpi_f08_errcodes_ignore_) ? MPI_ERRCODES_IGNORE
                                                                                      : codes;
}

bool is_argv_null(const char *argv)
{
    return is_either(argv, &mpi_fortran_argv_null_, &mpi_f08_argv_null_) ||
           is_either(argv, &mpi_fortran_argvs_null_, &mpi_f08_argvs_null_);
}

int *logicals_in(struct scratch *scratch, const int *logical, int count)
{
    int *flag = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *flag) : NULL;

    for (int i = 0; flag && i < count; i++)
        flag[i] = logical_in(logical[i]);
    return flag;
}

int *logicals_room(struct scratch *scratch, int count)
{
    int *flag = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *flag) : NULL;

    for (int i = 0; flag && i < count; i++)
        flag[i] = -1;
    return flag;
}

void logicals_out(const int *flag, int *logical, int count)
{
    for (int i = 0; flag && i < count; i++)
        if (flag[i] >= 0)
            logical[i] = logical_out(flag[i]);
}

char *text_in(struct scratch *scratch, const char *text, size_t length)
{
    char *copy;

    while (length && text[length - 1] == ' ')
        length--;
    copy = scratch_take(scratch, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *text_between_in(struct scratch *scratch, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    return text_in(scratch, text, length);
}

void text_out(const char *from, char *text, size_t length)
{
    size_t used = strnlen(from, length);

    memcpy(text, from, used);
    memset(text + used, ' ', length - used);
}

void indices_out(int *index, int count)
{
    for (int i = 0; i < count; i++)
        index[i]++;
}
