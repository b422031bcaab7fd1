/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints how each task's time on CPUs was spent, according to the ground truth.
 *
 *	tool_classes TRUTH RECORDING
 *
 * Adds up the time of the boot when the recording was made, which must be
 * its only one, from the first time the trace was switched on to the last time
 * it was switched off. Prints CSV:
 * tid,user_ns,system_call_ns,fault_ns,kernel_ns,interrupt_ns,tracer_ns,off_ns,
 * a line per task; off is time in between with the trace off. The truth does
 * not identify the task that runs on a CPU before its first switch: the
 * kernel's record of the start of the trace does, and without that the tid is
 * -1000 - CPU. Exits 2 on errors.
 */
#include "decoder/recording/recording_data.h"
#include "machine/tests/classes/contexts.h"
#include "machine/tests/conformance/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
	/* the idle task of CPU n is -1 - n; the task before the first switch,
	 * UNTIL_SWITCH - n
	 */
	int64_t tid;
	struct contexts contexts;
	uint64_t stack; /* number of the kernel stack; 0: unknown */
	uint64_t ticks[TRUTH_CLASSES];
	uint64_t provisional;
};

/* THREAD_SIZE of arch/x86/include/asm/page_64_types.h; stacks are aligned to
 * it.
 */
enum { STACK_BYTES = 16384 };

enum { MAX_TASKS = 4096, MAX_TRUTH_CPUS = 16, UNTIL_SWITCH = -1000 };

struct cpu {
	struct truth_reader reader;
	struct truth_event next;
	bool has_next;
	bool is_on;
	bool was_on;
	uint64_t last; /* tsc up to which time has been added */
	uint64_t off_since;
	struct task *current;
};

struct books {
	struct kernel_names names;
	struct task tasks[MAX_TASKS];
	size_t task_count;
	struct cpu cpus[MAX_TRUTH_CPUS];
	uint32_t cpu_count;
};

static struct task *task_of(struct books *books, int64_t tid)
{
	for (size_t i = books->task_count; i-- > 0;)
		if (books->tasks[i].tid == tid)
			return &books->tasks[i];
	if (books->task_count == MAX_TASKS) {
		fputs("tool_classes: too many tasks\n", stderr);
		exit(2);
	}
	books->tasks[books->task_count] = (struct task){ .tid = tid };
	return &books->tasks[books->task_count++];
}

/* Charges provisional time, now that the context where the task was first
 * seen is known.
 */
static void settle(struct task *task)
{
	enum truth_class found = TRUTH_CLASS_KERNEL;

	if (!task->contexts.is_known)
		return;
	if (task->contexts.found == CONTEXT_SYSTEM_CALL)
		found = TRUTH_CLASS_SYSTEM_CALL;
	else if (task->contexts.found == CONTEXT_FAULT)
		found = TRUTH_CLASS_FAULT;
	task->ticks[found] += task->provisional;
	task->provisional = 0;
}

static void book(struct cpu *cpu, uint64_t tsc)
{
	uint64_t passed = tsc - cpu->last;
	enum truth_class class;
	bool is_provisional;

	cpu->last = tsc;
	if (!cpu->is_on)
		return;
	class = contexts_class(&cpu->current->contexts, &is_provisional);
	if (is_provisional)
		cpu->current->provisional += passed;
	else
		cpu->current->ticks[class] += passed;
}

/* Time with the trace off counts only if the trace is switched on again. */
static void switch_on(struct cpu *cpu, uint64_t tsc)
{
	if (cpu->was_on)
		cpu->current->ticks[TRUTH_CLASS_OFF] += tsc - cpu->off_since;
	cpu->is_on = true;
	cpu->was_on = true;
}

/* exec in a thread other than the first gives it the ID of the first thread,
 * which has ended: the context moves with the stack.
 */
static void note_stack(struct books *books, struct task *task, uint64_t stack)
{
	for (size_t i = 0;
	     task->stack && task->stack != stack && i < books->task_count; i++)
		if (books->tasks[i].stack == stack)
			task->contexts = books->tasks[i].contexts;
	task->stack = stack;
}

