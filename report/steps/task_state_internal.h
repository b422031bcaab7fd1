/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_TASK_STATE_INTERNAL_H
#define KT_REPORT_STEPS_TASK_STATE_INTERNAL_H

/* The state that task_stacks.c keeps of each task (struct mapped_thread) and of
 * each CPU (struct cpu_context), and how a checkpoint writes and reads both.
 * Private to task_stacks.c.
 *
 * A CPU is in one enum cpu_state. cpu_context_start(), cpu_context_stop(),
 * cpu_context_lose() and cpu_context_end() change it, and emit STEP_STATE,
 * STEP_GAP or STEP_END. cpu_context_run() changes its task.
 *
 * Invariants:
 * 1. A task is in the map once; its address and its index never change.
 * 2. A task's clock advances only while its CPU is in CPU_TRACED, by the same
 *    time as that state's account.
 * 3. A checkpoint is untrusted: invalid data makes the pack fail, after which
 *    the state must only be freed.
 */

#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;

/* A task, and its state while it does not run. */
struct mapped_thread {
	struct task task;
	struct call_stack stack;
	uint32_t exec_depth; /* depth of an exec in progress; 0: none */
	uint64_t clock_ns;   /* see struct call_step */
	uint64_t whole_ns;
	uint64_t last_ns; /* of its last call event */
};

/* All tasks of the trace, in order of appearance; pointers to them stay valid.
 */
struct thread_map {
	struct array all; /* struct mapped_thread * */
	struct number_map indices;
	/* struct process_stacks, in order of appearance */
	struct array processes;
	struct number_map process_of; /* index in processes + 1, by pid */
	struct switch_roles roles;    /* borrowed by the tasks' stacks */
	uint32_t sites; /* of inlined calls, to check checkpoints */
};

/* Makes @tasks empty. */
void thread_map_init(struct thread_map *tasks);
void thread_map_free(struct thread_map *tasks);

/* Removes all tasks. A single task stays, without its state, so that its memory
 * is used again; several tasks do not, because their number would grow with
 * each call.
 */
void thread_map_reset(struct thread_map *tasks);

/* Returns task @index, counted from 0. */
struct mapped_thread *thread_map_at(const struct thread_map *tasks,
				    size_t index);

/* Returns task @tid, or NULL; on @cpu if it is a per-CPU task (the idle task,
 * or an unknown one).
 */
struct mapped_thread *thread_map_find(const struct thread_map *tasks,
				      int32_t cpu, int32_t tid);

/* Returns the task, adding it if it is new; NULL when out of memory. */
struct mapped_thread *thread_map_get(struct thread_map *tasks, int32_t cpu,
				     int32_t pid, int32_t tid);

/* Returns @time_ns, or the task's last time if that is later: its time must not
 * go back when it moves to a CPU whose clock is a little behind the previous
 * CPU's.
 */
static inline uint64_t mapped_thread_time(struct mapped_thread *task,
					  uint64_t time_ns)
{
	if (time_ns > task->last_ns)
		task->last_ns = time_ns;
	return task->last_ns;
}

/* Accounts the part of a CPU's time since its last event that is in @window: to
 * @state (enum cpu_state), its state since then, and, if it was traced, to
 * @task, which ran. task->whole_ns advances outside of @window, too.
 */
static inline void cpu_account_pass(struct cpu_account *account,
				    struct time_window window,
				    const struct function_event *event,
				    uint8_t state, struct mapped_thread *task)
{
	uint64_t now_ns = time_window_clip(window, event->time_ns);
	uint64_t passed_ns;
	uint64_t whole_ns;

	/* Time is unknown before the first time packet. */
	if (!event->time_ns)
		return;
	if (!account->first_ns) {
		/* Switches are also recorded before tracing starts. */
		if (event->kind == FUNCTION_SWITCH)
			return;
		account->first_ns = now_ns;
		account->last_ns = now_ns;
		account->event_ns = event->time_ns;
	}
	passed_ns = now_ns - account->last_ns;
	whole_ns = event->time_ns - account->event_ns;
	account->last_ns = now_ns;
	account->event_ns = event->time_ns;
	account->state_ns[state] += passed_ns;
	if (state != CPU_TRACED)
		return;
	task->clock_ns += passed_ns;
	task->whole_ns += whole_ns;
	if (task->task.tid == 0)
		account->idle_ns += passed_ns;
}

/* The current state of a CPU. */
struct cpu_context {
	struct mapped_thread *task;
	uint8_t state; /* enum cpu_state */
	bool ended;
	bool has_gap; /* the account has counted the gap of CPU_GAP */
	/* nothing of the task was traced since it was switched to */
	bool is_unseen;
	struct cpu_account account;
	struct call_stack_output output; /* of the task's call stack */
};

/* Makes @task the running task. */
void cpu_context_run(struct cpu_context *context, struct mapped_thread *task);

/* Returns a call event of @kind of the running task, at the time of @event. */
struct call_step cpu_context_step(const struct cpu_context *context,
				  const struct function_event *event,
				  uint8_t kind);

/* Applies FUNCTION_TRACE_START @event, from which the CPU is traced. */
void cpu_context_start(struct cpu_context *context,
		       const struct function_event *event);

/* Applies FUNCTION_TRACE_STOP @event, which has the reason. */
void cpu_context_stop(struct cpu_context *context,
		      const struct function_event *event);

/* Emits FUNCTION_INTERRUPTS @event. */
void cpu_context_note_interrupts(const struct cpu_context *context,
				 const struct function_event *event);

/* Accounts the time up to @event that is in @window. If the CPU is in a gap
 * that was not counted yet and a part of it is in @window, counts the gap.
 */
void cpu_context_pass(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* Applies FUNCTION_GAP @event; counts the lost bytes if it is in @window. */
void cpu_context_lose(struct cpu_context *context, struct time_window window,
		      const struct function_event *event);

/* Exits, at the time of @event, the open functions of @task, which runs or ran
 * on the CPU.
 */
void cpu_context_close(const struct cpu_context *context,
		       struct mapped_thread *task,
		       const struct function_event *event);

/* Ends the CPU's trace with @event. */
void cpu_context_end(struct cpu_context *context,
		     const struct function_event *event);

/* Parts of task_stacks_pack(). Invalid data makes @pack fail.
 *
 * Writes @tasks with their call stacks, or adds the tasks that are read to
 * @tasks, which must only have the tasks with which the CPUs were added.
 * Functions are numbers below @functions.
 */
void task_state_pack_tasks(struct thread_map *tasks, const struct array *cpus,
			   struct pack *pack, uint32_t functions);

/* Writes or reads the state of a CPU, whose task is one of @tasks; the account
 * of a CPU that had events restarts at @since_ns.
 */
void task_state_pack_cpu(struct cpu_context *context,
			 const struct thread_map *tasks, uint64_t since_ns,
			 struct pack *pack);

/* Emits a STEP_ENTER for each open function of @tasks, with its own time.
 */
void task_state_emit_open(const struct thread_map *tasks,
			  const struct function_table *functions,
			  struct step_callback *callback);

#endif
