/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_ANNOTATE_ANNOTATE_H
#define KT_REPORT_ANNOTATE_ANNOTATE_H

#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct annotation;
struct lines;

/* How to write an annotation. */
struct annotate_options {
	struct lines *lines;  /* borrowed; NULL: no source lines */
	uint64_t top;	      /* maximum number of functions */
	bool with_unexecuted; /* text: every instruction that never ran */
	/* JSON: the text of the source line, in the first row of each line */
	bool with_source;
};

/* Write the functions of @annotation, the ones with the most time first, with
 * each instruction's count, time and branches. Text also has the source text of
 * each line, if the file is found.
 *
 * Return 0 or -ERROR_MEMORY. Write errors are recorded in @out (ferror).
 */
int annotate_text(const struct annotation *annotation,
		  const struct annotate_options *options, FILE *out);
int annotate_csv(const struct annotation *annotation,
		 const struct annotate_options *options, FILE *out);
int annotate_json(const struct annotation *annotation,
		  const struct annotate_options *options, FILE *out);

/* Writes the functions that were inlined into those of @annotation, the ones
 * with the most time first: how often each such call was entered, its time, and
 * the line of the call. Requires options->lines.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int annotate_inlined(const struct annotation *annotation,
		     const struct annotate_options *options,
		     enum record_format format, FILE *out);

#endif
