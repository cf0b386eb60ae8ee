#include "insight/checks/object/object_check.h"

#include "insight/call/program_site.h"
#include "insight/findings/finding.h"

#include <insight/checks.h>
#include <stdio.h>
#include <string.h>

enum {
    KEPT = 16
};

static struct unread {
    void *site;
    char text[MPI_MAX_ERROR_STRING + 64];
} kept[KEPT];

static int count;
static bool is_read;

/* The instruction behind the call compares what it has returned, or keeps it: not known of other processors, and of Fortran. */
static bool is_looked_at(const struct intercept *call)
{
#if defined __x86_64__
    const unsigned char *next = call->code;

    if (call->is_fortran || program_site_is_script(call->site))
        return true;
    if ((*next & 0xf0) == 0x40) /* REX */
        next++;
    return (next[0] == 0x85 && next[1] == 0xc0) || (next[0] == 0x89 && (next[1] >> 3 & 7) == 0) ||
           (next[0] == 0x83 && next[1] == 0xf8) || next[0] == 0x3d;
#else
    return call->site != NULL;
#endif
}

static bool is_mistake(const struct intercept *call, int class)
{
    static const int classes[] = {MPI_ERR_ARG,   MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER,
                                  MPI_ERR_AMODE, MPI_ERR_FILE,  MPI_ERR_COMM, MPI_ERR_UNSUPPORTED_OPERATION,
                                  MPI_ERR_OTHER};

    if (class == MPI_ERR_ACCESS || class == MPI_ERR_READ_ONLY) /* else the file's owner has not allowed it */
        return call->procedure->family != FAMILY_FILE_OPEN;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i] == class)
            return true;
    return false;
}

void unread_error_keep(const struct intercept *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = error, length;

    if (is_read || count == KEPT || is_looked_at(call) || strncmp(call->procedure->name, "MPI_File_", 9) != 0)
        return;
    real.Error_class(error, &class);
    if (!is_mistake(call, class) || (class == MPI_ERR_FILE && count > 0)) /* that file was not opened */
        return;
    real.Error_string(error, text, &length);
    kept[count].site = call->site;
    snprintf(kept[count].text, sizeof kept[count].text, "%s: %s", call->procedure->name, text);
    count++;
}

void unread_error_asked(struct intercept *call, int error)
{
    (void)call;
    (void)error;
    is_read = true;
}

void unread_error_tell(void)
{
    for (int i = 0; i < count && !is_read; i++)
        finding_add(
            &(struct finding_about){.class = FINDING_ARGUMENT,
                                    .where = kept[i].site,
                                    .fix = "see the text of the error, which the call has returned: files "
                                           "begin with MPI_ERRORS_RETURN"},
            "%s", kept[i].text);
    count = 0;
}
