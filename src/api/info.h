/* info: bodies of the Info chapter and of MPI_Comm_set_info and _get_info that are more than a call. */
#ifndef API_INFO_H
#define API_INFO_H

struct comm;
struct info;

/* value holds *buflen bytes (none if 0: NULL will do); *buflen becomes what the whole value needs, NUL
 * included. */
int api_info_get_string(struct info *info, const char *key, int *buflen, char *value, int *flag);
/* The deprecated forms: value holds valuelen + 1 bytes, lengths do not count the NUL. */
int api_info_get(struct info *info, const char *key, int valuelen, char *value, int *flag);
int api_info_get_valuelen(struct info *info, const char *key, int *valuelen, int *flag);

/* Collective. Hints that all ranks must agree on take effect when all gave the same value. */
int api_comm_get_info(struct comm *comm, struct info **info);

#endif
