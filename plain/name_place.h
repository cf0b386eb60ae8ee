/* name_place: the directories in which published names may be. The one that the user gave is the only one.
 * Without it they are, in this order:
 *
 *     /tmp/inkling-UID
 *     /run/user/UID/inkling     in what most systems give as XDG_RUNTIME_DIR, which ends with the last login
 *     /tmp/inkling-UID-XXXXXX   each that there is
 *
 * Nothing of this depends on the environment, since who looks for a name may have another than its publisher.
 * Other users can make directories of these names in /tmp, so one that is not the user's alone is passed over.
 */
#ifndef PLAIN_NAME_PLACE_H
#define PLAIN_NAME_PLACE_H

#include <dirent.h>
#include <stdbool.h>

/* What the user gave; NULL: nothing. Written at start, before another thread uses names. */
extern const char *name_place_given;

/* A walk through these places; begins with all zeros. */
struct name_place {
    const char *path;
    bool is_given; /* it is name_place_given */
    unsigned steps;
    DIR *list;
    char own[64];
};

/* False: there are no more. */
bool name_place_next(struct name_place *p);
/* Makes a new one behind the last. */
int name_place_make(struct name_place *p);
void name_place_end(struct name_place *p);

/* Opens the directory. *fd is -1 if it does not exist and `make` is false. It is an error if others could change it. */
int name_place_open(const char *path, bool make, int *fd);

#endif
