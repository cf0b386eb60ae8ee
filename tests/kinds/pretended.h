/* pretended: what the tests of kinds share. */
#ifndef TESTS_KINDS_PRETENDED_H
#define TESTS_KINDS_PRETENDED_H

#include <stdlib.h>
#include <string.h>

/* Whether the kind is the test kind, or its driver one of this folder's: then it must be there. */
static inline int is_pretended(void)
{
    const char *drivers = getenv("LD_LIBRARY_PATH");

    return getenv("INKLING_TEST_KIND") || (drivers && strstr(drivers, "/tests/kinds/fake"));
}

#endif
