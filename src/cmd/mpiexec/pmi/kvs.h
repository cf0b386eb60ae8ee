/* kvs: the job's key-value space, as mpiexec keeps it. */
#ifndef CMD_MPIEXEC_PMI_KVS_H
#define CMD_MPIEXEC_PMI_KVS_H

#include <stdbool.h>

/* False when the key has a value already. */
bool kvs_put(const char *key, const char *value);
const char *kvs_get(const char *key); /* NULL: none */

#endif
