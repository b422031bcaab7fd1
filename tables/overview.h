/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_OVERVIEW_H
#define KT_TABLES_OVERVIEW_H

#include <stdint.h>
#include <stdio.h>

struct recording;
struct task_stacks;

/* The overview: the recorded facts, and how much of each CPU's time is known.
 */

/* Writes the overview as text, one fact a line, with times relative to
 * @origin_ns.
 */
void overview_write_text(const struct recording *recording,
			 const struct task_stacks *stacks, uint64_t origin_ns,
			 FILE *out);

/* Writes the members "recording" and "cpus" of a JSON object, each followed by
 * a comma.
 */
void overview_write_json(const struct recording *recording,
			 const struct task_stacks *stacks, FILE *out);

#endif
