/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LATENCY_REPORT_H
#define KT_TABLES_LATENCY_REPORT_H

struct array;
struct attribution_output;
struct latency;
struct function_table;

/* The contents of `report --between`; all borrowed. */
struct latency_report {
	const struct latency *latency; /* after latency_end() */
	const struct function_table *functions;
	const char *from; /* the functions' names as given by the user */
	const char *to;
};

/* Returns 0, -ERROR_MEMORY, or -ERROR_NOT_FOUND if paths have no column
 * output->sort.
 */
int latency_report_write(const struct latency_report *report,
			 const struct attribution_output *output);

/* Write the report in one format, with the paths that latency_report_write()
 * has chosen (const struct latency_path *). Return 0 or -ERROR_MEMORY.
 */
int latency_report_text(const struct latency_report *report,
			const struct attribution_output *output,
			const struct array *paths);
int latency_report_records(const struct latency_report *report,
			   const struct attribution_output *output,
			   const struct array *paths);

#endif
