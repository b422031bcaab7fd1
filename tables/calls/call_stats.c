/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_stats.h"

#include "attribution/calls/system_calls.h"
#include "common/error.h"

static struct call_stat *stat_at(const struct call_stats *stats, size_t index)
{
	return (struct call_stat *)stats->all.items.items + index;
}

void call_stats_free(struct call_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++)
		histogram_free(&stat_at(stats, i)->wall);
	keyed_array_free(&stats->all);
}

static struct call_stat *stat_of(struct call_stats *stats, int32_t pid,
				 uint32_t function)
{
	return keyed_array_add(&stats->all,
			       &(struct call_stat){ .pid = pid,
						    .function = function,
						    .wall = HISTOGRAM_EMPTY });
}

static int add_whole(struct call_stat *stat, const struct system_call *call)
{
	for (int i = 0; i < TIME_CLASSES; i++)
		stat->class_ns[i] += call->class_ns[i];
	stat->faults += call->faults;
	stat->fault_ns += call->fault_ns;
	if (call->has_exit && system_call_is_error(call->result))
		stat->errors++;
	if (call->has_exit && system_call_is_restart(call->result))
		stat->restarts++;
	return histogram_add(&stat->wall, call->end_ns - call->begin_ns);
}

int call_stats_add(struct call_stats *stats, const struct system_call *call)
{
	int32_t pid = call->task->pid < 0 ? call->task->tid : call->task->pid;
	struct call_stat *stat = stat_of(stats, pid, call->function);

	if (!stat)
		return -ERROR_MEMORY;
	switch ((enum system_call_end)call->end) {
	case CALL_RETURNED:
		return add_whole(stat, call);
	case CALL_NO_RETURN:
		stat->no_return++;
		return 0;
	case CALL_CUT:
		stat->cut++;
		return 0;
	case CALL_ENDS:
		break;
	}
	return 0;
}

static int compare_totals(const void *a, const void *b)
{
	const struct call_stat *x = a;
	const struct call_stat *y = b;

	if (x->wall.total != y->wall.total)
		return x->wall.total > y->wall.total ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

void call_stats_sort(struct call_stats *stats)
{
	array_sort(&stats->all.items, compare_totals);
}

size_t call_stats_count(const struct call_stats *stats)
{
	return stats->all.items.count;
}

const struct call_stat *call_stats_at(const struct call_stats *stats,
				      size_t index)
{
	return stat_at(stats, index);
}
