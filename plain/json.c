#include "plain/json.h"

void json_write_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == '<')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

void json_write_member(FILE *out, const char *before, const char *name, const char *text)
{
    fprintf(out, "%s\"%s\": ", before, name);
    json_write_text(out, text);
}
