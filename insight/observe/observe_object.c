#include "insight/observe/observe.h"

#include "insight/call/program_site.h"
#include "insight/call/type_signature.h"
#include "insight/objects/info_value.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PREDEFINED = 0x200, /* where the standard's ABI has the handles of datatypes */
    PREDEFINED_END = 0x300,
    TYPES = 2048 /* derived datatypes that can be told apart */
};

static struct observed_type predefined_type[PREDEFINED_END - PREDEFINED];
/* Derived ones, by handle; a free slot has handle 0, one that was freed keeps it and has size -1. Owned by
 * call_lock. */
static struct type_slot {
    uint64_t handle;
    struct observed_type type;
} types[TYPES];

static struct observed_type ask_type(MPI_Datatype type)
{
    MPI_Count size = 0, low = 0, extent = 0;

    real.Type_size_c(type, &size);
    real.Type_get_true_extent_c(type, &low, &extent);
    return (struct observed_type){size, true, low == 0 && extent == size};
}

static struct type_slot *find_slot(uint64_t handle)
{
    size_t at = (size_t)((handle * 0x9e3779b97f4a7c15u) >> 53);

    for (int i = 0; i < TYPES; i++, at = (at + 1) % TYPES)
        if (types[at].handle == handle || !types[at].handle)
            return &types[at];
    return NULL;
}

static const struct observed_type *find_predefined(uint64_t handle)
{
    struct observed_type *type = &predefined_type[handle - PREDEFINED];

    for (const struct constant_name *row = constant_names; row->name && !type->is_known; row++)
        if (row->value == handle && (MPI_Datatype)(uintptr_t)handle != MPI_DATATYPE_NULL)
            *type = ask_type((MPI_Datatype)(uintptr_t)handle);
    return type;
}

const struct observed_type *observe_type(uint64_t handle)
{
    static const struct observed_type unknown;
    struct type_slot *slot;

    if (handle >= PREDEFINED && handle < PREDEFINED_END)
        return find_predefined(handle);
    slot = handle ? find_slot(handle) : NULL;
    return slot && slot->handle && slot->type.size >= 0 ? &slot->type : &unknown;
}

void observe_type_after(const struct intercept *call)
{
    enum family family = call->procedure->family;
    struct type_slot *slot;
    uint64_t handle;

    if (family == FAMILY_TYPE_FREE)
        handle = call->seen.request;
    else if (family == FAMILY_TYPE_MAKE)
        handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW);
    else
        return;
    slot = handle ? find_slot(handle) : NULL;
    if (!slot || (family == FAMILY_TYPE_FREE && !slot->handle))
        return;
    slot->handle = handle;
    slot->type = (struct observed_type){.size = -1};
    if (family == FAMILY_TYPE_MAKE)
        slot->type = ask_type((MPI_Datatype)(uintptr_t)handle);
}

enum {
    HANDLES = 1024, /* live objects that can be told apart */
    PLACES = 1024
};

static const uint64_t GONE = UINT64_MAX; /* a slot that had a handle */

/* A live handle. Owned by call_lock. */
static struct live {
    uint64_t handle; /* 0: never used; GONE: free again */
    int kind, object;
    int size;   /* of communicators: the group that messages go to */
    int *world; /* their ranks in MPI_COMM_WORLD; NULL: the same numbers; MPI_UNDEFINED: not there */
} handles[HANDLES];

struct observe observe; /* observe.c writes it */

static struct live *last; /* most calls are on the object of the one before */

static struct {
    void *address;
    struct profile_place place;
} known[PLACES];

int observe_index(const struct profile_object *object)
{
    return (int)(object - observe.profile->object);
}

struct profile_object *observe_object_at(int index)
{
    return index < 0 ? NULL : &observe.profile->object[index];
}

static uint32_t number_module(const char *path)
{
    struct profile *p = observe.profile;
    uint32_t i;

    for (i = 0; i < p->modules; i++)
        if (strcmp(p->module[i], path) == 0)
            return i + 1;
    if (i == PROFILE_MODULES || strlen(path) >= PROFILE_PATH)
        return 0;
    strcpy(p->module[i], path);
    p->modules++;
    return i + 1;
}

