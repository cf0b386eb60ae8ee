/* suppression: findings that the user does not want to be told of: --check=suppress:FILE, a text of lines
 *
 *     CLASS [@ WHERE]     for findings of this class whose place is WHERE
 *     # a comment
 *
 * WHERE is FILE, FILE:LINE, FUNCTION(), or the name of the program or library that the place is in; FILE and library may have
 * folders before them. CLASS and WHERE are patterns as in a shell: * is any text, ? any character, [ab] one of these.
 */
#ifndef INSIGHT_BOARD_SUPPRESSION_H
#define INSIGHT_BOARD_SUPPRESSION_H

#include "insight/board/finding_list.h"
#include "plain/source_place.h"

struct suppression; /* a line */

/* The lines of the file, the last one first. NULL: it has none, or `why` says what is wrong with it. */
struct suppression *suppression_read(const char *path, char *why, size_t size);
void suppression_free(struct suppression *list);
/* Whether a line is for findings of this class at this place, in this program or library. */
bool suppression_matches(const struct suppression *list, enum finding_class class, const char *module,
                         const struct source_place *place);

#endif
