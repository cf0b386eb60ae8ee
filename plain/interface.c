#include "plain/interface.h"

#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
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

/* How likely it is that other hosts do not find this one by the address; the least is best. */
enum interface_doubt {
    DOUBT_NONE,
    DOUBT_LINK,
    DOUBT_LOOPBACK,
    DOUBT_TOTAL
};

static enum interface_doubt interface_doubt_of(const struct ifaddrs *a, const char *wanted)
{
    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) ||
        (a->ifa_addr->sa_family != AF_INET && a->ifa_addr->sa_family != AF_INET6) ||
        (wanted && *wanted && strcmp(wanted, a->ifa_name) != 0))
        return DOUBT_TOTAL;
    if (a->ifa_flags & IFF_LOOPBACK)
        return DOUBT_LOOPBACK;
    if (interface_is_link_local(a->ifa_addr))
        return a->ifa_addr->sa_family == AF_INET6 ? DOUBT_TOTAL : DOUBT_LINK;
    return interface_is_bridge_within(a->ifa_name) ? DOUBT_LINK : DOUBT_NONE;
}

void interface_find_address(const char *interface, void *address, size_t size)
{
    enum interface_doubt least = DOUBT_TOTAL;
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list) < 0)
        return;
    for (const struct ifaddrs *a = list; a; a = a->ifa_next) {
        enum interface_doubt doubt = interface_doubt_of(a, interface);
        size_t length = !a->ifa_addr || a->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                                                          : sizeof(struct sockaddr_in6);

        if (doubt >= least || length > size)
            continue;
        memcpy(address, a->ifa_addr, length);
        least = doubt;
    }
    freeifaddrs(list);
}
