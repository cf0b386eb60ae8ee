#include "plain/port_name.h"

#include "plain/fail.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Returns the number of characters written. */
static int format_address(const struct in6_addr *address, char *text, size_t size)
{
    bool is_v4 = IN6_IS_ADDR_V4MAPPED(address);

    inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? &address->s6_addr[12] : address->s6_addr, text,
              (socklen_t)size);
    return (int)strlen(text);
}

void port_name_format(const struct port_name *name, char *text)
{
    size_t size = MPI_MAX_PORT_NAME;
    int used = snprintf(text, size, "inkling-port:%016" PRIx64 ":%x:%016" PRIx64, name->host, name->user,
                        name->number);

    if (name->addresses == 0)
        return;
    text[used++] = ':';
    keyed_secret_format(name->secret, text + used);
    used += SECRET_DIGITS;
    used += snprintf(text + used, size - (size_t)used, ":%u", name->tcp);
    for (int i = 0; i < name->addresses; i++) {
        text[used++] = i ? ',' : ':';
        used += format_address(&name->address[i], text + used, size - (size_t)used);
    }
}

static bool parse_address(const char *text, struct in6_addr *address)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    struct in_addr v4;

    if (inet_pton(AF_INET, text, &v4) != 1)
        return inet_pton(AF_INET6, text, address) == 1;
    memcpy(address->s6_addr, mapped, sizeof mapped);
    memcpy(address->s6_addr + sizeof mapped, &v4, sizeof v4);
    return true;
}

/* SECRET:TCP:ADDRESS,... */
static bool parse_network(char *text, struct port_name *name)
{
    char *rest = NULL;
    int used = 0;

    if (!keyed_secret_parse(text, name->secret))
        return false;
    text += SECRET_DIGITS;
    if (sscanf(text, ":%5" SCNu16 ":%n", &name->tcp, &used) != 1 || used == 0)
        return false;
    for (char *word = strtok_r(text + used, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (name->addresses == PORT_ADDRESSES || !parse_address(word, &name->address[name->addresses++]))
            return false;
    return name->addresses > 0;
}

static bool port_name_parse_fields(const char *text, struct port_name *name)
{
    char copy[MPI_MAX_PORT_NAME];
    int used = 0;

    *name = (struct port_name){0};
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy ||
        sscanf(copy, "inkling-port:%16" SCNx64 ":%8x:%16" SCNx64 "%n", &name->host, &name->user,
               &name->number, &used) != 3)
        return false;
    return copy[used] == 0 || (copy[used] == ':' && parse_network(copy + used + 1, name));
}

int port_name_parse(const char *text, struct port_name *name)
{
    char again[MPI_MAX_PORT_NAME];

    if (port_name_parse_fields(text, name)) {
        port_name_format(name, again);
        if (strcmp(again, text) == 0)
            return MPI_SUCCESS;
    }
    return fail(MPI_ERR_PORT, "'%.*s' is no name of a port; MPI_Open_port gives them", PORT_SHOWN, text);
}
