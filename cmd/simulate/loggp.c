#include "cmd/simulate/count.h"

#include "plain/fail.h"
#include "plain/json.h"

#include <errno.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_LARGEST = 4 << 20
};

struct loggp loggp_given(void)
{
    return (struct loggp){
        .near = {.latency = 0.15e-6, .overhead = 0.1e-6, .gap = 0, .byte = 0.1e-9, .eager = 4096},
        .far = {.latency = 1e-6, .overhead = 0.3e-6, .gap = 0.05e-6, .byte = 0.08e-9, .eager = 32768},
        .copy = 0.05e-9,
        .reduce = 0.1e-9,
        .step = 0.01e-6,
        .source = "given: 100 Gbit/s and 1 us between hosts, 10 GB/s within one",
    };
}

static const struct {
    const char *link, *name; /* link: NULL: of the host */
    size_t at;
} numbers[] = {
    {"near", "latency", offsetof(struct loggp, near.latency)},
    {"near", "overhead", offsetof(struct loggp, near.overhead)},
    {"near", "gap", offsetof(struct loggp, near.gap)},
    {"near", "byte", offsetof(struct loggp, near.byte)},
    {"near", "eager", offsetof(struct loggp, near.eager)},
    {"far", "latency", offsetof(struct loggp, far.latency)},
    {"far", "overhead", offsetof(struct loggp, far.overhead)},
    {"far", "gap", offsetof(struct loggp, far.gap)},
    {"far", "byte", offsetof(struct loggp, far.byte)},
    {"far", "eager", offsetof(struct loggp, far.eager)},
    {NULL, "copy", offsetof(struct loggp, copy)},
    {NULL, "reduce", offsetof(struct loggp, reduce)},
    {NULL, "step", offsetof(struct loggp, step)},
};

/* What the file leaves out stays as it is. */
static int take_numbers(const char *path, const struct json_tree *tree, const struct json_value *object,
                        struct loggp *model)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct json_value *of = numbers[i].link ? json_member(tree, object, numbers[i].link) : object;
        const struct json_value *value = json_member(tree, of, numbers[i].name);
        double number;

        if (!value)
            continue;
        if (!json_number(value, &number) || number < 0)
            return fail(MPI_ERR_OTHER, "%.200s: \"%s\" of the model is %.*s; write a number from 0 on", path,
                        numbers[i].name, (int)(value->text.length < 40 ? value->text.length : 40),
                        value->text.at);
        memcpy((char *)model + numbers[i].at, &number, sizeof number);
    }
    return MPI_SUCCESS;
}

static int loggp_read_text(const char *path, const char *text, size_t length, struct loggp *model)
{
    const struct json_value *object;
    struct json_tree tree;
    char note[FAIL_NOTE_SIZE];
    int error = json_read(&tree, text, length);

    if (error) {
        snprintf(note, sizeof note, "%s", fail_note());
        return fail(error, "%.100s: %.200s", path, note);
    }
    object = json_member(&tree, tree.value, "model");
    if (!object)
        error = fail(MPI_ERR_OTHER, "%.200s: has no \"model\"; have inkling tune write one", path);
    else
        error = take_numbers(path, &tree, object, model);
    json_free(&tree);
    model->is_measured = true;
    snprintf(model->source, sizeof model->source, "%s", path);
    return error;
}

int loggp_read(const char *path, struct loggp *model)
{
    FILE *in = fopen(path, "re");
    char *text = in ? malloc(FILE_LARGEST) : NULL;
    size_t length = text ? fread(text, 1, FILE_LARGEST, in) : 0;
    int error = text ? loggp_read_text(path, text, length, model)
                     : fail(MPI_ERR_OTHER, "%.200s: cannot be read (%s)", path, strerror(errno));

    free(text);
    if (in)
        fclose(in);
    return error;
}
