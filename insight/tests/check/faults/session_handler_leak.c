/* ranks: 1  fault: leak */
#include "session.h"

static void handle(MPI_Session *s, int *code, ...)
{
    (void)s;
    (void)code;
}

int main(void)
{
    MPI_Errhandler handler;

    begin_session();
    MPI_Session_create_errhandler(handle, &handler); /* FAULT */
    end_session();
    return 0;
}
