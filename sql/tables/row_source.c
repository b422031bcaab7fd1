/* SPDX-License-Identifier: MIT */
#include "sql/tables/row_source.h"

#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"

#include <stdlib.h>

struct cached_comm {
	const char *comm;
	struct task_name_time time;
};

struct comm_cache comm_cache_of(const struct task_names *names)
{
	return (struct comm_cache){
		.names = names,
		.comms = ARRAY_OF(struct cached_comm),
	};
}

void comm_cache_free(struct comm_cache *cache)
{
	array_free(&cache->comms);
}

const char *comm_cache_find(struct comm_cache *cache, const struct task *task,
			    uint64_t time_ns)
{
	struct cached_comm *cached = array_reach(&cache->comms, task->index);

	if (!cached)
		return task_names_comm(cache->names, task->tid, time_ns);
	if (!cached->comm || time_ns < cached->time.since_ns ||
	    time_ns >= cached->time.until_ns) {
		cached->comm =
			task_names_comm(cache->names, task->tid, time_ns);
		cached->time =
			task_names_time(cache->names, task->tid, time_ns);
	}
	return cached->comm;
}

static int64_t sum_window_bound(uint64_t time_ns)
{
	return time_ns > INT64_MAX ? INT64_MAX : (int64_t)time_ns;
}

void sum_window_put(struct row_out *out, const struct time_window *window)
{
	row_put_number(out, sum_window_bound(window->since_ns));
	row_put_number(out, sum_window_bound(window->until_ns));
}

int32_t task_process(const struct task_names *names, const struct task *task)
{
	return task->pid < 0 ? task_names_process(names, task->tid) : task->pid;
}

bool task_is_recorder(const struct attribution_input *input, int32_t tid)
{
	return recorder_task_is(input->names,
				recording_info(input->recording)->command, tid);
}

void row_put_task(struct row_out *out, const struct attribution_input *input,
		  const struct task *task, uint64_t time_ns)
{
	row_put_number(out, task_process(input->names, task));
	row_put_number(out, task->tid);
	row_put_text(out, task_names_comm(input->names, task->tid, time_ns));
}

void row_put_function(struct row_out *out,
		      const struct attribution_input *input, bool is_known,
		      uint32_t function)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);

	row_put_text(out,
		     is_known ? function_at(functions, function)->name : NULL);
}
