/* singleton: a process that no supported launcher started is a job of its own. */
#ifndef BOOT_SINGLETON_H
#define BOOT_SINGLETON_H

#include "boot/launcher.h"

extern const struct launcher singleton_launcher;

/* Warns, once per job, when another MPI's launcher started several processes: they would not be one job. why:
 * NULL, or what is needed to use that launcher. */
void singleton_warn(const char *why);

#endif
