/* own_port: the ports of this process (MPI-5.0 section 11.9.1), with the settings of its user. Builds that count objects count them. */
#ifndef DYNAMIC_OWN_PORT_H
#define DYNAMIC_OWN_PORT_H

/* As the functions of plain/port.h. */
int own_port_open(char *name);
int own_port_open_here(char *name);
int own_port_close(const char *name);

#endif
