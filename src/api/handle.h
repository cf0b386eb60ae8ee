/* handle: from the ABI's handles to objects and back (see object/object.h for what a handle is).
 *
 * handle_find_X gives NULL for MPI_X_NULL and for everything that is not a live X; any value is safe.
 * Predefined handles lie in one small range per kind (MPI-5.0 section 20.3.2): a subtraction, a compare and a
 * load. Predefined communicators are absent outside init and finalize, so that most entry points need no
 * further check.
 */
#ifndef API_HANDLE_H
#define API_HANDLE_H

#include "comm/comm.h"
#include "op/op.h"
#include "request/request.h"

struct matched; /* p2p's */
struct file;

static inline uint64_t handle_word(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}

static inline struct comm *handle_find_comm(MPI_Comm handle)
{
    uint64_t word = handle_word(handle);

    if (word - 0x100 < 8)
        return (struct comm *)object_predefined[word];
    return (struct comm *)pool_find(&comm_pool, word);
}

static inline struct datatype *handle_find_datatype(MPI_Datatype handle)
{
    uint64_t word = handle_word(handle);

    if (word - 0x200 < 0x100)
        return (struct datatype *)object_predefined[word];
    return (struct datatype *)pool_find(&datatype_pool, word);
}

static inline struct op *handle_find_op(MPI_Op handle)
{
    uint64_t word = handle_word(handle);

    if (word - 0x20 < 0x20)
        return (struct op *)object_predefined[word];
    return (struct op *)pool_find(&op_pool, word);
}

static inline struct group *handle_find_group(MPI_Group handle)
{
    uint64_t word = handle_word(handle);

    if (word - 0x108 < 8)
        return (struct group *)object_predefined[word];
    return (struct group *)pool_find(&group_pool, word);
}

static inline struct session *handle_find_session(MPI_Session handle)
{
    return (struct session *)pool_find(&session_pool, handle_word(handle));
}

static inline struct request *handle_find_request(MPI_Request handle)
{
    return (struct request *)pool_find(&request_pool, handle_word(handle));
}

struct matched *handle_find_matched(MPI_Message handle);

/* No file can be opened yet. */
static inline struct file *handle_find_file(MPI_File handle)
{
    (void)handle;
    return NULL;
}

/* These two kinds may be used before MPI_Init: their predefined objects are registered at the first look-up.
 */
struct info *handle_find_info(MPI_Info handle);
struct errhandler *handle_find_errhandler(MPI_Errhandler handle);

/* The handle word of `object` (its first member is a struct object), `null` when there is none. */
static inline void *handle_of(const void *object, void *null)
{
    return object ? (void *)(uintptr_t)object_handle((const struct object *)object) : null;
}

/* The live object of a kind and word, NULL if there is none. */
void *handle_find(enum object_kind kind, uint64_t word);

/* The null handle of a kind. */
uint64_t handle_null(enum object_kind kind);

/* Bodies of MPI_X_toint and MPI_X_fromint. What is no handle of this kind raises the kind's error class and
 * gives 0; what is no such integer gives the null handle after raising. */
int handle_to_int(uint64_t word, enum object_kind kind);
uint64_t handle_from_int(int value, enum object_kind kind);

#endif
