/* absent: procedures of a library whose device is not there. A stand-in (net/ofi/stand_in.h) has those that libfabric is linked with.
 * libfabric calls the ones that initialize, which fail, and asks for the text of that error; it calls no other.
 */
#ifndef NET_OFI_STAND_IN_ABSENT_H
#define NET_OFI_STAND_IN_ABSENT_H

enum {
    NO_DEVICE = 23 /* the same error of libpsm_infinipath and libpsm2 */
};

#define EXPORTED __attribute__((visibility("default")))

#define FAILS(name)                                                                                          \
    EXPORTED int name(void);                                                                                 \
    int name(void)                                                                                           \
    {                                                                                                        \
        return NO_DEVICE;                                                                                    \
    }

#define TELLS(name)                                                                                          \
    EXPORTED const char *name(int error);                                                                    \
    const char *name(int error)                                                                              \
    {                                                                                                        \
        (void)error;                                                                                         \
        return "this host has no such device";                                                               \
    }

#endif
