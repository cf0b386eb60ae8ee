#include "cmd/inkling.h"

#include "insight/advise/advise.h"

#include <stdio.h>

int advise_verb(const char *folder, bool as_json, bool has_all)
{
    return advise_write(folder, stdout, as_json, has_all);
}
