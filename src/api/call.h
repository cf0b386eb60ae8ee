/* call: what an entry point knows about itself, and what it does when something is wrong.
 *
 * gen/ makes each entry point small: decode the handles, a few compares, the body, encode the results. All
 * that happens on an error is out of line here and works from a descriptor and the call's own arguments,
 * passed once more as varargs:
 *
 *   call_refuse       a compare failed: finds the wrong argument, notes it and raises. The compares may be too
 *                     strict; when all is well after all it returns MPI_SUCCESS and the call goes on.
 *   call_raise        the body returned an error class.
 *   call_unsupported  the procedure is not written yet.
 *
 * They return what the entry point returns. The error goes to the handler of the object that the call refers
 * to (MPI-5.0 section 9.3): of a procedure on files MPI_FILE_NULL; else its first communicator; else the
 * owner of its request; else its session or that of its group; else MPI_COMM_SELF; outside the World Model
 * the initial error handler. A body that knows better says so: object/blame.h.
 *
 * The descriptor is one string, so that it needs no relocation:
 *
 *     "MPI_Send bnDdtC buf,count,datatype,dest,tag,comm"
 *
 * It has the name (after a * if the procedure may be called before MPI_Init and after MPI_Finalize), the kinds of the
 * parameters, and their names. The letters of the kinds:
 *
 *   b  buffer
 *   p  ... where MPI_IN_PLACE is legal
 *   q  ... at the root
 *   r  ... that counts at the root only
 *   o  e  buffer of items for all neighbours, from all neighbours
 *   n  N  count (int, MPI_Count)
 *   k  K  array of counts, one per rank
 *   h  H  the same, one per local rank
 *   v  array of displacements, one per rank
 *   Y  array of datatypes, one per rank
 *   d  destination    s  source    R  root    t  tag    T  tag or MPI_ANY_TAG
 *   i  L  other integer (int, 64 bits)
 *   C  comm   G  group   D  datatype   O  op   E  errhandler   Q  request   M  message   S  session   W  win
 *   I  info   J  info or MPI_INFO_NULL   F  file   A  file or MPI_FILE_NULL
 *      With & before it a pointer to one, with + one that the body checks.
 *   *  pointer that must not be NULL    "  string    .  pointer that nobody checks
 *   a  array of as many elements as the count before it says
 *
 * A count and a datatype belong to the buffers before them up to the previous such pair; they are looked at
 * where one of these buffers is.
 */
#ifndef API_CALL_H
#define API_CALL_H

#include "object/object.h"

int call_refuse(const char *call, ...) __attribute__((cold));
int call_raise(int error, const char *call, ...) __attribute__((cold));
int call_unsupported(const char *call, ...) __attribute__((cold));

#endif
