/*
 * Findings of a protocol checker
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "model-findings.h"

/* Limit the host memory that a broken guest can use. */
#define MAX_FINDINGS    4096

typedef struct Finding {
    char *where;
    char *rule;
    uint64_t count;
} Finding;

struct ModelFindings {
    GPtrArray *list;
    uint64_t lost;
};

static void finding_free(gpointer p)
{
    Finding *f = p;

    g_free(f->where);
    g_free(f->rule);
    g_free(f);
}

ModelFindings *model_findings_new(void)
{
    ModelFindings *f = g_new0(ModelFindings, 1);

    f->list = g_ptr_array_new_with_free_func(finding_free);
    return f;
}

void model_findings_clear(ModelFindings *f)
{
    g_ptr_array_set_size(f->list, 0);
    f->lost = 0;
}

void model_findings_add(ModelFindings *f, const char *where, const char *rule)
{
    Finding *new;

    for (unsigned i = 0; i < f->list->len; i++) {
        Finding *old = g_ptr_array_index(f->list, i);

        if (!strcmp(old->where, where) && !strcmp(old->rule, rule)) {
            old->count++;
            return;
        }
    }
    if (f->list->len == MAX_FINDINGS) {
        f->lost++;
        return;
    }
    new = g_new(Finding, 1);
    *new = (Finding) { g_strdup(where), g_strdup(rule), 1 };
    g_ptr_array_add(f->list, new);
}

ModelStatus model_findings_answer(void *findings, const char *args,
                                  GString *out, Error **errp)
{
    ModelFindings *f = findings;
    ModelStatus status = f->list->len ? MODEL_STATUS_FOUND : MODEL_STATUS_OK;

    if (*args && strcmp(args, "reset")) {
        error_setg(errp, "'%s' is not understood: only 'reset' may follow",
                   args);
        return MODEL_STATUS_ERROR;
    }
    for (unsigned i = 0; i < f->list->len; i++) {
        Finding *x = g_ptr_array_index(f->list, i);

        g_string_append_printf(out, "%s count=%" PRIu64 " rule=\"%s\"\n",
                               x->where, x->count, x->rule);
    }
    if (f->lost) {
        g_string_append_printf(out, "lost=%" PRIu64 "\n", f->lost);
    }
    if (*args) {
        model_findings_clear(f);
    }
    return status;
}
