/* What Fortran passes, and what C takes: the library behind mpif.h, mpi and mpi_f08, libmpifort_abi.
 *
 * It is C over the standard ABI alone: mpi.h, and no symbol of a particular library, so it runs over any library with
 * that ABI (where_table.h says what it looks for in Inkling). It depends on no Fortran compiler either. What it relies on is common to those of Linux: names in lower
 * case with an underscore behind, arguments by reference, lengths of strings behind the arguments, descriptors of
 * BIND(C) (section.h), absent optional arguments as NULL.
 *
 * gen/ writes the procedures (fortran_<chapter>.c) from api/fortran/forms.txt. mpi_send_ calls MPI_Send and pmpi_send_
 * calls PMPI_Send, so that a tool may intercept either language. A row that names a body gets one of the functions that
 * user_functions.h, attributes.h and start.h declare, with the arguments as Fortran passes them.
 *
 * A status is the same eight integers in each language, and predefined handles have the same numbers. */
#ifndef FORTRAN_CONVERT_H
#define FORTRAN_CONVERT_H

#define MPI_INKLING_ALLOW_DEPRECATED
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef FORTRAN_FOREIGN
#include "plain/where_table.h"
#endif
#include "visible.h"

/* Memory for the length of one call: what is small on the stack, the rest from malloc. Arrays of datatypes that C may read
 * until a request completes are all from malloc, and scratch_keep hands them to the request (kept.h). */
struct scratch {
    struct scratch_block *block; /* what malloc gave */
    size_t used;                 /* of near */
    bool failed;                 /* there was no memory; what is taken is NULL then */
    _Alignas(16) char near[1000];
};

static inline void scratch_start(struct scratch *scratch)
{
    scratch->block = NULL;
    scratch->used = 0;
    scratch->failed = false;
}

static inline void scratch_start_kept(struct scratch *scratch)
{
    scratch_start(scratch);
    scratch->used = sizeof scratch->near;
}

void scratch_keep(struct scratch *scratch, int request);

void *scratch_take(struct scratch *scratch, size_t size);
void scratch_free(struct scratch *scratch);
/* Frees, and raises MPI_ERR_NO_MEM. */
int scratch_fail(struct scratch *scratch);

/* Raises an error of this library's own: a code of the class with the text as its string. Returns the code. */
int fortran_raise(int class, const char *text);

/* Handles. Those below 4096 are the ABI's predefined ones, which have the same value in each language (21.4.5). */
#ifdef FORTRAN_FOREIGN /* compiled against another ABI (foreign/), where integers are not the handles */
static inline bool is_predefined(int handle)
{
    (void)handle;
    return false;
}
#else
static inline bool is_predefined(int handle)
{
    return (unsigned)handle < 4096;
}
#endif
static inline MPI_Comm comm_in(int handle)
{
    return is_predefined(handle) ? (MPI_Comm)(intptr_t)handle : PMPI_Comm_fromint(handle);
}
static inline MPI_Group group_in(int handle)
{
    return is_predefined(handle) ? (MPI_Group)(intptr_t)handle : PMPI_Group_fromint(handle);
}
static inline MPI_Datatype datatype_in(int handle)
{
    return is_predefined(handle) ? (MPI_Datatype)(intptr_t)handle : PMPI_Type_fromint(handle);
}
static inline MPI_Op op_in(int handle)
{
    return is_predefined(handle) ? (MPI_Op)(intptr_t)handle : PMPI_Op_fromint(handle);
}
static inline MPI_Errhandler errhandler_in(int handle)
{
    return is_predefined(handle) ? (MPI_Errhandler)(intptr_t)handle : PMPI_Errhandler_fromint(handle);
}
static inline MPI_Info info_in(int handle)
{
    return is_predefined(handle) ? (MPI_Info)(intptr_t)handle : PMPI_Info_fromint(handle);
}
static inline MPI_Request request_in(int handle)
{
    return is_predefined(handle) ? (MPI_Request)(intptr_t)handle : PMPI_Request_fromint(handle);
}
/* The program has called for the request, or started it, from there (plain/where_table.h). Returns the integer of the handle, or 0. */
#ifdef FORTRAN_FOREIGN
int inkling_posted(MPI_Request request, const void *caller); /* of the C library */
static inline int request_mark(MPI_Request request, const void *caller)
{
    return inkling_posted(request, caller);
}
#else
static inline int request_mark(MPI_Request request, const void *caller)
{
    return where_mark((uint64_t)(uintptr_t)request, caller);
}
#endif
static inline int request_posted(MPI_Request request, const void *caller)
{
    int number = request_mark(request, caller);

    return number ? number : PMPI_Request_toint(request);
}
static inline void requests_started(const MPI_Request *request, int64_t count, const void *caller)
{
    for (int64_t i = 0; i < count; i++)
        request_mark(request[i], caller);
}
static inline MPI_Message message_in(int handle)
{
    return is_predefined(handle) ? (MPI_Message)(intptr_t)handle : PMPI_Message_fromint(handle);
}
static inline MPI_Session session_in(int handle)
{
    return is_predefined(handle) ? (MPI_Session)(intptr_t)handle : PMPI_Session_fromint(handle);
}
static inline MPI_Win win_in(int handle)
{
    return is_predefined(handle) ? (MPI_Win)(intptr_t)handle : PMPI_Win_fromint(handle);
}
static inline MPI_File file_in(int handle)
{
    return is_predefined(handle) ? (MPI_File)(intptr_t)handle : PMPI_File_fromint(handle);
}

