/* address: what can be no address of a program's data. */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ADDRESS_FIRST_PAGE =
        4096 /* Linux maps nothing there; the constants of the ABI, such as handles, are that small */
};

static inline bool address_is_in_first_page(const void *address)
{
    return (uintptr_t)address < ADDRESS_FIRST_PAGE;
}

#endif
