/* awaited_text: what a rank waits for that the call does not say: the operations of its requests, where they were posted, and messages
 * that have come and that none of its receives takes.
 */
#ifndef INSIGHT_WRAP_AWAITED_TEXT_H
#define INSIGHT_WRAP_AWAITED_TEXT_H

#include "insight/call/intercept.h"

/* For hang.h, of a call that waits; "": nothing. With places as finding_place_text writes them. */
void awaited_text_describe(const struct intercept *call, char *text, size_t size);

#endif
