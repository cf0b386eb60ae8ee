#include "plain/interface.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LINK_LOCAL = 169 << 8 | 254 /* 169.254/16 */
};

/* Whether something of the interface leads out of this host: a device, or interfaces below that may have one. */
static bool leads_out(const char *interface)
{
    char path[320];
    DIR *folder;
    const struct dirent *entry;
    bool leads;

    snprintf(path, sizeof path, "/sys/class/net/%s/device", interface);
    leads = access(path, F_OK) == 0;
    snprintf(path, sizeof path, "/sys/class/net/%s", interface);
    folder = leads ? NULL : opendir(path);
    while (folder && !leads && (entry = readdir(folder)))
        leads = strncmp(entry->d_name, "lower_", 6) == 0;
    if (folder)
        closedir(folder);
    return leads;
}

bool interface_is_bridge_within(const char *interface)
{
    char path[320];
    const struct dirent *entry;
    bool within = true;
    DIR *ports;

    snprintf(path, sizeof path, "/sys/class/net/%s/brif", interface);
    ports = opendir(path);
    if (!ports)
        return false;
    while (within && (entry = readdir(ports)))
        within = entry->d_name[0] == '.' || !leads_out(entry->d_name);
    closedir(ports);
    return within;
}

bool interface_is_link_local(const struct sockaddr *address)
{
    const void *any = address;

    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)any)->sin_addr.s_addr) >> 16 == LINK_LOCAL;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)any)->sin6_addr);
}
