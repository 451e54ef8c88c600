/*
 * What the judges of the models have found: a list that each of them keeps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_FINDINGS_H
#define HW_I386_MODEL_FINDINGS_H

#include "qapi/error.h"

typedef struct ModelFindings ModelFindings;

ModelFindings *model_findings_new(void);

/**
 * model_findings_add: a rule was broken.
 *
 * @where: by whom and with what, as KEY=VALUE words
 * @rule: what it says
 *
 * Told the same again it only counts.
 */
void model_findings_add(ModelFindings *f, const char *where, const char *rule);

void model_findings_clear(ModelFindings *f);

/**
 * model_findings_answer: the console's "judge [reset]".
 *
 * @args: "", or "reset": they are printed once more and forgotten
 *
 * Each finding is a line "WHERE count=N rule=\"RULE\"". Returns true when there
 * is one.
 */
bool model_findings_answer(ModelFindings *f, const char *args, GString *out,
                           Error **errp);

#endif
