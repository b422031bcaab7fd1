/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_FUNCTION_REPORT_H
#define KT_TABLES_FUNCTION_REPORT_H

#include "tables/relations/function_relations.h"
#include "tables/relations/function_study.h"

struct attribution_output;
struct function_table;
struct part_tree;
struct task_names;

/* The contents of `report --function`; all borrowed. */
struct function_report {
	const char *name; /* as given by the user */
	const struct function_table *functions;
	const struct task_names *names;
	const struct function_relations *relations;
	const struct function_study *study;
	const struct study_class *slow;	   /* the slowest tenth of calls */
	const struct study_class *typical; /* the calls of median length */
	const struct part_tree *slow_tree; /* parts of slow, per call */
	const struct part_tree *typical_tree;
};

/* "wall_ns", "on_cpu_ns", … */
const char *function_report_time_name(enum study_time time);

/* Returns the name of @relation's function, "" if unknown. */
const char *function_report_relation(const struct function_report *report,
				     const struct function_relation *relation);

/* Return 0 or -ERROR_MEMORY. */
int function_report_text(const struct function_report *report,
			 const struct attribution_output *output);
int function_report_records(const struct function_report *report,
			    const struct attribution_output *output);

#endif
