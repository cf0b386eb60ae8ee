/* A libpmix that speaks for a launcher of one process, without one. PRETEND has its answers, KEY=KIND:VALUE with
 * commas between them, and words for what it does: "alone" goes on without the launcher, as some versions do, "deaf"
 * cannot be told of the end, "lost" loses the launcher soon after the start, "stuck" never comes back from an abort.
 * What the process puts can be got again. */
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEYS = 32
};

static struct {
    char key[PMIX_MAX_KEYLEN + 1], *value;
} put[KEYS];
static int puts_made;
static pmix_notification_fn_t on_loss;

/* What stands behind `word` in PRETEND; NULL: it does not. */
static const char *pretended(const char *word)
{
    const char *found = getenv("PRETEND");
    size_t length = strlen(word);

    while (found && strncmp(found, word, length) != 0) {
        found = strchr(found, ',');
        found = found ? found + 1 : NULL;
    }
    return found ? found + length : NULL;
}

static pmix_status_t answer(const char *text, pmix_value_t *value)
{
    if (strncmp(text, "=uint32:", 8) == 0) {
        value->type = PMIX_UINT32;
        value->data.uint32 = (uint32_t)strtoul(text + 8, NULL, 0);
    } else if (strncmp(text, "=int:", 5) == 0) {
        value->type = PMIX_INT;
        value->data.integer = atoi(text + 5);
    } else if (strncmp(text, "=size:", 6) == 0) {
        value->type = PMIX_SIZE;
        value->data.size = strtoull(text + 6, NULL, 0);
    } else {
        value->type = PMIX_STRING;
        value->data.string = strndup(text + 6, strcspn(text + 6, ",")); /* behind "=text:" */
    }
    return PMIX_SUCCESS;
}

static void *lose(void *unused)
{
    (void)unused;
    usleep(300000);
    on_loss(0, PMIX_ERR_LOST_CONNECTION, NULL, NULL, 0, NULL, 0, NULL, NULL);
    return NULL;
}

pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    (void)info, (void)ninfo;
    snprintf(proc->nspace, sizeof proc->nspace, "%s",
             pretended("alone") ? "singleton" : getenv("PMIX_NAMESPACE"));
    proc->rank = (pmix_rank_t)strtoul(getenv("PMIX_RANK"), NULL, 0);
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo)
{
    (void)info, (void)ninfo;
    return pretended("deaf") ? PMIX_ERR_UNREACH : PMIX_SUCCESS;
}

pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *val)
{
    (void)scope;
    if (puts_made == KEYS)
        return PMIX_ERROR;
    snprintf(put[puts_made].key, sizeof put->key, "%s", key);
    put[puts_made++].value = strdup(val->data.string);
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Commit(void)
{
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo)
{
    (void)procs, (void)nprocs, (void)info, (void)ninfo;
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[], size_t ninfo,
                       pmix_value_t **val)
{
    const char *text = pretended(key);

    (void)proc, (void)info, (void)ninfo;
    *val = calloc(1, sizeof **val);
    if (!*val)
        return PMIX_ERR_NOMEM;
    if (text)
        return answer(text, *val);
    for (int i = 0; i < puts_made; i++) {
        if (strcmp(put[i].key, key) == 0) {
            (*val)->type = PMIX_STRING;
            (*val)->data.string = strdup(put[i].value);
            return PMIX_SUCCESS;
        }
    }
    free(*val);
    *val = NULL;
    return PMIX_ERR_NOT_FOUND;
}

pmix_status_t PMIx_Abort(int status, const char msg[], pmix_proc_t procs[], size_t nprocs)
{
    (void)msg, (void)procs, (void)nprocs;
    while (pretended("stuck"))
        pause();
    _exit(100 + status);
}

pmix_status_t PMIx_Register_event_handler(pmix_status_t codes[], size_t ncodes, pmix_info_t info[],
                                          size_t ninfo, pmix_notification_fn_t evhdlr,
                                          pmix_hdlr_reg_cbfunc_t cbfunc, void *cbdata)
{
    pthread_t thread;

    (void)info, (void)ninfo, (void)cbfunc, (void)cbdata;
    on_loss = evhdlr;
    if (pretended("lost") && ncodes == 1 && codes[0] == PMIX_ERR_LOST_CONNECTION)
        pthread_create(&thread, NULL, lose, NULL);
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Query_info(pmix_query_t queries[], size_t nqueries, pmix_info_t **results,
                              size_t *nresults)
{
    (void)queries, (void)nqueries, (void)results, (void)nresults;
    return PMIX_ERR_NOT_SUPPORTED;
}

const char *PMIx_Error_string(pmix_status_t status)
{
    (void)status;
    return "pretended";
}
