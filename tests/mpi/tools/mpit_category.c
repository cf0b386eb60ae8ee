/* ranks: 1 */
/* Categories: every variable and event type is in one, and the first has all others. */
#include "mpit.h"

enum {
    MOST = 256
};

typedef int get_members(int category, int len, int indices[]);

/* The members of all categories together are 0 to all - 1, each once. */
static void check_members(get_members *get, int (*count_of)(int category), int all)
{
    int categories = 0, seen[MOST] = {0}, indices[MOST];

    MPI_T_category_get_num(&categories);
    for (int c = 0; c < categories; c++) {
        int count = count_of(c);

        for (int i = 0; i < MOST; i++)
            indices[i] = -1;
        CHECK_EQ(get(c, MOST, indices), MPI_SUCCESS);
        for (int i = 0; i < MOST; i++)
            CHECK_EQ(indices[i] != -1, i < count);
        for (int i = 0; i < count; i++)
            seen[indices[i]]++;
        if (count > 1) {
            indices[1] = -1;
            CHECK_EQ(get(c, 1, indices), MPI_SUCCESS);
            CHECK_EQ(indices[1], -1);
        }
    }
    for (int i = 0; i < all; i++)
        CHECK_EQ(seen[i], 1);
    CHECK_EQ(get(categories, MOST, indices), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(get(0, -1, indices), MPI_T_ERR_INVALID);
}

static int cvars_of(int category)
{
    int count = -1;

    CHECK_EQ(MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, &count, NULL, NULL), MPI_SUCCESS);
    return count;
}

static int pvars_of(int category)
{
    int count = -1;

    CHECK_EQ(MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, NULL, &count, NULL), MPI_SUCCESS);
    return count;
}

static int events_of(int category)
{
    int count = -1;

    CHECK_EQ(MPI_T_category_get_num_events(category, &count), MPI_SUCCESS);
    return count;
}

static void check_names(int categories)
{
    int members = -1, indices[MOST], back = -1;

    for (int c = 0; c < categories; c++) {
        char name[64] = "", text[256] = "";
        int length = sizeof name, text_length = sizeof text;

        CHECK_EQ(MPI_T_category_get_info(c, name, &length, text, &text_length, NULL, NULL, &members),
                 MPI_SUCCESS);
        CHECK(*name && *text);
        CHECK_EQ(MPI_T_category_get_index(name, &back), MPI_SUCCESS);
        CHECK_EQ(back, c);
        CHECK_EQ(members, c == 0 ? categories - 1 : 0);
    }
    CHECK_EQ(MPI_T_category_get_categories(0, MOST, indices), MPI_SUCCESS);
    for (int i = 0; i < categories - 1; i++)
        CHECK_EQ(indices[i], i + 1);
    CHECK_EQ(MPI_T_category_get_index("no such", &back), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_category_get_index(NULL, &back), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_category_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_category_get_num_events(categories, &back), MPI_T_ERR_INVALID_INDEX);
}

int main(int argc, char **argv)
{
    int all = 0, categories = 0, before = -1, after = -2;

    mpit_open();
    CHECK_EQ(MPI_T_category_changed(&before), MPI_SUCCESS);
    CHECK_EQ(MPI_T_category_changed(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_category_get_num(&categories), MPI_SUCCESS);
    CHECK_EQ(MPI_T_category_get_num(NULL), MPI_T_ERR_INVALID);
    check_names(categories);
    MPI_T_cvar_get_num(&all);
    check_members(MPI_T_category_get_cvars, cvars_of, all);
    MPI_T_pvar_get_num(&all);
    check_members(MPI_T_category_get_pvars, pvars_of, all);
    MPI_T_event_get_num(&all);
    check_members(MPI_T_category_get_events, events_of, all);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    CHECK_EQ(MPI_T_category_changed(&after), MPI_SUCCESS);
    CHECK_EQ(after, before);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
