/* spelling: how much two words differ, for "did you mean". */
#ifndef PLAIN_SPELLING_H
#define PLAIN_SPELLING_H

#include <stdbool.h>

/* Damerau-Levenshtein distance (insert, delete, replace, swap neighbours: 1 each). It ignores case, and the
 * difference between '-' and '_'. Of longer words only the first 63 characters count. */
int spelling_distance(const char *a, const char *b);

/* Whether the unknown `word` is probably a misspelling of `right`: one slip, and one more per 6 characters.
 * Then *distance is their distance. Words whose lengths differ too much are rejected at once. */
bool spelling_is_near(const char *word, const char *right, int *distance);

#endif
