/* spelling: how far apart two words are, for "did you mean". */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stdbool.h>

/* Damerau-Levenshtein distance (insert, delete, replace, swap neighbours: 1 each), blind to case and to
 * '-' against '_'. Words of more than 63 characters are compared by their first 63. */
int spelling_distance(const char *a, const char *b);

/* Whether `word`, which is wrong, is probably a slip for `right`: one slip, and one more per 6 characters.
 * Then *distance is how far they are apart. Words of too different lengths are told apart at once. */
bool spelling_is_near(const char *word, const char *right, int *distance);

#endif
