/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SUMMARY_H
#define KT_REPORT_SUMMARY_H

#include "common/array.h"
#include "report/profile_report.h"

/* One fact about a recording. */
struct summary_line {
	const char *section;	/* "recording", "cpu", "process" */
	int64_t id;		/* of the CPU or process, else -1 */
	const char *name;
	const char *text;	/* NULL: the value is number */
	uint64_t number;
	const char *unit;	/* "" where there is none */
};

/* What was recorded, known and unknown time, processes. */
struct summary {
	struct array lines;	/* struct summary_line */
};

/* Returns 0 and @summary, which borrows texts of @report; free it with
 * summary_free().  -ERROR_MEMORY.
 */
int summary_make(const struct profile_report *report, struct summary *summary);
void summary_free(struct summary *summary);

#endif
