/* SPDX-License-Identifier: MIT */
#include "attribution/processes/process_accounts.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/processes/time_account.h"
#include "common/array.h"
#include "common/error.h"
#include "common/number_map.h"
#include "report/text/task_names.h"

static void add_to(struct time_account *sum, const struct time_account *part)
{
	sum->threads += part->threads;
	sum->wall_ns += part->wall_ns;
	for (int i = 0; i < TIME_CLASSES; i++)
		sum->class_ns[i] += part->class_ns[i];
	sum->recorder_wait += part->recorder_wait;
	sum->benefited_ns += part->benefited_ns;
	sum->stolen_ns += part->stolen_ns;
	for (int i = 0; i < UNKNOWN_REASONS; i++)
		sum->unknown_ns[i] += part->unknown_ns[i];
	sum->uncertain += part->uncertain;
	sum->context_switches += part->context_switches;
	sum->system_calls += part->system_calls;
	sum->faults += part->faults;
	sum->busy_ns += part->busy_ns;
}

static void fill(struct time_account *process,
		 const struct time_account *thread,
		 const struct task_names *names,
		 const struct interrupt_accounts *interrupts)
{
	struct interrupt_credit credit =
		interrupt_accounts_process(interrupts, thread->pid);

	process->task = thread->task;
	process->pid = thread->pid;
	process->tid = thread->pid;
	process->comm = thread->pid < 0 ? thread->comm :
					  task_names_last(names, thread->pid);
	process->interrupt_work_elsewhere = credit.interrupt_ns;
	process->kernel_work_elsewhere = credit.work_ns;
}

int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct interrupt_accounts *interrupts,
			 struct array *processes)
{
	struct number_map *by_pid = number_map_new();
	int status = by_pid ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; !status && i < threads->count; i++) {
		const struct time_account *thread = array_at(threads, i);
		uint64_t *number =
			number_map_add(by_pid, (uint64_t)thread->pid);

		if (number && !*number && array_add(processes)) {
			*number = processes->count;
			fill(array_at(processes, *number - 1), thread, names,
			     interrupts);
		}
		if (number && *number)
			add_to(array_at(processes, *number - 1), thread);
		else
			status = -ERROR_MEMORY;
	}
	number_map_free(by_pid);
	return status;
}
