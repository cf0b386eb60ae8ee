/* posted_receive: memory of receives that were posted. Some is kept: to allocate it takes as long as a part of a check. */
#ifndef INSIGHT_POSTED_RECEIVE_H
#define INSIGHT_POSTED_RECEIVE_H

#include "insight/message_check.h"

/* Not set; NULL: no memory. */
struct posted_receive *posted_receive_make(void);
void posted_receive_free(struct posted_receive *p);

#endif
