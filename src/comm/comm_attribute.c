/* Attributes of communicators: the predefined ones, and the program's own in object/attribute.h. */
#include "boot/boot.h"
#include "comm/comm.h"
#include "net/net.h"
#include "object/error.h"

#include <limits.h>

/* The values of the predefined attributes. The program gets their addresses, so they stay valid and unchanged
 * (except error_last_used). */
static int tag_ub = INT_MAX;
static int host = MPI_PROC_NULL;
static int io = MPI_ANY_SOURCE; /* every process can do the input and output of its language */
static int yes = 1, no = 0;

/* The predefined attribute of this key on this communicator; NULL: it has none. */
static int *predefined_value(const struct comm *c, int keyval)
{
    if (keyval == MPI_TAG_UB)
        return &tag_ub;
    if (c != &comm_world)
        return NULL;
    switch (keyval) {
    case MPI_HOST:
        return &host;
    case MPI_IO:
        return &io;
    case MPI_WTIME_IS_GLOBAL:
        return boot.all_local ? &yes : &no; /* the processes of a host share its clock */
    case MPI_APPNUM:
        return boot.appnum < 0 ? NULL : &boot.appnum;
    case MPI_UNIVERSE_SIZE:
        return boot.universe_size < 0 ? NULL : &boot.universe_size;
    case MPI_LASTUSEDCODE:
        return &error_last_used;
    case MPIX_FT:
        return net_survives() ? &yes : &no;
    default:
        return NULL;
    }
}

int comm_get_attribute(struct comm *c, int keyval, void **value, int *found)
{
    int *predefined;

    if ((keyval < MPI_TAG_UB || keyval > MPI_UNIVERSE_SIZE) && keyval != MPIX_FT)
        return attribute_get_value(&c->attributes, OBJECT_COMM, keyval, value, found);
    predefined = predefined_value(c, keyval);
    *found = predefined != NULL;
    if (predefined)
        *value = predefined;
    return MPI_SUCCESS;
}

int comm_set_attribute(struct comm *c, int keyval, void *value)
{
    return attribute_set_value(&c->attributes, OBJECT_COMM, comm_handle(c), keyval, value);
}

int comm_delete_attribute(struct comm *c, int keyval)
{
    return attribute_delete(&c->attributes, OBJECT_COMM, comm_handle(c), keyval);
}
