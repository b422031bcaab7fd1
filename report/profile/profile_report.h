/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PROFILE_PROFILE_REPORT_H
#define KT_REPORT_PROFILE_PROFILE_REPORT_H

/* The renderers of a finished profile, a file for each kind of report, and
 * their common parts: the lines above the table, labels of trees, and times
 * whose process is inferred.
 *
 *  profile.h: tree --> struct profile_report --> render_*() --> text, CSV,
 *                      (everything borrowed)                    JSON, SVG ...
 *
 * profile_renderers.c lists them by report and format: a new format is a
 * function and a line there.
 *
 * Invariants:
 * 1. A renderer changes only the file: any number of them may run on one
 *    report, in any order.
 * 2. The text reports say if there are gaps, parts that were left out, or
 *    inferred beneficiaries, so that no sum lacks time without a note.
 */

#include "report/profile/profile.h"
#include "report/steps/task_choice.h"
#include "report/text/function_label.h"
#include "rows/column.h"

#include <stdint.h>
#include <stdio.h>

struct colors;
struct function_table;
struct lines;
struct recording;
struct task_groups;
struct task_names;

/* The times of a profile's interrupt work that is charged to beneficiaries. */
struct profile_interrupts {
	uint64_t exact_ns; /* with a beneficiary tracked by object */
	/* with an inferred beneficiary, for example by a wake-up */
	uint64_t inferred_ns;
	uint64_t nobodys_ns; /* without a beneficiary: charged to process 0 */
};

/* A finished profile and the inputs of its renderers, which are pure functions
 * of it. Everything is borrowed.
 */
struct profile_report {
	const struct recording *recording;
	const struct function_table *functions;
	struct lines *lines; /* NULL: no source lines */
	const struct task_names *names;
	const struct task_stacks *stacks;
	const struct call_tree *tree;
	const struct step_filter *filter;
	bool by_process;
	const struct task_groups *groups; /* of the trees; NULL: processes */
	/* the kind of time in the tree; NULL: time on CPUs in functions */
	const char *title;
	bool has_states;   /* the tree contains states (enum frame_state) */
	bool has_no_calls; /* calls were not counted */
	/* The parts that were removed from the tree; NULL: none. */
	const struct profile_scope *scope;
	const uint64_t *part_ns; /* by enum profile_part */
	/* Interrupt work is charged to beneficiaries; NULL: to the interrupted
	 * thread.
	 */
	const struct profile_interrupts *interrupts;
	uint64_t top;	  /* maximum number of rows */
	const char *sort; /* column of a flat profile; NULL: default order */
	const struct colors *colors; /* for text */
};

/* Renders @report to @out.
 *
 * Returns 0, -ERROR_NOT_FOUND if column @report->sort does not exist, or
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
render_profile render_pprof;
render_profile render_speedscope;
render_profile render_callgrind;

/* Writes a line about the time of the parts that are not shown, if there are
 * any.
 *
 * Returns whether it wrote a line.
 */
bool render_left_out(const struct profile_report *report, FILE *out);

/* Writes a line about the certainty of beneficiaries, if interrupt work is
 * charged to them.
 *
 * Returns whether it wrote a line.
 */
bool render_interrupts(const struct profile_report *report, FILE *out);

/* Writes a line about the gaps in the trace, if there are any. */
void render_gap_note(const struct profile_report *report, FILE *out);

/* Writes the first lines of a text: the kind of time, the lines of
 * render_interrupts() and render_left_out(), and the gaps.
 */
void render_title(const struct profile_report *report, const char *title,
		  FILE *out);

/* The possible columns of a flat profile, up to END_OF_COLUMNS. */
extern const struct column flat_columns[];

/* A renderer, identified by report and format. */
struct profile_renderer {
	const char *report;
	const char *format;
	bool by_process; /* needs a tree per process */
	bool needs_time; /* its format can only express time */
	bool has_title;	 /* prints the removed parts itself */
	bool only_adds;	 /* does not need a sorted tree */
	render_profile *render;
	/* Renders a second file, named like the first with .elf appended; NULL
	 * if there is none.
	 */
	render_profile *render_second;
};

/* Returns the renderer, or NULL if it does not exist. */
const struct profile_renderer *profile_renderer_find(const char *report,
						     const char *format);

/* A function's self time for people. */
struct self_text {
	char text[40];
};

/* Returns "1.42 ms", or "~1.42 ms" if the process of a part (@inferred_ns) is
 * inferred.
 */
struct self_text self_text_of(const struct profile_report *report,
			      uint64_t self_ns, uint64_t inferred_ns);

/* Returns the name of tree -1: "all" if there is one tree, "unknown" if there
 * is one for each process.
 */
const char *unnamed_tree(const struct profile_report *report);

/* Returns the label of tree @tree: "ls-137", a group's name, or unnamed_tree().
 */
struct group_label tree_label(const struct profile_report *report,
			      int32_t tree);

/* Returns the label of @function in tree @tree, with the tree as prefix if
 * there are several: "137k:vfs_read", "[kernel]k:vfs_read", "vfs_read".
 */
struct function_label tree_function_label(const struct profile_report *report,
					  uint32_t function, int32_t tree);

#endif
