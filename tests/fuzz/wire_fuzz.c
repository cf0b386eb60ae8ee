/* Fuzzes what comes from other hosts before anything is known of them: packet headers, address texts, and cards of other
 * jobs. */
#include "net/network/wire.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int truth)
{
    if (!truth)
        abort();
}

static void fuzz_card(const uint8_t *data, size_t size)
{
    struct card card = {.rank = 3};
    struct card_address again;
    struct wire_address address;

    memcpy(&card, data, size < sizeof card ? size : sizeof card);
    if (wire_address_of_card(&card, &address) != MPI_SUCCESS)
        return;
    expect(address.length > 0 && address.length < sizeof card.address.bytes);
    expect(memchr(address.provider, 0, sizeof address.provider) != NULL);
    expect(wire_address_to_card(&address, &again) == MPI_SUCCESS && again.length == card.address.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire head;
    struct wire_address address;
    char *text = malloc(size + 1), again[WIRE_TEXT_SIZE];

    if (!text)
        return 0;
    if (!wire_read(data, size, &head)) {
        expect(head.message.length == size - sizeof head);
        expect(head.kind >= WIRE_MESSAGE && head.kind <= WIRE_CONTROL);
    }
    fuzz_card(data, size);
    memcpy(text, data, size);
    text[size] = 0;
    if (wire_address_parse(text, 2, &address) == MPI_SUCCESS) {
        expect(address.length > 0 && address.length <= sizeof address.bytes);
        expect(memchr(address.provider, 0, sizeof address.provider) != NULL);
        expect(wire_address_format(&address, again, sizeof again) == MPI_SUCCESS);
    }
    free(text);
    return 0;
}
