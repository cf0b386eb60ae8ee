/* if_provider NAME COMMAND...: runs the command where this libfabric has the provider (+ for its ;), else the
 * test is skipped. Versions differ: `net` is in none from 2.0 on. */
#include <rdma/fabric.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct fi_info *hints = fi_allocinfo(), *found = NULL;

    if (argc < 3 || !hints)
        return 2;
    if (strchr(argv[1], '+'))
        *strchr(argv[1], '+') = ';';
    hints->fabric_attr->prov_name = strdup(argv[1]);
    hints->ep_attr->type = FI_EP_RDM;
    if (fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found) || !found) {
        printf("skipped: libfabric %u.%u has no provider %s\n", FI_MAJOR(fi_version()),
               FI_MINOR(fi_version()), argv[1]);
        return 77;
    }
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
