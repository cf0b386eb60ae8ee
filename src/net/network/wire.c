#include "net/network/wire.h"

#include "plain/fail.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wire_read(const void *packet, size_t length, struct wire *head)
{
    if (length < sizeof *head)
        return "too short";
    memcpy(head, packet, sizeof *head);
    if (head->version != WIRE_VERSION)
        return "of another version of Inkling, or no message at all";
    if (head->kind < WIRE_MESSAGE || head->kind > WIRE_CONTROL)
        return "of unknown kind";
    if (head->message.length != length - sizeof *head)
        return "longer or shorter than it says";
    return NULL;
}

static void format_bytes(const unsigned char *bytes, size_t count, char *hex)
{
    for (size_t i = 0; i < count; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

int wire_address_format(const struct wire_address *address, char *text, size_t size)
{
    int used =
        snprintf(text, size, "%d:%s:%s:%d:", WIRE_VERSION, INKLING_VERSION, address->provider, address->port);

    if (used < 0 || (size_t)used + 2 * (address->length + sizeof address->key) + 1 >= size)
        return fail(MPI_ERR_OTHER,
                    "the address of this process has %zu bytes, more than the launcher carries",
                    address->length);
    for (char *c = text; *c; c++)
        if (*c == ';')
            *c = '+';
    format_bytes(address->bytes, address->length, text + used);
    strcat(text, ":");
    format_bytes(address->key, sizeof address->key, text + strlen(text));
    return MPI_SUCCESS;
}

/* The text up to the next ':', which is cut off; NULL when there is none. */
static char *cut_field(char **rest)
{
    char *field = *rest, *end = field ? strchr(field, ':') : NULL;

    if (!end)
        return NULL;
    *end = 0;
    *rest = end + 1;
    return field;
}

/* The number of bytes; 0: the text is not that of 1 to `most` bytes. */
static size_t parse_bytes(const char *hex, unsigned char *bytes, size_t most)
{
    size_t digits = strlen(hex);

    if (digits % 2 || digits > 2 * most || strspn(hex, "0123456789abcdef") != digits)
        return 0;
    for (size_t i = 0; i < digits / 2; i++) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};

        bytes[i] = (unsigned char)strtoul(byte, NULL, 16);
    }
    return digits / 2;
}

/* ADDRESS:KEY */
static bool wire_parse_end(char *text, struct wire_address *address)
{
    const char *place = cut_field(&text);

    address->length = place ? parse_bytes(place, address->bytes, sizeof address->bytes) : 0;
    return address->length && parse_bytes(text, address->key, sizeof address->key) == sizeof address->key;
}

int wire_address_parse(const char *text, int process, struct wire_address *address)
{
    char copy[WIRE_TEXT_SIZE], *rest = copy;
    const char *version, *library, *provider, *port;

    snprintf(copy, sizeof copy, "%s", text);
    version = cut_field(&rest);
    library = cut_field(&rest);
    if (version && library && atoi(version) != WIRE_VERSION)
        return fail(
            MPI_ERR_OTHER,
            "process %d runs Inkling %.20s, which speaks version %.5s between hosts, and this one runs "
            "%s, which speaks version %d: use one Inkling on all hosts",
            process, library, version, INKLING_VERSION, WIRE_VERSION);
    provider = cut_field(&rest);
    port = cut_field(&rest);
    if (!provider || !port || strlen(provider) >= sizeof address->provider || !wire_parse_end(rest, address))
        return fail(MPI_ERR_OTHER, "the address of process %d makes no sense: '%.40s'", process, text);
    address->port = atoi(port) & 0xffff;
    snprintf(address->provider, sizeof address->provider, "%s", provider);
    for (char *c = address->provider; *c; c++)
        if (*c == '+')
            *c = ';';
    return MPI_SUCCESS;
}

/* What a card's bytes hold; as many of the last member as there are. */
struct on_card {
    char provider[40];
    uint16_t port;
    uint64_t auth;
    unsigned char key[SECRET_SIZE];
    unsigned char bytes[CARD_ADDRESS_MAX];
};

enum {
    HEAD_SIZE = offsetof(struct on_card, bytes),
    BYTES_MAX = CARD_ADDRESS_MAX - HEAD_SIZE
};

int wire_address_of_card(const struct card *card, struct wire_address *address)
{
    size_t length = card->address.length;
    struct on_card head = {0};

    if (length <= HEAD_SIZE || length > sizeof card->address.bytes)
        return fail(MPI_ERR_OTHER, "the address of rank %d of another job makes no sense", card->rank);
    memcpy(&head, card->address.bytes, length);
    if (!memchr(head.provider, 0, sizeof head.provider))
        return fail(MPI_ERR_OTHER, "the address of rank %d of another job has no provider", card->rank);
    *address = (struct wire_address){.port = head.port, .length = length - HEAD_SIZE, .auth = head.auth};
    snprintf(address->provider, sizeof address->provider, "%s", head.provider);
    memcpy(address->bytes, head.bytes, address->length);
    memcpy(address->key, head.key, sizeof address->key);
    return MPI_SUCCESS;
}

int wire_address_to_card(const struct wire_address *address, struct card_address *on_card)
{
    struct on_card head = {.port = (uint16_t)address->port, .auth = address->auth};

    if (address->length > BYTES_MAX)
        return fail(MPI_ERR_OTHER,
                    "the address of %s has %zu bytes, and other jobs are told of no more than %d",
                    address->provider, address->length, (int)BYTES_MAX);
    snprintf(head.provider, sizeof head.provider, "%.39s", address->provider);
    memcpy(head.key, address->key, sizeof head.key);
    memcpy(head.bytes, address->bytes, address->length);
    on_card->length = (uint16_t)(HEAD_SIZE + address->length);
    memcpy(on_card->bytes, &head, on_card->length);
    return MPI_SUCCESS;
}