struct profile_place observe_place(void *address)
{
    size_t index = ((uintptr_t)address * 0x9e3779b97f4a7c15u) >> 54;
    struct profile_place place = {0, 0};
    char path[PROFILE_PATH];
    uint64_t offset;

    if (known[index].address == address)
        return known[index].place;
    if (!program_site_locate(address, path, sizeof path, &offset))
        return place;
    place.module = number_module(path);
    place.offset = offset;
    known[index].address = address;
    known[index].place = place;
    return place;
}

static size_t slot_of(uint64_t handle)
{
    return (size_t)((handle * 0x9e3779b97f4a7c15u) >> 54);
}

static struct live *find_live(int kind, uint64_t handle)
{
    if (last && last->handle == handle && last->kind == kind)
        return last;
    for (size_t i = 0, at = slot_of(handle); i < HANDLES && handles[at].handle; i++, at = (at + 1) % HANDLES)
        if (handles[at].handle == handle && handles[at].kind == kind)
            return last = &handles[at];
    return NULL;
}

uint64_t observe_handle(const struct intercept *call, enum role role)
{
    const uint64_t *handle = (const uint64_t *)(intptr_t)intercept_argument(call, role);

    return handle ? *handle : 0;
}

/* The handle that the call works on, of the kind; those that free it take a pointer. */
static uint64_t live_handle(const struct intercept *call, enum role role)
{
    enum family family = call->procedure->family;

    if (family == FAMILY_COMM_FREE || family == FAMILY_WIN_FREE || family == FAMILY_FILE_CLOSE)
        return observe_handle(call, role);
    return (uint64_t)intercept_argument(call, role);
}

static struct live *find_of(const struct intercept *call)
{
    static const enum role roles[] = {AT_COMM, AT_WIN, AT_FILE};

    for (int kind = PROFILE_COMM; kind <= PROFILE_FILE; kind++)
        if (intercept_has(call, roles[kind]))
            return find_live(kind, live_handle(call, roles[kind]));
    return NULL;
}

struct profile_object *observe_object_of(const struct intercept *call)
{
    struct live *live = find_of(call);

    return live ? observe_object_at(live->object) : NULL;
}

int observe_world_rank(const struct intercept *call, int rank)
{
    struct live *live = find_of(call);

    if (!live || live->kind != PROFILE_COMM || rank < 0 || rank >= live->size)
        return -1;
    return live->world ? live->world[rank] : rank;
}

static struct live *add_live(int kind, uint64_t handle, int object)
{
    for (size_t i = 0, at = slot_of(handle); i < HANDLES; i++, at = (at + 1) % HANDLES) {
        if (handles[at].handle && handles[at].handle != GONE)
            continue;
        handles[at] = (struct live){.handle = handle, .kind = kind, .object = object};
        return &handles[at];
    }
    observe.profile->has_lost_objects = true;
    return NULL;
}

static void set_name(struct profile_object *object, const char *name)
{
    if (!*name || object->has_names || strcmp(object->name, name) == 0)
        return;
    if (object->name[0] || strlen(name) >= PROFILE_NAME) {
        object->has_names = true;
        object->name[0] = '\0';
        return;
    }
    strcpy(object->name, name);
}

/* The record of all objects that this call makes at this place. -1: no room. */
static int find_object(int kind, const char *maker, void *site, const char *name)
{
    struct profile *p = observe.profile;
    struct profile_place place = observe_place(site);
    struct profile_object *object;

    for (uint32_t i = 0; i < p->objects; i++) {
        object = &p->object[i];
        if (object->kind == kind && object->place.module == place.module &&
            object->place.offset == place.offset && strcmp(object->maker, maker) == 0 &&
            (maker[0] || strcmp(object->name, name) == 0))
            return (int)i;
    }
    if (p->objects == PROFILE_OBJECTS) {
        p->has_lost_objects = true;
        return -1;
    }
    object = &p->object[p->objects];
    *object = (struct profile_object){.kind = kind, .place = place, .ranks = 1};
    snprintf(object->maker, sizeof object->maker, "%s", maker);
    set_name(object, name);
    return (int)p->objects++;
}

