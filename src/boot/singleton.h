/* singleton: a process that no launcher of ours started is a job of its own. */
#ifndef BOOT_SINGLETON_H
#define BOOT_SINGLETON_H

/* Warns, once per job, when another MPI's launcher started several of us: they would not be one job. */
void singleton_warn(void);

#endif
