/* ranks: 2 */
/* Objects that callbacks of attributes free are no leaks: of each kind, one inside of another, and what MPI_Finalize frees by MPI_COMM_SELF's. */
#include "program.h"

struct kept {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win win;
    MPI_Op op;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_File file;
    int key;
};

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static void judge(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
}

static void keep(struct kept *kept, int key, const char *file)
{
    MPI_Comm_dup(MPI_COMM_SELF, &kept->comm);
    MPI_Comm_set_attr(kept->comm, key, NULL);
    MPI_Type_dup(MPI_INT, &kept->type);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &kept->win);
    MPI_Op_create(add, 1, &kept->op);
    MPI_Comm_group(MPI_COMM_WORLD, &kept->group);
    MPI_Info_create(&kept->info);
    MPI_Comm_create_errhandler(judge, &kept->handler);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &kept->key, NULL);
    MPI_File_open(MPI_COMM_SELF, file, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &kept->file);
}

static int let_go(MPI_Comm comm, int key, void *value, void *extra)
{
    struct kept *kept = value;

    (void)comm;
    (void)key;
    (void)extra;
    if (!kept) /* of the inner one */
        return MPI_SUCCESS;
    MPI_Comm_free(&kept->comm);
    MPI_Type_free(&kept->type);
    MPI_Win_free(&kept->win);
    MPI_Op_free(&kept->op);
    MPI_Group_free(&kept->group);
    MPI_Info_free(&kept->info);
    MPI_Errhandler_free(&kept->handler);
    MPI_Comm_free_keyval(&kept->key);
    return MPI_File_close(&kept->file);
}

int main(void)
{
    struct kept kept[3];
    MPI_Comm comm;
    int key;

    begin();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_go, &key, NULL);
    keep(&kept[0], key, rank ? "kept.1" : "kept.0");
    keep(&kept[1], key, rank ? "kept.3" : "kept.2");
    keep(&kept[2], key, rank ? "kept.5" : "kept.4");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, &kept[0]);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_set_attr(comm, key, &kept[1]);
    MPI_Comm_free(&comm);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &kept[2]);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