/* Where a communicator's messages go. */
static void learn_members(struct live *live, MPI_Comm comm)
{
    MPI_Group group, world;
    int is_inter = 0, same = 1, *rank;

    real.Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        real.Comm_remote_size(comm, &live->size);
        real.Comm_remote_group(comm, &group);
    } else {
        real.Comm_size(comm, &live->size);
        real.Comm_group(comm, &group);
    }
    real.Comm_group(MPI_COMM_WORLD, &world);
    rank = malloc(2 * sizeof *rank * (size_t)(live->size + 1));
    for (int i = 0; rank && i < live->size; i++)
        rank[live->size + i] = i;
    if (rank && real.Group_translate_ranks(group, live->size, rank + live->size, world, rank) == MPI_SUCCESS)
        for (int i = 0; i < live->size; i++)
            same &= rank[i] == i;
    else
        live->size = 0;
    live->world = rank;
    if (same) {
        free(rank);
        live->world = NULL;
    }
    real.Group_free(&group);
    real.Group_free(&world);
}

/* Of an interpreter of Python the script: its first argument that is no option, if that is a file. */
static void note_program(char *program)
{
    char words[4096], whole[PATH_MAX];
    FILE *in = fopen("/proc/self/cmdline", "re");
    size_t length = in ? fread(words, 1, sizeof words - 1, in) : 0;
    const char *slash;

    if (in)
        fclose(in);
    words[length] = '\0';
    readlink("/proc/self/exe", program, PROFILE_PATH - 1);
    slash = strrchr(program, '/');
    if (strncmp(slash ? slash + 1 : program, "python", strlen("python")) != 0)
        return;
    for (size_t at = strlen(words) + 1; at < length; at += strlen(words + at) + 1) {
        if (strcmp(words + at, "-c") == 0 || strcmp(words + at, "-m") == 0)
            return;
        if (words[at] != '-' && realpath(words + at, whole) && strlen(whole) < PROFILE_PATH) {
            strcpy(program, whole);
            return;
        }
    }
}

void observe_object_start(void)
{
    static const struct {
        MPI_Comm comm;
        const char *name;
    } predefined[] = {{MPI_COMM_WORLD, "MPI_COMM_WORLD"}, {MPI_COMM_SELF, "MPI_COMM_SELF"}};

    for (int i = 0; i < 2; i++) {
        int index = find_object(PROFILE_COMM, "", NULL, predefined[i].name);
        struct live *live = add_live(PROFILE_COMM, (uint64_t)(uintptr_t)predefined[i].comm, index);

        observe_object_at(index)->made = 1;
        observe_object_at(index)->expected = 1;
        learn_members(live, predefined[i].comm);
    }
    note_program(observe.profile->program);
}

static uint64_t mix_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;

    return h ^ h >> 32;
}

/* Counts the object where it was made, and the members that must have made it too. */
static void count_made(const struct intercept *call, struct profile_object *object, MPI_Comm comm)
{
    int rank = 1, size = 0;

    real.Comm_rank(comm, &rank);
    real.Comm_size(comm, &size);
    object->made++;
    object->expected += rank == 0 ? (uint64_t)size : 0;
    if (object->kind == PROFILE_WIN) {
        object->size_hash = mix_hash(object->size_hash, (uint64_t)intercept_argument(call, AT_SIZE));
        object->unit_hash = mix_hash(object->unit_hash, (uint64_t)intercept_argument(call, AT_DISP_UNIT));
    }
}

static void note_made(struct intercept *call, int kind)
{
    uint64_t handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW);
    bool is_null = kind == PROFILE_COMM  ? handle == (uint64_t)(uintptr_t)MPI_COMM_NULL
                   : kind == PROFILE_WIN ? handle == (uint64_t)(uintptr_t)MPI_WIN_NULL
                                         : handle == (uint64_t)(uintptr_t)MPI_FILE_NULL;
    bool is_late = call->procedure->family == FAMILY_COMM_IMAKE; /* the new one may not be asked yet */
    int index = is_null ? -1 : find_object(kind, call->procedure->name, call->site, "");
    struct live *live = index < 0 ? NULL : add_live(kind, handle, index);

    if (index < 0)
        return;
    if (kind == PROFILE_FILE)
        set_name(observe_object_at(index), (const char *)(intptr_t)call->argument[1]);
    count_made(call, observe_object_at(index),
               kind == PROFILE_COMM && !is_late ? (MPI_Comm)(uintptr_t)handle
                                                : (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM));
    if (live && kind == PROFILE_COMM)
        learn_members(live, is_late ? (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM)
                                    : (MPI_Comm)(uintptr_t)handle);
}

