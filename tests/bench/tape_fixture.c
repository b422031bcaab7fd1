/* SPDX-License-Identifier: MIT */
#include "tests/bench/tape_fixture.h"

#include "cmd/pipeline/pipeline.h"
#include "common/error.h"

#include <string.h>

static int add(struct tape *tape, const struct function_event *batch, int count)
{
	for (int i = 0; i < count; i++)
		if (array_append(&tape->events, &batch[i]) < 0)
			return -ERROR_MEMORY;
	return 0;
}

int tape_record(struct tape *tape, const struct session *session, size_t index,
		size_t limit)
{
	const struct pass_input pass = session_pass(session);
	const struct function_event *batch;
	int status = cpu_pipeline_find_task(&tape->from, &pass, index);
	int count;

	if (!status)
		status = cpu_pipeline_open(&tape->from, &pass, index, NULL);
	tape->events = ARRAY_OF(struct function_event);
	while (!status && tape->events.count < limit) {
		count = tape->from.next(tape->from.next_ctx, &batch);
		if (!count)
			break;
		status = count < 0 ? count : add(tape, batch, count);
	}
	cpu_pipeline_close(&tape->from);
	return status;
}

void tape_free(struct tape *tape)
{
	array_free(&tape->events);
}

void tape_rewind(struct tape *tape)
{
	tape->next = 0;
}

int tape_replay(void *ctx, const struct function_event **batch)
{
	struct tape *tape = ctx;
	size_t left = tape->events.count - tape->next;
	size_t count = left < TAPE_BATCH ? left : TAPE_BATCH;
	const struct function_event *from = tape->events.items;

	memcpy(tape->batch, from + tape->next, count * sizeof(*from));
	*batch = tape->batch;
	tape->next += count;
	return (int)count;
}
