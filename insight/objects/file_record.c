#include "insight/objects/file_record.h"

/* MPI_File_close has a pointer, and sets the handle to null. */
struct file_record *file_check_of(const struct intercept *call)
{
    int64_t handle =
        call->procedure->family == FAMILY_FILE_CLOSE ? call->saved[0] : intercept_argument(call, AT_FILE);

    return tracked_find(TRACKED_FILE, (uint64_t)handle);
}

struct comm_record *file_check_comm(const struct intercept *call)
{
    struct file_record *file = file_check_of(call);

    return file ? &file->comm : NULL;
}
