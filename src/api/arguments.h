/* arguments: the arguments of one call, collected from varargs by its descriptor. For the slow paths of src/api. */
#ifndef API_ARGUMENTS_H
#define API_ARGUMENTS_H

#include "api/call.h"
#include "comm/comm.h"

#include <stdarg.h>
#include <stddef.h>

enum {
    ARGUMENT_LIMIT = 16,
    ARGUMENT_NAME_SIZE = 40
};

struct argument {
    char letter;
    bool by_pointer;   /* a handle behind a pointer */
    bool is_unchecked; /* the body checks that handle; only the pointer is checked here */
    char name[ARGUMENT_NAME_SIZE];
    int64_t number;      /* integers; handles as words, NULL pointers to handles as 0 */
    const void *pointer; /* everything else, and the pointer to a handle */
};

struct arguments {
    char name[ARGUMENT_NAME_SIZE]; /* of the procedure */
    bool any_time;                 /* it may be called before MPI_Init and after MPI_Finalize */
    int count;
    struct argument at[ARGUMENT_LIMIT];
    struct comm *comm; /* the first communicator, NULL if there is no valid one */
};

void arguments_get(struct arguments *a, const char *call, va_list list);

/* The communicator, session or file whose error handler gets the error, or the error handler itself; NULL:
 * MPI_COMM_SELF. */
struct object *arguments_owner(const struct arguments *a);

/* The letters of message buffers. */
extern const char argument_buffers[];

/* What the handles of arguments with this letter are; OBJECT_NONE: they are no handles. */
enum object_kind arguments_kind_of(char letter);

/* Whether argument i is a handle. */
bool arguments_is_handle(const struct argument *arg);

/* Whether a handle is the null one of its kind. */
bool arguments_is_null(const struct argument *arg);

/* The object of a handle; NULL for null and invalid handles. */
void *arguments_find(const struct argument *arg);

/* The error class of the first wrong argument, with a note; 0 if all are right. */
int check_arguments(const struct arguments *a);

/* Formats the call: "MPI_Send(buf=0x7f.., count=-1, ...)"; always terminated. */
void arguments_format(const struct arguments *a, char *text, size_t size);

/* Formats a handle for notes: "MPI_COMM_WORLD", "communicator 'halo'", "request 0x5000...". */
void arguments_format_handle(const struct argument *arg, char *text, size_t size);

#endif
