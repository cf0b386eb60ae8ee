/* abi: bodies of the ABI's inquiries (MPI-5.0 chapter 20). At any time, from any thread.
 *
 * The library's Fortran types are fixed: default kinds have 4 bytes, DOUBLE PRECISION has 8, .TRUE. is 1 and
 * .FALSE. is 0, as in src/datatype. So the set procedures return MPI_ERR_ABI.
 */
#ifndef API_ABI_H
#define API_ABI_H

#include "info/info.h"

int api_abi_get_version(int *major, int *minor);
int api_abi_get_info(struct info **info);
int api_abi_get_fortran_info(struct info **info);
int api_abi_set_fortran_info(struct info *info);
int api_abi_get_fortran_booleans(int size, void *true_value, void *false_value, int *is_set);
int api_abi_set_fortran_booleans(int size, const void *true_value, const void *false_value);

#endif
