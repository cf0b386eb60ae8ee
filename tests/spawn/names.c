/* names: publishes and looks up names, as its arguments say, in order. Rank 0 does so; the others wait for
 * it.
 *
 *     publish NAME PORT   unpublish NAME PORT   lookup NAME: each prints "NAME: PORT", or the class of the error
 *     scope WORD          of what follows
 *     ready FILE          creates FILE
 *     await FILE          waits until it is there
 *     abort               ends the job
 */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

static MPI_Info info = MPI_INFO_NULL;

static void tell(const char *name, int code, const char *port)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    CHECK_EQ(MPI_Error_class(code, &class), MPI_SUCCESS);
    CHECK_EQ(MPI_Error_string(class, text, &length), MPI_SUCCESS);
    text[strcspn(text, ":")] = 0;
    printf("%s: %s\n", name, code ? text : port);
    fflush(stdout);
}

static int act(char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "untouched";

    if (strcmp(argv[0], "publish") == 0) {
        tell(argv[1], MPI_Publish_name(argv[1], info, argv[2]), argv[2]);
        return 3;
    }
    if (strcmp(argv[0], "unpublish") == 0) {
        tell(argv[1], MPI_Unpublish_name(argv[1], info, argv[2]), argv[2]);
        return 3;
    }
    if (strcmp(argv[0], "lookup") == 0) {
        int code = MPI_Lookup_name(argv[1], info, port);

        CHECK(!code || strcmp(port, "untouched") == 0);
        tell(argv[1], code, port);
    } else if (strcmp(argv[0], "scope") == 0) {
        CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_set(info, "inkling_name_scope", argv[1]), MPI_SUCCESS);
    } else if (strcmp(argv[0], "ready") == 0) {
        close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    } else if (strcmp(argv[0], "await") == 0) {
        while (access(argv[1], F_OK))
            usleep(5000);
    } else {
        CHECK_STR(argv[0], "abort");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return 2;
}

int main(int argc, char **argv)
{
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    for (int i = 1; i < argc && rank == 0;)
        i += act(argv + i);
    if (info != MPI_INFO_NULL)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
