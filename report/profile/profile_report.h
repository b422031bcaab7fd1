/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_REPORT_H
#define KT_REPORT_PROFILE_REPORT_H

#include "report/profile/function_profile.h"
#include "report/profile/profile_interrupts.h"
#include "report/profile/profile_scope.h"
#include "report/steps/task_stacks.h"

#include <stdio.h>

struct colors;
struct function_table;
struct lines;
struct recording;
struct step_filter;
struct task_groups;
struct task_names;

/* A finished profile and all that renderers may say about it.  They are pure
 * functions of it.  Everything is borrowed.
 */
struct profile_report {
	const struct recording *recording;
	const struct function_table *functions;
	struct lines *lines; /* NULL: source lines are not wanted */
	const struct task_names *names;
	const struct task_stacks *stacks;
	const struct call_tree *tree;
	const struct step_filter *filter;
	bool by_process;
	const struct task_groups *groups; /* of the trees; NULL: processes */
	const char *title; /* what time the tree holds; NULL: that on CPUs
				 * in functions */
	bool has_states;   /* it holds frame_state.h's, too */
	bool has_no_calls; /* they were not counted */
	/* This is what the tree does not hold; NULL: it holds all. */
	const struct profile_scope *scope;
	const uint64_t *part_ns; /* by enum profile_part */
	/* Interrupt work is under whom it was for; NULL: whom it stopped. */
	const struct profile_interrupts *interrupts;
	uint64_t top;	  /* rows wanted */
	const char *sort; /* column of a flat profile; NULL: its own order */
	const struct colors *colors; /* of text */
};

/* Renders @report to @out.
 *
 * Returns 0, -ERROR_NOT_FOUND if there is no column @report->sort, or
 * -ERROR_MEMORY.
 */
typedef int render_profile(const struct profile_report *report, FILE *out);

render_profile render_flat_text;
render_profile render_flat_csv;
render_profile render_flat_json;
render_profile render_callgraph_text;
render_profile render_callgraph_csv;
render_profile render_callgraph_json;
render_profile render_calltree_text;
render_profile render_flamegraph;
render_profile render_folded;
/* CSV: the nodes of the tree by name, depth first. */
render_profile render_paths;
render_profile render_gmon;
render_profile render_gmon_symbols;

/* Writes a line about the time of the parts that are not shown, if there is
 * any.
 *
 * Returns whether there was.
 */
bool render_left_out(const struct profile_report *report, FILE *out);

/* Writes a line about whose interrupt work is, if that is whom it was for.
 *
 * Returns whether it is.
 */
bool render_interrupts(const struct profile_report *report, FILE *out);

/* Writes a line about time that is not known, if there is any. */
void render_gap_note(const struct profile_report *report, FILE *out);

/* Writes the first lines of a text: what it counts, and what is not known. */
void render_title(const struct profile_report *report, const char *title,
		  FILE *out);

/* The columns that a flat profile may have, with spaces between. */
extern const char flat_columns[];

/* A renderer by the names of its report and format. */
struct profile_renderer {
	const char *report;
	const char *format;
	bool by_process; /* wants a tree a process */
	bool needs_time; /* cannot say that it counts something else */
	bool has_title;	 /* says what it left out */
	bool only_adds;	 /* needs no sorted tree */
	render_profile *render;
	/* Renders a second file, named like the first with .elf behind it;
	 * NULL: there is none.
	 */
	render_profile *render_second;
};

/* Returns the renderer, or NULL if there is none. */
const struct profile_renderer *profile_renderer_find(const char *report,
						     const char *format);

#endif
