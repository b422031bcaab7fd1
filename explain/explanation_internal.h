/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_EXPLANATION_INTERNAL_H
#define KT_EXPLAIN_EXPLANATION_INTERNAL_H

#include "explain/sentences_internal.h"

#include <stdio.h>

/* Write @explanation: as text for people (at most one screen), as JSON, or as
 * CSV.
 */
void explanation_write_text(const struct explanation *explanation, FILE *out);
void explanation_write_json(const struct explanation *explanation, FILE *out);
void explanation_write_csv(const struct explanation *explanation,
			   const struct attribution_output *output);

#endif
