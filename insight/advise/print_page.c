#include "insight/advise/advise.h"

#include <string.h>

extern const char page_text[]; /* page.html, by gen/page.py */

/* The page has the data where it says @DATA@. */
void advise_print_page(const struct advice_list *list, FILE *out)
{
    const char *data = strstr(page_text, "@DATA@");

    fwrite(page_text, 1, (size_t)(data - page_text), out);
    advise_print_json(list, out);
    fputs(data + strlen("@DATA@"), out);
}
