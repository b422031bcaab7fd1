/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LATENCY_REPORT_H
#define KT_TABLES_LATENCY_REPORT_H

struct array;
struct attribution_output;
struct latency;
struct function_table;

/* This is what `report --between` shows; all borrowed. */
struct latency_report {
	const struct latency *latency; /* after latency_end() */
	const struct function_table *functions;
	const char *from; /* the functions' names as asked for */
	const char *to;
};

/* Returns 0, -ERROR_MEMORY, -ERROR_NOT_FOUND if paths have no column called
 * output->sort.
 */
int latency_report_write(const struct latency_report *report,
			 const struct attribution_output *output);

/* Write what latency_report_write() does, with the paths that it chose
 * (const struct latency_path *).  Return 0 or -ERROR_MEMORY.
 */
int latency_report_text(const struct latency_report *report,
			const struct attribution_output *output,
			const struct array *paths);
int latency_report_records(const struct latency_report *report,
			   const struct attribution_output *output,
			   const struct array *paths);

#endif
