/* private: descriptors that are this process's alone, since their end tells others that it has ended: sockets
 * that are watched for it, locks. A child that is forked has them too and, unless it executes another
 * program, would keep them open after this process. So it closes them first of all. */
#ifndef BASE_PRIVATE_H
#define BASE_PRIVATE_H

/* Descriptors beyond what the table holds are as any others. */
void private_add(int fd);
/* Closes a descriptor, whether it was added or not. */
void private_close(int fd);

#endif
