#include "memory/ipc.h"

#include "unit.h"

#include <string.h>

enum {
    BYTES = 1000,
    OWNER = 7
};

static unsigned char *block; /* of the test device */

/* What a process would export that has an allocation like this one at `base`. */
static struct ipc_export export_at(uint64_t base, uint64_t id)
{
    struct ipc_export exported;

    assert_true(kind_export(&test_device, block, &exported));
    exported.base = base;
    exported.bytes = BYTES;
    exported.id = id;
    return exported;
}

static struct ipc_import *begin(const struct ipc_export *exported)
{
    const void *at;

    return ipc_import_begin(OWNER, exported, exported->base, BYTES, NULL, &at);
}

static void use(const struct ipc_export *exported)
{
    struct ipc_import *b = begin(exported);

    assert_non_null(b);
    ipc_import_end(b);
}

static int setup(void **state)
{
    (void)state;
    kind_enable_test();
    if (!kind_is_there(KIND_TEST))
        return -1;
    block = test_device.alloc(BYTES);
    return block ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    test_kind_refuse(0);
    ipc_forget_all();
    return ipc_import_count();
}

/* A copy reads what was exported, from the address that was asked for. */
static void reads_what_was_exported(void **state)
{
    struct ipc_export exported;
    struct ipc_import *b;
    char text[6] = "hello", seen[6] = "";
    const void *at;

    (void)state;
    assert_true(kind_export(&test_device, block, &exported));
    assert_int_equal(exported.kind, KIND_TEST);
    assert_int_equal(test_device.copy(block + 100, text, sizeof text), 0);
    b = ipc_import_begin(OWNER, &exported, (uint64_t)(uintptr_t)block + 100, sizeof text, NULL, &at);
    assert_non_null(b);
    assert_true(test_device.holds(at));
    assert_ptr_not_equal(at, block + 100);
    assert_int_equal(test_device.copy(seen, at, sizeof seen), 0);
    assert_string_equal(seen, "hello");
    ipc_import_end(b);
}

static void refuses_what_the_export_does_not_cover(void **state)
{
    struct ipc_export exported = export_at(100000, 1);
    const void *at;

    (void)state;
    assert_null(ipc_import_begin(OWNER, &exported, 99999, 1, NULL, &at));
    assert_null(ipc_import_begin(OWNER, &exported, 100000 + BYTES, 1, NULL, &at));
    assert_null(ipc_import_begin(OWNER, &exported, 100000, BYTES + 1, NULL, &at));
    assert_null(ipc_import_begin(OWNER, &exported, 100001, UINT64_MAX, NULL, &at));
    assert_null(ipc_import_begin(OWNER, &exported, 0, UINT64_MAX, NULL, &at));
    assert_int_equal(ipc_import_count(), 0);
}

static void asks_once(void **state)
{
    struct ipc_export exported = export_at(100000, 1);
    unsigned long before = ipc_import_calls();

    (void)state;
    use(&exported);
    use(&exported);
    assert_int_equal(ipc_import_calls() - before, 1);
    test_kind_refuse(REFUSE_IMPORT);
    exported = export_at(200000, 2);
    assert_null(begin(&exported));
    assert_null(begin(&exported));
    assert_int_equal(ipc_import_calls() - before, 2);
    assert_int_equal(ipc_import_count(), 1);
}

/* Another allocation at the same place, or at a part of it: the earlier one was freed. */
static void gives_back_what_was_freed(void **state)
{
    struct ipc_export first = export_at(100000, 1), beside = export_at(100000 + BYTES, 2),
                      second = export_at(100500, 3);
    const void *at;
    struct ipc_import *b;

    (void)state;
    use(&first);
    use(&beside);
    assert_int_equal(ipc_import_count(), 2);
    b = ipc_import_begin(OWNER + 1, &second, second.base, 1, NULL, &at); /* of another process */
    assert_non_null(b);
    ipc_import_end(b);
    assert_int_equal(ipc_import_count(), 3);
    use(&second);
    assert_int_equal(ipc_import_count(), 2);
    ipc_forget(OWNER);
    assert_int_equal(ipc_import_count(), 1);
}

/* The imports used last are kept, and those in use stay. */
static void keeps_few(void **state)
{
    struct ipc_export exported[IPC_IMPORTS_MAX + 1];
    struct ipc_import *used[IPC_IMPORTS_MAX];
    unsigned long before = ipc_import_calls();

    (void)state;
    for (int i = 0; i <= IPC_IMPORTS_MAX; i++) {
        exported[i] = export_at((uint64_t)(i + 1) << 20, (uint64_t)i);
        use(&exported[i]);
        use(&exported[0]);
    }
    assert_int_equal(ipc_import_count(), IPC_IMPORTS_MAX);
    assert_int_equal(ipc_import_calls() - before, IPC_IMPORTS_MAX + 1);
    use(&exported[0]);
    use(&exported[IPC_IMPORTS_MAX]);
    assert_int_equal(ipc_import_calls() - before, IPC_IMPORTS_MAX + 1);
    use(&exported[1]); /* was closed meanwhile */
    assert_int_equal(ipc_import_calls() - before, IPC_IMPORTS_MAX + 2);
    ipc_forget_all();
    for (int i = 0; i < IPC_IMPORTS_MAX; i++) {
        used[i] = begin(&exported[i]);
        assert_non_null(used[i]);
    }
    assert_null(begin(&exported[IPC_IMPORTS_MAX]));
    ipc_forget_all();
    assert_int_equal(ipc_import_count(), IPC_IMPORTS_MAX);
    for (int i = 0; i < IPC_IMPORTS_MAX; i++)
        ipc_import_end(used[i]);
    use(&exported[IPC_IMPORTS_MAX]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_what_was_exported, forget),
        cmocka_unit_test_teardown(refuses_what_the_export_does_not_cover, forget),
        cmocka_unit_test_teardown(asks_once, forget),
        cmocka_unit_test_teardown(gives_back_what_was_freed, forget),
        cmocka_unit_test_teardown(keeps_few, forget),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
