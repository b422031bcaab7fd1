/* SPDX-License-Identifier: MIT */
#include "attribution/time/thread_table.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>

struct thread_table {
	struct array threads;	   /* struct thread * */
	struct array by_task;	   /* struct thread * by task index */
	struct number_map *by_tid; /* index in threads, plus 1 */
};

struct thread_table *thread_table_new(void)
{
	struct thread_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->threads = ARRAY_OF(struct thread *);
	table->by_task = ARRAY_OF(struct thread *);
	table->by_tid = number_map_new();
	if (!table->by_tid) {
		thread_table_free(table);
		return NULL;
	}
	return table;
}

void thread_table_free(struct thread_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->threads.count; i++)
		free(thread_table_at(table, i));
	array_free(&table->threads);
	array_free(&table->by_task);
	number_map_free(table->by_tid);
	free(table);
}

static struct thread *add(struct thread_table *table, int32_t tid)
{
	struct thread **slot = array_add(&table->threads);

	if (!slot)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot) {
		table->threads.count--;
		return NULL;
	}
	(*slot)->tid = tid;
	(*slot)->pid = -1;
	(*slot)->cpu = -1;
	return *slot;
}

struct thread *thread_table_of_tid(struct thread_table *table, int32_t tid)
{
	uint64_t *number = number_map_add(table->by_tid, (uint64_t)tid);
	struct thread *thread;

	if (!number)
		return NULL;
	if (*number)
		return thread_table_at(table, *number - 1);
	thread = add(table, tid);
	if (thread)
		*number = table->threads.count;
	return thread;
}

static struct thread *find_or_add(struct thread_table *table,
				  const struct task *task)
{
	struct thread *thread = task->tid > 0 ?
					thread_table_of_tid(table, task->tid) :
					add(table, task->tid);

	if (!thread)
		return NULL;
	thread->task = task;
	thread->pid = task->pid;
	return thread;
}

struct thread *thread_table_of_task(struct thread_table *table,
				    const struct task *task)
{
	struct thread **slot;

	slot = array_reach(&table->by_task, task->index);
	if (!slot)
		return NULL;
	if (!*slot)
		*slot = find_or_add(table, task);
	return *slot;
}

struct thread *thread_table_at(const struct thread_table *table, size_t index)
{
	return index < table->threads.count ?
		       *(struct thread **)array_at(&table->threads, index) :
		       NULL;
}
