/* note: what the text of an error says about the hint that caused it. */
#ifndef TESTS_HINTS_NOTE_H
#define TESTS_HINTS_NOTE_H

#include "hints.h"

/* The text of the last error, of this class, names the hint and the call that set it. */
static inline void expect_note(int error, const char *hint, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    CHECK_EQ(MPI_Error_string(error, text, &length), MPI_SUCCESS);
    CHECK(strstr(text, hint) != NULL);
    CHECK(strstr(text, call) != NULL);
}

#endif
