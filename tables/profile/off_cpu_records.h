/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_OFF_CPU_RECORDS_H
#define KT_TABLES_OFF_CPU_RECORDS_H

#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdint.h>

struct call_tree;
struct kept_file_writer;
struct pack;

/* Threads' time off their CPUs, or not seen there, as records that are kept, or read.
 */
struct off_cpu_records {
	struct kept_file_writer *writer; /* NULL: they are not kept */
	struct call_tree *paths; /* that they refer to, below one root */
	uint32_t root;
};

/* One of them. */
struct off_cpu_record {
	struct task task;
	struct time_span span; /* its task is that one */
	uint32_t path;	       /* the thread's stack: a node of the paths */
};

/* Returns whether it was opened; free it either way. */
int off_cpu_records_open(struct off_cpu_records *records);
void off_cpu_records_free(struct off_cpu_records *records);

/* Keeps @span of @task, which left its CPU at @node of @calls.  Returns 0 or
 * -ERROR_MEMORY.
 */
int off_cpu_records_keep(struct off_cpu_records *records,
			 const struct task *task, const struct time_span *span,
			 const struct call_tree *calls, uint32_t node);

/* Writes the paths, or reads them, of functions below @functions; before any
 * record.
 */
void off_cpu_records_pack_paths(struct off_cpu_records *records,
				struct pack *pack, uint32_t functions);

/* Reads a record, if that does not make the pack fail. */
void off_cpu_records_read(const struct off_cpu_records *records,
			  struct pack *pack, struct off_cpu_record *record);

/* Returns the node for @path below @root in @calls, CALL_NODE_NONE when out of
 * memory.
 */
uint32_t off_cpu_records_place(const struct off_cpu_records *records,
			       uint32_t path, struct call_tree *calls,
			       uint32_t root);

#endif
