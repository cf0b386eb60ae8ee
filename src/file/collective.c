#include "file/collective.h"

#include "file/independent.h"

int collective_move(struct file *file, struct file_access *access, int error)
{
    (void)file;
    return error ? error : independent_move(access);
}