static void change_task(struct books *books, struct cpu *cpu, uint32_t number)
{
	const struct truth_event *event = &cpu->next;

	cpu->current = task_of(books, event->pid ? (int64_t)event->pid :
						   -1 - (int64_t)number);
	if (event->has_sp)
		note_stack(books, cpu->current, event->sp / STACK_BYTES);
}

static void take(struct books *books, struct cpu *cpu, uint32_t number)
{
	const struct truth_event *event = &cpu->next;

	book(cpu, event->tsc);
	if (event->kind == TRUTH_SWITCH) {
		change_task(books, cpu, number);
	} else if (event->kind == TRUTH_TRACE_ON) {
		switch_on(cpu, event->tsc);
	} else if (event->kind == TRUTH_TRACE_OFF) {
		cpu->is_on = false;
		cpu->off_since = event->tsc;
	} else {
		contexts_take(&cpu->current->contexts, &books->names, event);
		settle(cpu->current);
	}
}

static int64_t first_tid(const struct recording *recording, uint32_t number)
{
	int64_t tid = recording->first_tid[number];

	if (tid < 0)
		return UNTIL_SWITCH - (int64_t)number;
	return tid ? tid : -1 - (int64_t)number;
}

static bool open_cpus(struct books *books, const char *truth,
		      const struct recording *recording)
{
	for (uint32_t i = 0; i < MAX_TRUTH_CPUS && truth_has_cpu(truth, i);
	     i++) {
		struct cpu *cpu = &books->cpus[i];

		if (!truth_reader_open_cpu(&cpu->reader, truth, i))
			return false;
		cpu->has_next = truth_reader_next(&cpu->reader, &cpu->next);
		cpu->current = task_of(books, first_tid(recording, i));
		books->cpu_count = i + 1;
	}
	return true;
}

/* A task runs on one CPU at a time, so the records of all CPUs are merged by
 * time.
 */
static void add_up(struct books *books)
{
	for (;;) {
		uint32_t best = UINT32_MAX;

		for (uint32_t i = 0; i < books->cpu_count; i++)
			if (books->cpus[i].has_next &&
			    (best == UINT32_MAX ||
			     books->cpus[i].next.tsc <
				     books->cpus[best].next.tsc))
				best = i;
		if (best == UINT32_MAX)
			return;
		take(books, &books->cpus[best], best);
		books->cpus[best].has_next = truth_reader_next(
			&books->cpus[best].reader, &books->cpus[best].next);
	}
}

static void print(const struct books *books, const struct recording *recording)
{
	puts("tid,user_ns,system_call_ns,fault_ns,kernel_ns,interrupt_ns,"
	     "tracer_ns,off_ns");
	for (size_t i = 0; i < books->task_count; i++) {
		const struct task *task = &books->tasks[i];
		uint64_t ticks[TRUTH_CLASSES];

		for (int j = 0; j < TRUTH_CLASSES; j++)
			ticks[j] = task->ticks[j];
		ticks[TRUTH_CLASS_KERNEL] += task->provisional;
		printf("%" PRId64, task->tid);
		for (int j = 0; j < TRUTH_CLASSES; j++)
			printf(",%" PRIu64,
			       recording_ticks_ns(recording, ticks[j]));
		puts("");
	}
}

int main(int argc, char **argv)
{
	struct books *books = calloc(1, sizeof(*books));
	struct recording recording;

	if (argc != 3 || !books) {
		fprintf(stderr, "usage: %s TRUTH RECORDING\n", argv[0]);
		return 2;
	}
	if (!recording_open(&recording, argv[2]) ||
	    !kernel_names_read(&books->names, argv[2], NULL) ||
	    !open_cpus(books, argv[1], &recording))
		return 2;
	add_up(books);
	print(books, &recording);
	for (uint32_t i = 0; i < books->cpu_count; i++)
		truth_reader_close(&books->cpus[i].reader);
	kernel_names_free(&books->names);
	recording_close(&recording);
	free(books);
	return 0;
}