static void note_given(int object, const char *key, MPI_Info given, MPI_Info now)
{
    struct profile *p = observe.profile;
    struct profile_given new = {.object = object, .count = 1};

    snprintf(new.key, sizeof new.key, "%.63s", key);
    info_value_read(given, key, new.value, sizeof new.value);
    info_value_read(now, key, new.now, sizeof new.now);
    for (uint32_t i = 0; i < p->given; i++) {
        struct profile_given *old = &p->hint[i];

        if (old->object == object && strcmp(old->key, new.key) == 0 && strcmp(old->value, new.value) == 0 &&
            strcmp(old->now, new.now) == 0) {
            old->count++;
            return;
        }
    }
    if (p->given < PROFILE_GIVEN)
        p->hint[p->given++] = new;
}

/* Compares what an object was given with what it says it has. */
static void note_infos(const struct intercept *call, int kind, uint64_t handle)
{
    MPI_Info info = (MPI_Info)(intptr_t)intercept_argument(call, AT_INFO), now = MPI_INFO_NULL;
    struct live *live = find_live(kind, handle);
    char key[MPI_MAX_INFO_KEY + 1];
    int keys = 0;

    if (!intercept_has(call, AT_INFO) || info == MPI_INFO_NULL || !live || real.Info_get_nkeys(info, &keys))
        return;
    if (kind == PROFILE_COMM)
        real.Comm_get_info((MPI_Comm)(uintptr_t)handle, &now);
    else if (kind == PROFILE_WIN)
        real.Win_get_info((MPI_Win)(uintptr_t)handle, &now);
    else
        real.File_get_info((MPI_File)(uintptr_t)handle, &now);
    for (int i = 0; i < keys && now != MPI_INFO_NULL; i++)
        if (real.Info_get_nthkey(info, i, key) == MPI_SUCCESS)
            note_given(live->object, key, info, now);
    if (now != MPI_INFO_NULL)
        real.Info_free(&now);
}

void observe_object_before(struct intercept *call)
{
    enum family family = call->procedure->family;
    struct live *live;

    if (family != FAMILY_COMM_FREE && family != FAMILY_WIN_FREE && family != FAMILY_FILE_CLOSE)
        return;
    live = find_of(call);
    call->seen.freed = live;
}

void observe_object_after(struct intercept *call)
{
    struct live *live = call->seen.freed;

    if (live) {
        free(live->world);
        *live = (struct live){.handle = GONE};
        last = NULL;
    }
    switch (call->procedure->family) {
    case FAMILY_COMM_MAKE:
    case FAMILY_COMM_IMAKE:
    case FAMILY_COMM_GROUP_MAKE:
    case FAMILY_COMM_SHRINK:
        note_made(call, PROFILE_COMM);
        if (call->procedure->family == FAMILY_COMM_MAKE)
            note_infos(call, PROFILE_COMM, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW));
        break;
    case FAMILY_WIN_MAKE:
        note_made(call, PROFILE_WIN);
        note_infos(call, PROFILE_WIN, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW));
        break;
    case FAMILY_FILE_OPEN:
        note_made(call, PROFILE_FILE);
        note_infos(call, PROFILE_FILE, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW));
        break;
    case FAMILY_COMM_INFO:
        note_infos(call, PROFILE_COMM, live_handle(call, AT_COMM));
        break;
    case FAMILY_WIN_SET_INFO:
        note_infos(call, PROFILE_WIN, live_handle(call, AT_WIN));
        break;
    case FAMILY_NAME:
        if (observe_object_of(call))
            set_name(observe_object_of(call), (const char *)(intptr_t)intercept_argument(call, AT_NAME_TEXT));
        break;
    default:
        break;
    }
}
