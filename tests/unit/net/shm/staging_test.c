#include "net/shm/staging.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static unsigned char memory[STAGING_MOST];
static _Atomic uint64_t busy;

static void sizes_are_kept(void **state)
{
    struct staging s;

    (void)state;
    for (size_t size = 64 << 10; size <= (size_t)1 << 30; size += size / 3) {
        staging_init(&s, memory, &busy, size);
        assert_true(s.chunk_size >= STAGING_CHUNK_MIN && s.chunk_size <= STAGING_CHUNK_MAX);
        assert_true(s.chunks >= 4 && s.chunks <= 64);
        assert_true((size_t)s.chunks * s.chunk_size <= size);
        assert_true((size_t)s.chunks * s.chunk_size <= sizeof memory);
    }
}

/* Every chunk is taken once, keeps its contents, and can be taken again after it is freed. */
static void chunks_are_taken_and_given(void **state)
{
    struct staging s;
    struct staged staged[64], more;
    char text[16];

    (void)state;
    staging_init(&s, memory, &busy, 64 << 10);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < s.chunks; i++) {
            snprintf(text, sizeof text, "%d %u", round, i);
            assert_true(staging_fill(&s, text, sizeof text, &staged[i]));
        }
        assert_false(staging_fill(&s, text, sizeof text, &more));
        for (uint32_t i = 0; i < s.chunks; i++) {
            snprintf(text, sizeof text, "%d %u", round, i);
            assert_memory_equal(staging_payload(&s, &staged[i]), text, sizeof text);
            staging_give(&s, staged[i].chunk);
            assert_true(staging_fill(&s, text, sizeof text, &more));
            assert_int_equal(more.chunk, staged[i].chunk);
        }
        for (uint32_t i = 0; i < s.chunks; i++)
            staging_give(&s, i);
        assert_int_equal(busy, 0);
    }
}

static void nonsense_is_refused(void **state)
{
    struct staging s;

    (void)state;
    staging_init(&s, memory, &busy, 64 << 10);
    assert_null(staging_payload(&s, &(struct staged){s.chunks, 1}));
    assert_null(staging_payload(&s, &(struct staged){0, s.chunk_size + 1}));
    assert_null(staging_payload(&s, &(struct staged){UINT32_MAX, UINT32_MAX}));
    assert_non_null(staging_payload(&s, &(struct staged){s.chunks - 1, s.chunk_size}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_kept),
        cmocka_unit_test(chunks_are_taken_and_given),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
