/* warn: one warning line per hint key and process. */
#ifndef HINT_WARN_H
#define HINT_WARN_H

#include <stdbool.h>

/* True the first time that it is called for this key. It remembers the last 256 keys. Thread-safe. */
bool warn_is_due(const char *key);

#endif
