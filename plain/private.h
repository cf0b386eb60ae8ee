/* private: descriptors that must not outlive this process in a child, since their end tells others that it
 * has ended: sockets that peers watch, locks. A forked child has them too and, unless it executes another
 * program, would keep them open after this process. So the child closes them first. */
#ifndef PLAIN_PRIVATE_H
#define PLAIN_PRIVATE_H

/* Descriptors that the table has no entry for are left alone. */
void private_add(int fd);
/* Closes a descriptor, whether it was added or not. */
void private_close(int fd);

#endif
