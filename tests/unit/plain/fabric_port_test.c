#include "plain/adapter.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char sysfs[] = "/tmp/fabric-XXXXXX";

static int make_sysfs(void **state)
{
    (void)state;
    return mkdtemp(sysfs) ? 0 : -1;
}

static int remove_sysfs(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", sysfs);
    return system(command);
}

/* Writes a line, in folders that are made. */
static void put(const char *path, const char *line)
{
    char whole[256];
    FILE *file;

    snprintf(whole, sizeof whole, "%s/%s", sysfs, path);
    for (char *c = whole + sizeof sysfs; (c = strchr(c, '/')); *c++ = '/') {
        *c = 0;
        mkdir(whole, 0755);
    }
    file = fopen(whole, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", line);
    fclose(file);
}

static void put_driver(const char *device, const char *driver)
{
    char folder[256], link[300];

    snprintf(folder, sizeof folder, "%s/class/infiniband/%s/device", sysfs, device);
    mkdir(folder, 0755);
    snprintf(link, sizeof link, "%s/driver", folder);
    assert_int_equal(symlink(driver, link), 0);
}

static void expect_device(const char *name, const char *kind, const char *network)
{
    struct fabric_port d;

    assert_true(adapter_find_fabric(sysfs, &d));
    assert_string_equal(d.name, name);
    assert_string_equal(d.kind, kind);
    assert_string_equal(d.network, network);
}

/* Each device comes before those of the lines above. */
static void each_kind_has_its_network(void **state)
{
    struct fabric_port d;

    (void)state;
    assert_false(adapter_find_fabric(sysfs, &d));
    put("class/infiniband/rxe0/ports/1/state", "4: ACTIVE");
    put("class/infiniband/rxe0/ports/1/link_layer", "Ethernet");
    put("class/infiniband/mlx5_9/ports/1/state", "1: DOWN");
    put("class/infiniband/mlx5_9/ports/1/link_layer", "InfiniBand");
    assert_false(adapter_find_fabric(sysfs, &d));
    put("class/infiniband/mlx5_9/ports/2/state", "4: ACTIVE");
    put("class/infiniband/mlx5_9/ports/2/link_layer", "InfiniBand");
    expect_device("mlx5_9", "InfiniBand", "ucx");
    put("class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE");
    put("class/infiniband/mlx5_1/ports/1/link_layer", "Ethernet");
    expect_device("mlx5_1", "RoCE", "ucx");
    put("class/infiniband/hfi1_0/ports/1/state", "4: ACTIVE");
    put("class/infiniband/hfi1_0/ports/1/link_layer", "InfiniBand");
    expect_device("hfi1_0", "Omni-Path", "ofi");
    put("class/infiniband/a_renamed_efa/ports/1/state", "4: ACTIVE");
    put_driver("a_renamed_efa", "../../../bus/pci/drivers/efa");
    expect_device("a_renamed_efa", "EFA", "ofi");
    put("class/cxi/cxi0/unused", "");
    expect_device("cxi0", "Slingshot", "ofi");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_has_its_network)};

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
