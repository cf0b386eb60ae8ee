/* Procedures whose arguments differ between the languages: start, spawning, strings of the length that an argument says. */
#ifndef FORTRAN_START_H
#define FORTRAN_START_H

#include "convert.h"

int fortran_init(void);
int fortran_init_thread(const int *required, int *provided);
int fortran_session_init(const int *info, const int *errhandler, int *session);
int fortran_get_booleans(const int *size, int *true_value, int *false_value, int *is_set);
int fortran_set_booleans(const int *size, const int *true_value, const int *false_value);
int fortran_spawn(const char *command, const char *argv, const int *maxprocs, const int *info,
                  const int *root, const int *comm, int *intercomm, int *errcodes, size_t command_length,
                  size_t argv_length);
int fortran_spawn_multiple(const int *count, const char *commands, const char *argvs, const int *maxprocs,
                           const int *infos, const int *root, const int *comm, int *intercomm, int *errcodes,
                           size_t command_length, size_t argv_length);
int fortran_info_create_env(int *info);
int fortran_info_get(const int *info, const char *key, const int *valuelen, char *value, int *flag,
                     size_t key_length, size_t value_length);
int fortran_info_get_string(const int *info, const char *key, int *buflen, char *value, int *flag,
                            size_t key_length, size_t value_length);
int fortran_session_get_nth_pset(const int *session, const int *info, const int *n, int *pset_len,
                                 char *pset_name, size_t pset_name_length);
int fortran_status_copy(const void *from, void *to);
void fortran_pcontrol(const int *level);
void fortran_sync_register(void *buffer);

#endif
