/* SPDX-License-Identifier: MIT */
#include "tables/processes/process_accounts.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/steps/task_groups.h"
#include "report/text/task_names.h"
#include "tables/processes/interrupt_sums.h"
#include "tables/processes/time_account.h"

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

/* The processes or groups so far. */
struct sums {
	const struct task_names *names;
	const struct task_groups *groups;	 /* or NULL */
	const struct interrupt_sums *interrupts; /* or NULL */
	struct array *list;			 /* struct time_account */
	struct number_map by_pid;		 /* index in the list, plus 1 */
	struct number_map credited; /* processes whose credit has been added */
};

/* Returns the sum for @pid; NULL when out of memory. */
static struct time_account *sum_of(struct sums *sums, int32_t pid)
{
	uint64_t *number = number_map_add(&sums->by_pid, (uint32_t)pid);
	struct time_account *sum;

	if (number && *number)
		return array_at(sums->list, *number - 1);
	sum = number ? array_add(sums->list) : NULL;
	if (!sum)
		return NULL;
	*number = sums->list->count;
	sum->pid = pid;
	sum->tid = pid;
	return sum;
}

/* Adds the time of other processes' threads for process @pid, once, to the sum
 * @to.
 */
static int add_credit(struct sums *sums, int32_t to, int32_t pid)
{
	struct interrupt_credit credit;
	uint64_t *seen = number_map_add(&sums->credited, (uint32_t)pid);
	struct time_account *sum;

	if (!seen)
		return -ERROR_MEMORY;
	if ((*seen)++)
		return 0;
	credit = interrupt_sums_process(sums->interrupts, pid);
	if (!credit.interrupt_ns && !credit.work_ns)
		return 0;
	sum = sum_of(sums, to);
	if (!sum)
		return -ERROR_MEMORY;
	sum->interrupt_work_elsewhere += credit.interrupt_ns;
	sum->kernel_work_elsewhere += credit.work_ns;
	return 0;
}

static int add_thread(struct sums *sums, const struct time_account *thread)
{
	struct task task = *thread->task;
	struct time_account *sum;
	int32_t pid;

	task.pid = thread->pid;
	pid = sums->groups ? task_groups_of(sums->groups, &task) : thread->pid;
	sum = sum_of(sums, pid);
	if (!sum)
		return -ERROR_MEMORY;
	sum->task = thread->task;
	sum->comm = pid < 0 ? thread->comm : task_names_last(sums->names, pid);
	add_to(sum, thread);
	if (!sums->interrupts)
		return 0;
	return add_credit(sums,
			  sums->groups ? task_groups_beneficiary(sums->groups,
								 thread->pid) :
					 pid,
			  thread->pid);
}

int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct task_groups *groups,
			 const struct interrupt_sums *interrupts,
			 struct array *processes)
{
	struct sums sums = {
		.names = names,
		.groups = groups,
		.interrupts = interrupts,
		.list = processes,
	};
	int status = 0;

	for (size_t i = 0; !status && i < threads->count; i++)
		status = add_thread(&sums, array_at(threads, i));
	if (!status && groups && interrupts)
		status = add_credit(&sums, GROUP_KERNEL, 0);
	if (!status && groups && interrupts)
		status = add_credit(&sums, GROUP_NOBODY, -1);
	number_map_free(&sums.by_pid);
	number_map_free(&sums.credited);
	return status;
}
