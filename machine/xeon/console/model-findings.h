/*
 * Findings of a protocol checker
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_FINDINGS_H
#define HW_I386_MODEL_FINDINGS_H

#include "qapi/error.h"
#include "model-port.h"

typedef struct ModelFindings ModelFindings;

ModelFindings *model_findings_new(void);

/* @where: the access, as KEY=VALUE words. Repeated findings are counted. */
void model_findings_add(ModelFindings *f, const char *where, const char *rule);

void model_findings_clear(ModelFindings *f);

/*
 * The console's "checker [reset]": prints each finding as "WHERE count=N
 * rule=\"RULE\"". Returns MODEL_STATUS_FOUND if there are any. @findings is a
 * ModelFindings; a ModelCommand can be this function.
 */
ModelStatus model_findings_answer(void *findings, const char *args,
                                  GString *out, Error **errp);

#endif
