/* hosts: the names of hosts that a user may give. This version starts ranks on one host only: this one. */
#ifndef CMD_MPIEXEC_HOSTS_H
#define CMD_MPIEXEC_HOSTS_H

/* "name,name:slots,..." */
int hosts_check(const char *list, const char *option);
/* One host a line: "name", "name:slots" or "name slots=N". */
int hosts_check_file(const char *path);

#endif
