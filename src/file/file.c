#include "file/file.h"

struct file file_null = {.object.kind = OBJECT_FILE, .errhandler = &errhandler_return};

static struct file *or_null(struct file *file)
{
    return file ? file : &file_null;
}

int file_set_errhandler(struct file *file, struct errhandler *errhandler)
{
    return errhandler_attach(&or_null(file)->errhandler, OBJECT_FILE, errhandler);
}

int file_get_errhandler(struct file *file, struct errhandler **errhandler)
{
    errhandler_hand_out(&or_null(file)->errhandler, errhandler);
    return MPI_SUCCESS;
}
