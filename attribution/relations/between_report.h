/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_BETWEEN_REPORT_H
#define KT_ATTRIBUTION_BETWEEN_REPORT_H

struct array;
struct attribution_output;
struct between;
struct function_table;

/* What `report --between` shows; all borrowed. */
struct between_report {
	const struct between *between; /* after between_end() */
	const struct function_table *functions;
	const char *from; /* the functions' names as asked for */
	const char *to;
};

/* Returns 0, -ERROR_MEMORY, -ERROR_NOT_FOUND if paths have no column called
 * output->sort.
 */
int between_report_write(const struct between_report *report,
			 const struct attribution_output *output);

/* Write what between_report_write() does, with the paths that it chose
 * (const struct between_path *).  Return 0 or -ERROR_MEMORY.
 */
int between_report_text(const struct between_report *report,
			const struct attribution_output *output,
			const struct array *paths);
int between_report_records(const struct between_report *report,
			   const struct attribution_output *output,
			   const struct array *paths);

#endif