/* Arrays of handles, in memory of the call's own. NULL if there is none. */
MPI_Datatype *datatypes_in(struct scratch *scratch, const int *handle, MPI_Count count);
MPI_Request *requests_in(struct scratch *scratch, const int *handle, MPI_Count count);
MPI_Info *infos_in(struct scratch *scratch, const int *handle, MPI_Count count);
void requests_out(const MPI_Request *request, int *handle, MPI_Count count, uint64_t mark);
/* Room for results. datatypes_out leaves out those that the call has not set. */
MPI_Datatype *datatypes_room(struct scratch *scratch, MPI_Count count);
void datatypes_out(const MPI_Datatype *type, int *handle, MPI_Count count);

/* How many processes a collective sends to and receives from, as arrays with one element for each have it. */
int peers_of(MPI_Comm comm);
int neighbors_to(MPI_Comm comm);
int neighbors_from(MPI_Comm comm);
int cart_dims(MPI_Comm comm);

/* Constant addresses: variables of Fortran's COMMON blocks, which have another address in C. Inline where messages pay for it. */
#ifdef FORTRAN_FOREIGN
#include <sentinels.h>
#else
extern EXPORTED int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_;
#endif
#ifndef HAS_F08_CONSTANTS /* which MPICH's mpi_f08 has; else it has those of mpif.h */
#define mpi_f08_bottom_           mpi_fortran_bottom_
#define mpi_f08_in_place_         mpi_fortran_in_place_
#define mpi_f08_buffer_automatic_ mpi_fortran_buffer_automatic_
#define mpi_f08_status_ignore_    (*mpi_fortran_status_ignore_)
#define mpi_f08_statuses_ignore_  (*mpi_fortran_statuses_ignore_)
#define mpi_f08_errcodes_ignore_  mpi_fortran_errcodes_ignore_
#define mpi_f08_unweighted_       mpi_fortran_unweighted_
#define mpi_f08_weights_empty_    mpi_fortran_weights_empty_
#define mpi_f08_argv_null_        mpi_fortran_argv_null_
#define mpi_f08_argvs_null_       mpi_fortran_argvs_null_
#endif
static inline bool is_either(const void *address, const void *constant, const void *f08_constant)
{
    return address == constant || address == f08_constant;
}
static inline void *address_in(void *buffer)
{
    if (is_either(buffer, &mpi_fortran_in_place_, &mpi_f08_in_place_))
        return MPI_IN_PLACE;
    if (is_either(buffer, &mpi_fortran_bottom_, &mpi_f08_bottom_))
        return MPI_BOTTOM;
    return is_either(buffer, &mpi_fortran_buffer_automatic_, &mpi_f08_buffer_automatic_)
               ? MPI_BUFFER_AUTOMATIC
               : buffer;
}
MPI_Status *status_in(MPI_Status *status);
MPI_Status *statuses_in(MPI_Status *statuses);
int *weights_in(const int *weights);
int *errcodes_in(int *codes);
bool is_argv_null(const char *argv);

/* LOGICAL, by the values that the ABI's MPI_Abi_get_fortran_booleans gives. */
extern int fortran_true, fortran_false;
static inline int logical_in(int logical)
{
    return logical != fortran_false;
}
static inline int logical_out(int flag)
{
    return flag ? fortran_true : fortran_false;
}
int *logicals_in(struct scratch *scratch, const int *logical, int count);
/* Room for results; those that the call has not set are left out of logicals_out. */
int *logicals_room(struct scratch *scratch, int count);
void logicals_out(const int *flag, int *logical, int count);

/* Strings: blanks behind are dropped on the way in, and added on the way out. */
char *text_in(struct scratch *scratch, const char *text, size_t length);
/* Without the blanks before it too: keys and values of info objects (11), commands and arguments (12.8.2). Those before names and
 * whatever else are significant. */
char *text_between_in(struct scratch *scratch, const char *text, size_t length);
void text_out(const char *from, char *text, size_t length);

/* Indices count from 1. */
static inline int index_out(int index)
{
    return index == MPI_UNDEFINED ? index : index + 1;
}
void indices_out(int *index, int count);

#endif
