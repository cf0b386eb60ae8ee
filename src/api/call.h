/* call: what an entry point does when something is wrong.
 *
 * gen/ makes each entry point small: decode the handles, a few comparisons, the body, encode the results.
 * Everything that happens on an error is out of line here. It works from a descriptor and from the arguments
 * of the call, which are passed once more as varargs:
 *
 *   call_refuse       A comparison failed. Finds the wrong argument, notes it and raises the error. The comparisons
 *                     may be too strict: if all arguments are right, it returns MPI_SUCCESS and the call goes on.
 *   call_raise        The body returned an error class.
 *   call_unsupported  The procedure is not written yet.
 *
 * They return what the entry point returns. The error handler is that of the object that the call refers to
 * (MPI-5.0 section 9.3): for a procedure on files that of MPI_FILE_NULL; else of its first communicator; else
 * of the owner of its request; else of its session or of its group's session; else that of errors without an
 * object (raise.h). A body that knows better says so through object/errhandler.c.
 *
 * The descriptor is one string, so that it needs no relocation:
 *
 *     "MPI_Send bnDdtC buf,count,datatype,dest,tag,comm"
 *
 * It has the name, the kinds of the parameters, and their names. A * before the name says that the procedure
 * may be called before MPI_Init and after MPI_Finalize. The letters of the kinds:
 *
 *   b  buffer
 *   p  buffer that may be MPI_IN_PLACE
 *   q  buffer that may be MPI_IN_PLACE at the root
 *   r  buffer that is significant only at the root
 *   x  buffer that is not significant on rank 0, unless the other one is MPI_IN_PLACE
 *   o  e  buffer of items for all neighbours, from all neighbours
 *   n  N  count (int, MPI_Count)
 *   k  K  array of counts, one per rank (int, MPI_Count)
 *   h  H  the same, one per local rank
 *   v  array of displacements, one per rank
 *   Y  array of datatypes, one per rank
 *   d  destination    s  source    R  root    t  tag    T  tag or MPI_ANY_TAG
 *   i  L  other integer (int, 64 bits)
 *   C  comm   G  group   D  datatype   O  op   E  errhandler   Q  request   M  message   S  session   W  win
 *   I  info   J  info or MPI_INFO_NULL   F  file   A  file or MPI_FILE_NULL
 *      With & before it a pointer to one, with + a pointer to one that the body checks.
 *   *  pointer that must not be NULL    "  string    .  pointer that nobody checks
 *   a  array of as many elements as the integer before it says
 *   u  memory of one item of the datatype behind it    y  the same, which is not significant with MPI_NO_OP
 *
 * A count and a datatype belong to the buffers before them, back to the previous such pair. They are checked
 * where one of these buffers is.
 */
#ifndef API_CALL_H
#define API_CALL_H

#include "comm/comm.h"
#include "file/file.h"
#include "info/info.h"
#include "object/object.h"
#include "win/win.h"

int call_refuse(const char *call, ...) __attribute__((cold));
int call_raise(int error, const char *call, ...) __attribute__((cold));
int call_unsupported(const char *call, ...) __attribute__((cold));

/* abi: bodies of the ABI's inquiries (MPI-5.0 chapter 20). At any time, from any thread.
 *
 * The library's Fortran types are fixed: default kinds have 4 bytes, DOUBLE PRECISION has 8, .TRUE. is 1 and
 * .FALSE. is 0, as in src/datatype. So the set procedures return MPI_ERR_ABI.
 */

int api_abi_get_version(int *major, int *minor);
int api_abi_get_info(struct info **info);
int api_abi_get_fortran_info(struct info **info);
int api_abi_set_fortran_info(struct info *info);
int api_abi_get_fortran_booleans(int size, void *true_value, void *false_value, int *is_set);
int api_abi_set_fortran_booleans(int size, const void *true_value, const void *false_value);

/* call_errhandler: bodies of the error handler procedures (MPI-5.0 sections 9.3 and 9.5). */

int call_errhandler_of_comm(struct comm *comm, int code);
int call_errhandler_of_file(struct file *file, int code);
int call_errhandler_of_win(struct win *win, int code);
int call_errhandler_of_session(struct session *session, int code);

#endif
