#include "object/error.h"

#include "base/lock.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct predefined {
    const char *name, *text;
};

#define ERROR(name, text) [MPI_##name] = {"MPI_" #name, text}

static const struct predefined mpi_errors[] = {
    ERROR(SUCCESS, "no error"),
    ERROR(ERR_BUFFER, "invalid buffer pointer"),
    ERROR(ERR_COUNT, "invalid count"),
    ERROR(ERR_TYPE, "invalid datatype"),
    ERROR(ERR_TAG, "invalid tag"),
    ERROR(ERR_COMM, "invalid communicator"),
    ERROR(ERR_RANK, "invalid rank"),
    ERROR(ERR_REQUEST, "invalid request"),
    ERROR(ERR_ROOT, "invalid root"),
    ERROR(ERR_GROUP, "invalid group"),
    ERROR(ERR_OP, "invalid operation"),
    ERROR(ERR_TOPOLOGY, "invalid topology"),
    ERROR(ERR_DIMS, "invalid dimension"),
    ERROR(ERR_ARG, "invalid argument of some other kind"),
    ERROR(ERR_UNKNOWN, "unknown error"),
    ERROR(ERR_TRUNCATE, "message truncated on receive"),
    ERROR(ERR_OTHER, "known error not in the list of classes"),
    ERROR(ERR_INTERN, "internal error of the MPI library"),
    ERROR(ERR_PENDING, "pending request"),
    ERROR(ERR_IN_STATUS, "the error codes are in the statuses"),
    ERROR(ERR_ACCESS, "permission denied"),
    ERROR(ERR_AMODE, "invalid access mode for opening a file"),
    ERROR(ERR_ASSERT, "invalid assertion"),
    ERROR(ERR_BAD_FILE, "invalid file name"),
    ERROR(ERR_BASE, "invalid base address for freeing memory"),
    ERROR(ERR_CONVERSION, "error in a data conversion function of the program"),
    ERROR(ERR_DISP, "invalid displacement"),
    ERROR(ERR_DUP_DATAREP, "the data representation is already defined"),
    ERROR(ERR_FILE_EXISTS, "the file exists"),
    ERROR(ERR_FILE_IN_USE, "the file is open in some process"),
    ERROR(ERR_FILE, "invalid file handle"),
    ERROR(ERR_INFO_KEY, "the info key is longer than MPI_MAX_INFO_KEY allows"),
    ERROR(ERR_INFO_NOKEY, "no such key in the info object"),
    ERROR(ERR_INFO_VALUE, "the info value is longer than MPI_MAX_INFO_VAL allows"),
    ERROR(ERR_INFO, "invalid info object"),
    ERROR(ERR_IO, "other input/output error"),
    ERROR(ERR_KEYVAL, "invalid attribute key"),
    ERROR(ERR_LOCKTYPE, "invalid lock type"),
    ERROR(ERR_NAME, "no such published service name"),
    ERROR(ERR_NO_MEM, "memory is exhausted"),
    ERROR(ERR_NOT_SAME, "collective argument or call not the same on all processes"),
    ERROR(ERR_NO_SPACE, "not enough space"),
    ERROR(ERR_NO_SUCH_FILE, "the file does not exist"),
    ERROR(ERR_PORT, "invalid port name"),
    ERROR(ERR_QUOTA, "quota exceeded"),
    ERROR(ERR_READ_ONLY, "read-only file or file system"),
    ERROR(ERR_RMA_ATTACH, "memory cannot be attached to the window"),
    ERROR(ERR_RMA_CONFLICT, "conflicting accesses to the window"),
    ERROR(ERR_RMA_RANGE, "target memory is not part of the window"),
    ERROR(ERR_RMA_SHARED, "memory cannot be shared"),
    ERROR(ERR_RMA_SYNC, "wrong synchronization of one-sided calls"),
    ERROR(ERR_SERVICE, "no such service name to unpublish"),
    ERROR(ERR_SIZE, "invalid size"),
    ERROR(ERR_SPAWN, "processes could not be spawned"),
    ERROR(ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    ERROR(ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    ERROR(ERR_WIN, "invalid window"),
    ERROR(ERR_RMA_FLAVOR, "the window has the wrong flavor for this call"),
    ERROR(ERR_PROC_ABORTED, "a peer process has aborted"),
    ERROR(ERR_VALUE_TOO_LARGE, "the value is too large to store"),
    ERROR(ERR_SESSION, "invalid session"),
    ERROR(ERR_ERRHANDLER, "invalid error handler"),
    ERROR(ERR_ABI, "error of the application binary interface"),
};

#define TOOL_ERROR(name, text) [MPI_T_##name - MPI_T_ERR_CANNOT_INIT] = {"MPI_T_" #name, text}

static const struct predefined tool_errors[] = {
    TOOL_ERROR(ERR_CANNOT_INIT, "the tool interface cannot be initialized"),
    TOOL_ERROR(ERR_NOT_ACCESSIBLE, "the tool interface is not accessible now"),
    TOOL_ERROR(ERR_NOT_INITIALIZED, "the tool interface is not initialized"),
    TOOL_ERROR(ERR_NOT_SUPPORTED, "not supported by the tool interface"),
    TOOL_ERROR(ERR_MEMORY, "memory is exhausted"),
    TOOL_ERROR(ERR_INVALID, "invalid argument or use"),
    TOOL_ERROR(ERR_INVALID_INDEX, "invalid index"),
    TOOL_ERROR(ERR_INVALID_ITEM, "invalid item index"),
    TOOL_ERROR(ERR_INVALID_SESSION, "invalid tool session"),
    TOOL_ERROR(ERR_INVALID_HANDLE, "invalid handle"),
    TOOL_ERROR(ERR_INVALID_NAME, "no such name"),
    TOOL_ERROR(ERR_OUT_OF_HANDLES, "no more handles"),
    TOOL_ERROR(ERR_OUT_OF_SESSIONS, "no more tool sessions"),
    TOOL_ERROR(ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set now"),
    TOOL_ERROR(ERR_CVAR_SET_NEVER, "the control variable cannot be set"),
    TOOL_ERROR(ERR_PVAR_NO_WRITE, "the performance variable cannot be written"),
    TOOL_ERROR(ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped"),
    TOOL_ERROR(ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and reset at once"),
};

#define EXTENSION_ERROR(name, text) [MPIX_##name - MPIX_ERR_PROC_FAILED] = {"MPIX_" #name, text}

static const struct predefined extension_errors[] = {
    EXTENSION_ERROR(ERR_PROC_FAILED, "a process that the operation needs has failed"),
    EXTENSION_ERROR(ERR_PROC_FAILED_PENDING,
                    "a process that could have sent has failed; the request is still pending"),
    EXTENSION_ERROR(ERR_REVOKED, "the communicator has been revoked"),
};

static const struct predefined last_code = {"MPI_ERR_LASTCODE", "last error code"};

enum {
    MPI_ERRORS = sizeof mpi_errors / sizeof *mpi_errors,
    TOOL_ERRORS = sizeof tool_errors / sizeof *tool_errors,
    EXTENSION_ERRORS = sizeof extension_errors / sizeof *extension_errors
};

/* A number that the program added: FIRST_ADDED + its index in `added`. */
enum {
    FIRST_ADDED = MPI_ERR_LASTCODE + 1
};

struct added {
    int error_class; /* the class of a code, itself for a class; 0: the number is free */
    int codes;       /* of a class: how many codes it has */
    char *text;      /* owned; NULL: none */
};

/* Guards everything below. */
static struct lock lock = LOCK_INIT;
static struct added *added;
static int capacity;   /* of added */
static int free_below; /* no number below this index is free */

int error_last_used = MPI_ERR_LASTCODE;

static const struct predefined *predefined_find(int code)
{
    if (code >= 0 && code < MPI_ERRORS)
        return &mpi_errors[code];
    if (code >= MPI_T_ERR_CANNOT_INIT && code < MPI_T_ERR_CANNOT_INIT + TOOL_ERRORS)
        return &tool_errors[code - MPI_T_ERR_CANNOT_INIT];
    if (code >= MPIX_ERR_PROC_FAILED && code < MPIX_ERR_PROC_FAILED + EXTENSION_ERRORS)
        return &extension_errors[code - MPIX_ERR_PROC_FAILED];
    return code == MPI_ERR_LASTCODE ? &last_code : NULL;
}

const char *error_name(int error_class)
{
    const struct predefined *p = predefined_find(error_class);

    return p ? p->name : NULL;
}

/* The live entry of a number, NULL if the program has not added it. Caller holds the lock. */
static struct added *added_find(int code)
{
    int i = code - FIRST_ADDED;

    return code >= FIRST_ADDED && i < capacity && added[i].error_class ? &added[i] : NULL;
}

/* Takes the lowest free number for a class (error_class 0) or a code. Caller holds the lock. */
static int take_number(int error_class, int *number)
{
    int i = free_below;

    while (i < capacity && added[i].error_class)
        i++;
    if (i == capacity) {
        int more = capacity ? 2 * capacity : 64;
        struct added *grown = realloc(added, (size_t)more * sizeof *added);

        if (!grown)
            return fail(MPI_ERR_NO_MEM, "no memory for an error class or code");
        memset(grown + capacity, 0, (size_t)(more - capacity) * sizeof *added);
        added = grown;
        capacity = more;
    }
    free_below = i + 1;
    *number = FIRST_ADDED + i;
    added[i] = (struct added){.error_class = error_class ? error_class : *number};
    if (*number > error_last_used)
        error_last_used = *number;
    return MPI_SUCCESS;
}

/* Caller holds the lock. */
static void give_number(struct added *a)
{
    int i = (int)(a - added);

    *a = (struct added){0};
    if (i < free_below)
        free_below = i;
    while (error_last_used > MPI_ERR_LASTCODE && !added_find(error_last_used))
        error_last_used--;
}

int error_add_class(int *error_class)
{
    int error;

    lock_always_take(&lock);
    error = take_number(0, error_class);
    lock_always_release(&lock);
    return error;
}

/* Whether the number is a class, predefined or added. Caller holds the lock. */
static int is_class(int error_class)
{
    struct added *a = added_find(error_class);

    return a ? a->error_class == error_class : predefined_find(error_class) != NULL;
}

int error_add_code(int error_class, int *code)
{
    int error;

    lock_always_take(&lock);
    if (!is_class(error_class))
        error = fail(MPI_ERR_ARG, "%d is no error class", error_class);
    else
        error = take_number(error_class ? error_class : MPI_ERR_OTHER, code);
    if (!error && added_find(error_class))
        added_find(error_class)->codes++;
    lock_always_release(&lock);
    return error;
}

/* Caller holds the lock. */
static int check_class_removal(int error_class)
{
    struct added *a = added_find(error_class);

    if (!a || a->error_class != error_class)
        return fail(MPI_ERR_ARG, "%d is no error class that MPI_Add_error_class made", error_class);
    if (a->codes)
        return fail(MPI_ERR_ARG, "error class %d still has %d codes: remove them first", error_class,
                    a->codes);
    if (a->text)
        return fail(MPI_ERR_ARG, "error class %d still has a string: remove it first", error_class);
    return MPI_SUCCESS;
}

int error_remove_class(int error_class)
{
    int error;

    lock_always_take(&lock);
    error = check_class_removal(error_class);
    if (!error)
        give_number(added_find(error_class));
    lock_always_release(&lock);
    return error;
}

/* Caller holds the lock. */
static int check_code_removal(int code)
{
    struct added *a = added_find(code);

    if (!a || a->error_class == code)
        return fail(MPI_ERR_ARG, "%d is no error code that MPI_Add_error_code made", code);
    if (a->text)
        return fail(MPI_ERR_ARG, "error code %d still has a string: remove it first", code);
    return MPI_SUCCESS;
}

int error_remove_code(int code)
{
    struct added *owner;
    int error;

    lock_always_take(&lock);
    error = check_code_removal(code);
    if (!error) {
        owner = added_find(added_find(code)->error_class);
        if (owner)
            owner->codes--;
        give_number(added_find(code));
    }
    lock_always_release(&lock);
    return error;
}

/* Replaces the text of a number by `text`, which it then owns. Returns the old text; the caller frees it. */
static int swap_text(int code, char *text, char **old)
{
    struct added *a;
    int error = MPI_SUCCESS;

    lock_always_take(&lock);
    a = added_find(code);
    if (!a) {
        error = fail(MPI_ERR_ARG, "%d is no error class or code that the program has added", code);
    } else if (!text && !a->text) {
        error = fail(MPI_ERR_ARG, "%d has no error string", code);
    } else {
        *old = a->text;
        a->text = text;
    }
    lock_always_release(&lock);
    return error;
}

int error_add_string(int code, const char *text)
{
    char *copy, *old = NULL;
    int error;

    if (strlen(text) >= MPI_MAX_ERROR_STRING)
        return fail(MPI_ERR_ARG, "the error string has %zu characters; MPI_MAX_ERROR_STRING allows %d",
                    strlen(text), MPI_MAX_ERROR_STRING - 1);
    copy = strdup(text);
    if (!copy)
        return fail(MPI_ERR_NO_MEM, "no memory for an error string");
    error = swap_text(code, copy, &old);
    free(error ? copy : old);
    return error;
}

int error_remove_string(int code)
{
    char *old = NULL;
    int error = swap_text(code, NULL, &old);

    free(old);
    return error;
}

int error_get_class(int code, int *error_class)
{
    struct added *a;
    int found = code;

    lock_always_take(&lock);
    a = added_find(code);
    if (a)
        found = a->error_class;
    lock_always_release(&lock);
    if (!a && !predefined_find(code))
        return fail(MPI_ERR_ARG, "%d is no error code", code);
    *error_class = found;
    return MPI_SUCCESS;
}

int error_get_string(int code, char *text, int *length)
{
    const struct predefined *p = predefined_find(code);
    struct added *a;

    if (p) {
        bool noted = code && fail_class() == code;

        snprintf(text, MPI_MAX_ERROR_STRING, "%s: %s%s%s", p->name, p->text, noted ? ": " : "",
                 noted ? fail_note() : "");
        *length = (int)strlen(text);
        return MPI_SUCCESS;
    }
    lock_always_take(&lock);
    a = added_find(code);
    if (a) {
        snprintf(text, MPI_MAX_ERROR_STRING, "%s", a->text ? a->text : "");
        *length = (int)strlen(text);
    }
    lock_always_release(&lock);
    return a ? MPI_SUCCESS : fail(MPI_ERR_ARG, "%d is no error code", code);
}
