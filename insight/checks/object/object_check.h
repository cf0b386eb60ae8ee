/* object_check: objects that the program made and left behind when it calls MPI_Finalize. */
#ifndef INSIGHT_CHECKS_OBJECT_OBJECT_CHECK_H
#define INSIGHT_CHECKS_OBJECT_OBJECT_CHECK_H

#include "insight/call/intercept.h"

void object_check_leaks(struct intercept *call);

#endif
