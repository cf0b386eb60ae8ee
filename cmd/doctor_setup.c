#include "cmd/doctor.h"

#include "cmd/diagnosis.h"
#include "cmd/place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REACHED_WITHIN_MS 1000

/* The first file of this name in the folders of a list such as PATH; *real has all links followed. */
static bool find_in_folders(const char *list, const char *name, int mode, char *path, char *real)
{
    for (const char *at = list; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, mode) == 0 && realpath(path, real))
            return true;
    }
    return false;
}

/* Whether the file lies in the folder. */
static bool lies_in(const char *file, const char *folder)
{
    const char *slash = strrchr(file, '/');
    char real[PATH_MAX];

    return realpath(folder, real) && strlen(real) == (size_t)(slash - file) &&
           strncmp(real, file, strlen(real)) == 0;
}

static enum diagnosis check_command(const char *name, const struct install_place *place)
{
    char path[PATH_MAX], real[PATH_MAX], what[32], found[PATH_MAX + 64], fix[PLACE_SIZE + 64];

    snprintf(what, sizeof what, "command %s", name);
    snprintf(fix, sizeof fix, "export PATH=%s:$PATH", place->bin);
    if (!find_in_folders(getenv("PATH"), name, X_OK, path, real))
        return diagnosis_tell(SLOWER, what, "not in PATH", fix);
    if (!lies_in(real, place->bin)) {
        snprintf(found, sizeof found, "the first in PATH is %s, of another MPI", path);
        return diagnosis_tell(SLOWER, what, found, fix);
    }
    return diagnosis_tell(FINE, what, path, NULL);
}

/* LD_LIBRARY_PATH comes before the path that mpicc links in. */
static enum diagnosis check_library_path(const struct install_place *place)
{
    char path[PATH_MAX], real[PATH_MAX], found[PATH_MAX + 64], fix[PLACE_SIZE + 96];

    if (!find_in_folders(getenv("LD_LIBRARY_PATH"), "libmpi_abi.so.1", R_OK, path, real) ||
        lies_in(real, place->lib))
        return diagnosis_tell(FINE, "LD_LIBRARY_PATH", "leads to no other libmpi_abi.so.1", NULL);
    snprintf(found, sizeof found, "programs take %s, another version or another MPI", path);
    snprintf(fix, sizeof fix, "unset it, or export LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH", place->lib);
    return diagnosis_tell(SLOWER, "LD_LIBRARY_PATH", found, fix);
}

static enum diagnosis check_host_name(void)
{
    struct addrinfo *addresses = NULL;
    char name[HOST_NAME_MAX + 1] = "", found[HOST_NAME_MAX + 128], fix[HOST_NAME_MAX + 64];
    int error;

    gethostname(name, sizeof name - 1);
    error = getaddrinfo(name, NULL, NULL, &addresses);
    if (!error) {
        freeaddrinfo(addresses);
        snprintf(found, sizeof found, "%s resolves", name);
        return diagnosis_tell(FINE, "host name", found, NULL);
    }
    snprintf(found, sizeof found, "%s does not resolve: %s", name, gai_strerror(error));
    snprintf(fix, sizeof fix, "add a line to /etc/hosts: ADDRESS %s", name);
    return diagnosis_tell(SLOWER, "host name", found, fix);
}

/* The first IPv4 address of an interface that is up and no loopback. */
static bool own_address(struct sockaddr_in *address)
{
    struct ifaddrs *list = NULL;
    bool found = false;

    if (getifaddrs(&list) < 0)
        return false;
    for (const struct ifaddrs *each = list; each && !found; each = each->ifa_next)
        if (each->ifa_addr && each->ifa_addr->sa_family == AF_INET && each->ifa_flags & IFF_UP &&
            !(each->ifa_flags & IFF_LOOPBACK)) {
            memcpy(address, each->ifa_addr, sizeof *address);
            found = true;
        }
    freeifaddrs(list);
    return found;
}

/* Whether a connection to a port of this address, any that the kernel chooses, comes about in time. */
static bool address_is_reached(struct sockaddr_in address)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof address;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    bool is_reached = false;

    address.sin_port = 0;
    if (listener >= 0 && caller >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 &&
        listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
        (connect(caller, (struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS))
        is_reached = poll(&waiting, 1, REACHED_WITHIN_MS) == 1;
    if (listener >= 0)
        close(listener);
    if (caller >= 0)
        close(caller);
    return is_reached;
}

static enum diagnosis check_ports(void)
{
    struct sockaddr_in address;
    char text[INET_ADDRSTRLEN] = "", found[96];

    if (!own_address(&address))
        return diagnosis_tell(FINE, "ports", "no address but loopback: one host only", NULL);
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    if (address_is_reached(address)) {
        snprintf(found, sizeof found, "%s is reached from here; others may still meet a firewall", text);
        return diagnosis_tell(FINE, "ports", found, NULL);
    }
    snprintf(found, sizeof found, "a port of %s is not reached even from here", text);
    return diagnosis_tell(
        SLOWER, "ports", found,
        "let the firewall pass TCP and UDP between the hosts of a job, and bring up lo: ip link set lo up");
}

void doctor_check_setup(void)
{
    struct install_place place;

    place_find(&place);
    check_command("mpicc", &place);
    check_command("mpiexec", &place);
    check_library_path(&place);
    check_host_name();
    check_ports();
}
