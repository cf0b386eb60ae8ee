#include "insight/objects/posted_receive.h"

#include <stdlib.h>

enum {
    POSTED_KEPT = 256
};

static struct posted_receive *spare; /* to be used again */
static int spares;

struct posted_receive *posted_receive_make(void)
{
    struct posted_receive *p = spare;

    if (!p)
        return aligned_alloc(_Alignof(struct posted_receive), sizeof *p);
    spare = p->next;
    spares--;
    return p;
}

void posted_receive_free(struct posted_receive *p)
{
    if (spares == POSTED_KEPT) {
        free(p);
        return;
    }
    p->next = spare;
    spare = p;
    spares++;
}
