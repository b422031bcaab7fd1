/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_OFF_CPU_RECORDS_H
#define KT_TABLES_OFF_CPU_RECORDS_H

#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdint.h>

struct call_tree;
struct kept_file_writer;
struct pack;

/* Records of threads' time off their CPUs, or untraced on them, to write or
 * read.
 */
struct off_cpu_records {
	struct kept_file_writer *writer; /* NULL: records are not written */
	struct call_tree *paths; /* stacks of the records, below one root */
	uint32_t root;
};

/* One record. */
struct off_cpu_record {
	struct task task;
	struct time_span span; /* its task points to task */
	uint32_t path;	       /* the thread's stack: a node of the paths */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @records either way. */
int off_cpu_records_open(struct off_cpu_records *records);
void off_cpu_records_free(struct off_cpu_records *records);

/* Writes @span of @task, which left its CPU at @node of @calls. Returns 0 or
 * -ERROR_MEMORY.
 */
int off_cpu_records_keep(struct off_cpu_records *records,
			 const struct task *task, const struct time_span *span,
			 const struct call_tree *calls, uint32_t node);

/* Writes or reads the paths. Reading must come before any record; @functions:
 * number of functions.
 */
void off_cpu_records_pack_paths(struct off_cpu_records *records,
				struct pack *pack, uint32_t functions);

/* Reads a record, unless that makes the pack fail. */
void off_cpu_records_read(const struct off_cpu_records *records,
			  struct pack *pack, struct off_cpu_record *record);

/* Returns the node for @path below @root in @calls, CALL_NODE_NONE when out of
 * memory.
 */
uint32_t off_cpu_records_place(const struct off_cpu_records *records,
			       uint32_t path, struct call_tree *calls,
			       uint32_t root);

#endif
