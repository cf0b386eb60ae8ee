#include "plain/spelling.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD_MAX = 63,
    CHARACTERS_PER_SLIP = 6
};

static char fold(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static int spelling_least(int a, int b, int c)
{
    int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* distance[i][j]: between the first i characters of a and the first j of b. */
int spelling_distance(const char *a, const char *b)
{
    int distance[WORD_MAX + 1][WORD_MAX + 1];
    int rows = (int)strnlen(a, WORD_MAX), columns = (int)strnlen(b, WORD_MAX);

    for (int i = 0; i <= rows; i++)
        distance[i][0] = i;
    for (int j = 0; j <= columns; j++)
        distance[0][j] = j;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            int differs = fold(a[i - 1]) != fold(b[j - 1]);

            distance[i][j] = spelling_least(distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                                            distance[i - 1][j - 1] + differs);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
                distance[i - 2][j - 2] + 1 < distance[i][j])
                distance[i][j] = distance[i - 2][j - 2] + 1;
        }
    return distance[rows][columns];
}

/* Whether word is the first half of right, or more. */
static bool is_beginning(const char *word, const char *right)
{
    size_t length = strnlen(word, WORD_MAX);

    for (size_t i = 0; i < length; i++)
        if (fold(word[i]) != fold(right[i]))
            return false;
    return length >= strnlen(right, WORD_MAX) / 2;
}

/* A word of which no character is right is not near. */
bool spelling_is_near(const char *word, const char *right, int *distance)
{
    int length = (int)strnlen(right, WORD_MAX), slips = 1 + length / CHARACTERS_PER_SLIP, d;

    if (is_beginning(word, right)) {
        *distance = spelling_distance(word, right);
        return true;
    }
    if (abs((int)strnlen(word, WORD_MAX) - length) > slips)
        return false;
    d = spelling_distance(word, right);
    if (d > slips || d >= length)
        return false;
    *distance = d;
    return true;
}
