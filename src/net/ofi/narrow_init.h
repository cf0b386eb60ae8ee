/* narrow_init: initializes libfabric where no device could be found anyway.
 *
 * Every libfabric that was built with verbs looks twice through the names of the whole kernel (/proc/kallsyms) when it is initialized, for the
 * driver of a GPU beside a network adapter: 10,000 reads, a tenth of a second. No setting prevents that. On a host without such devices it is
 * initialized by a thread that cannot open files as fopen does: a filter of system calls (seccomp) holds for the thread that sets it alone,
 * and for those that it starts. What the loader opens, with O_CLOEXEC, is not affected. Where a thread may not have such a filter, nothing happens:
 * libfabric initializes itself when it is first asked. libfabric 2.1 looks a second time when a provider is asked for, which stays.
 */
#ifndef NET_OFI_NARROW_INIT_H
#define NET_OFI_NARROW_INIT_H

#include <stdbool.h>

/* Whether a file is there whose path is matched, as glob(3) says. */
bool narrow_init_finds(const char *pattern);
/* Calls `ask`, which initializes libfabric, in such a thread; not on a host with devices. */
void narrow_init(void ask(void));

#endif
