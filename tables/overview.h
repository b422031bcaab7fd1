/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_OVERVIEW_H
#define KT_TABLES_OVERVIEW_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct recording;
struct task_stacks;

/* The overview says what was recorded, and what is known of each CPU's time. */

/* Writes it for people: a line a fact. */
void overview_write_text(const struct recording *recording,
			 const struct task_stacks *stacks, FILE *out);

/* Writes the members "recording" and "cpus" of a JSON object, with a comma
 * behind each.
 */
void overview_write_json(const struct recording *recording,
			 const struct task_stacks *stacks, FILE *out);

#endif
