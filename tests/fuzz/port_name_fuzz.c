/* Fuzzes names of ports, which programs get from anywhere. */
#include "plain/port.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char prefix[] = "inkling-port:0123456789abcdef:0:fedcba9876543210:";
    struct port_name name;
    char *text = malloc(sizeof prefix + size), again[MPI_MAX_PORT_NAME];
    size_t skipped = size > 0 && data[0] % 2 ? sizeof prefix - 1 : 0;

    if (!text)
        return 0;
    memcpy(text, prefix, skipped);
    memcpy(text + skipped, data, size);
    text[skipped + size] = 0;
    if (port_name_parse(text, &name) == MPI_SUCCESS) {
        if (name.addresses < 0 || name.addresses > PORT_ADDRESSES)
            abort();
        port_name_format(&name, again);
        if (strcmp(text, again) != 0)
            abort();
    }
    free(text);
    return 0;
}
