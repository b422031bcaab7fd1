/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STACKS_CHECKPOINT_H
#define KT_REPORT_STACKS_CHECKPOINT_H

#include <stdint.h>

struct array;
struct cpu_context;
struct pack;
struct step_callback;
struct thread_map;

/* Parts of task_stacks_pack(). Invalid data makes @pack fail.
 *
 * Writes @tasks with their call stacks, or adds the tasks that are read to
 * @tasks, which must only have the first tasks of @cpus (struct cpu_context).
 * Functions are numbers below @functions.
 */
void stacks_checkpoint_pack_tasks(struct thread_map *tasks,
				  const struct array *cpus, struct pack *pack,
				  uint32_t functions);

/* Writes or reads the state of a CPU, whose task is one of @tasks; earlier
 * events are before @since_ns.
 */
void stacks_checkpoint_pack_cpu(struct cpu_context *context,
				const struct thread_map *tasks,
				uint64_t since_ns, struct pack *pack);

/* Emits the open functions of @tasks to @callback, entered before later events.
 */
void stacks_checkpoint_say(const struct thread_map *tasks,
			   struct step_callback *callback);

#endif
