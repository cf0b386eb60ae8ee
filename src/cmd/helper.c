/* The verbs of inkling that are programs of their own: one is linked with all of the library, one is an MPI program. They lie in
 * libexec/inkling beside bin, in a build as in an installation. */
#include "cmd/inkling.h"

#include "cmd/place.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int helper_run(const char *name, char **words)
{
    char program[PLACE_SIZE + 64];
    struct install_place place;

    place_find(&place);
    snprintf(program, sizeof program, "%s/../libexec/inkling/%s", place.bin, name);
    words[-1] = program;
    execv(program, words - 1);
    fprintf(stderr, "inkling: %s: %s cannot be started (%s); install Inkling as a whole\n", name, program,
            strerror(errno));
    return 1;
}
