#include "cmd/diagnosis.h"

#include "plain/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool as_json;
static int told; /* findings so far */

void diagnosis_as_json(bool wants_json, int printed)
{
    as_json = wants_json;
    told = printed;
}

int diagnosis_count(void)
{
    return told;
}

static void tell_as_json(enum diagnosis verdict, const char *what, const char *found, const char *fix)
{
    static const char *const words[] = {"ok", "slower", "broken"};

    printf("%s\n  ", told ? "," : "");
    json_write_member(stdout, "{", "what", what);
    json_write_member(stdout, ", ", "verdict", words[verdict]);
    json_write_member(stdout, ", ", "found", found);
    json_write_member(stdout, ", ", "fix", verdict == FINE ? NULL : fix);
    printf("}");
}

/* On a terminal, unless its user wants none (no-color.org). */
static bool has_colours(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(none && *none) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void tell_as_text(enum diagnosis verdict, const char *what, const char *found, const char *fix)
{
    static const char *const marks[] = {"ok", "--", "NO"};
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"}; /* green, yellow, red */

    printf("%s%s%s  %-24s %s\n", has_colours() ? colours[verdict] : "", marks[verdict],
           has_colours() ? "\033[0m" : "", what, found);
    if (verdict != FINE && fix)
        printf("    %-24s   %s\n", "", fix);
}

enum diagnosis diagnosis_tell(enum diagnosis verdict, const char *what, const char *found, const char *fix)
{
    if (as_json)
        tell_as_json(verdict, what, found, fix);
    else
        tell_as_text(verdict, what, found, fix);
    told++;
    return verdict;
}
