/* warn: one warning line per hint key and process. */
#ifndef HINT_WARN_H
#define HINT_WARN_H

#include <stdbool.h>

/* True the first time it is asked about this key; after 256 different keys, never. Thread-safe. */
bool warn_is_due(const char *key);

#endif
