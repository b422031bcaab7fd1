/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STACKS_CHECKPOINT_H
#define KT_REPORT_STACKS_CHECKPOINT_H

#include <stdint.h>

struct array;
struct cpu_context;
struct pack;
struct step_callback;
struct thread_map;

/* What task_stacks_pack() keeps.  What makes no sense makes @pack fail.
 *
 * Writes @tasks with their call stacks, or adds those that are read to @tasks, in
 * which are only those that @cpus (struct cpu_context) began with.  Functions are
 * numbers below @functions.
 */
void stacks_checkpoint_pack_tasks(struct thread_map *tasks,
				  const struct array *cpus, struct pack *pack,
				  uint32_t functions);

/* Writes or reads what a CPU is doing, in one of @tasks; what was before is before
 * @since_ns.
 */
void stacks_checkpoint_pack_cpu(struct cpu_context *context,
				const struct thread_map *tasks,
				uint64_t since_ns, struct pack *pack);

/* Hands the open functions of @tasks to @callback, as entered before what comes. */
void stacks_checkpoint_say(const struct thread_map *tasks,
			   struct step_callback *callback);

#endif
