/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_FUNCTION_TREES_H
#define KT_TABLES_FUNCTION_TREES_H

#include <stdio.h>

struct attribution_output;
struct function_report;

/* Write call trees in text: those of the slowest calls, and the difference
 * between slow calls and typical ones.  Return 0 or -ERROR_MEMORY.
 */
int function_trees_slow(const struct function_report *report,
			const struct attribution_output *output);
int function_trees_comparison(const struct function_report *report, FILE *out);

#endif
