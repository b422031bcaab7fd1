/* SPDX-License-Identifier: MIT */
#include "tests/flow_run_fixture.h"
#include "decoder/code/code_image.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "execution/stream/execution_stream.h"
#include "symbolize/events/function_events.h"
#include "tests/assert_each.h"

#include "decoder/flow/flow.h"
#include <check.h>

int flow_run_open(struct flow_run *run, const char *path, const char *root)
{
	int error;

	*run = (struct flow_run){ 0 };
	error = recording_open(path, NULL, &run->recording);
	if (error)
		return error;
	recording_set_root(run->recording, root);
	ck_assert_int_eq(code_image_open(run->recording, NULL, &run->image), 0);
	return 0;
}

void flow_run_close(struct flow_run *run)
{
	code_image_close(run->image);
	recording_close(run->recording);
	*run = (struct flow_run){ 0 };
}

static void consume(struct flow_totals *totals, const struct flow_item *item)
{
	assert_each(totals->kinds[FLOW_END] == 0);
	assert_each(item->time_ns >= totals->last_ns);
	totals->last_ns = item->time_ns;
	totals->kinds[item->kind]++;
	totals->instructions += item->instructions;
	if (item->kind == FLOW_GAP)
		totals->gaps[item->detail]++;
	if (item->kind == FLOW_BLOCK)
		totals->exits[item->detail]++;
}

static void keep(struct array *items, const struct flow_item *item)
{
	struct flow_item *kept = array_add(items);

	assert_each(kept);
	*kept = *item;
}

/* Intel PT's streams have separate suites for either decoder. */
static bool is_on_graph(const struct flow_run *run,
			const struct flow_input *input)
{
	return !run->by_library &&
	       recording_trace(run->recording) == RECORDING_TRACE_CORESIGHT &&
	       branch_source_fits(run->recording, input->stream);
}

static int open_source(const struct flow_run *run,
		       const struct flow_input *input,
		       struct flow_source **source)
{
	return is_on_graph(run, input) ? execution_blocks.open(input, source) :
					 flow_source_open(input, source);
}

struct flow_input flow_run_input(const struct flow_run *run, size_t index)
{
	return (struct flow_input){
		.recording = run->recording,
		.stream = recording_stream(run->recording, index),
		.image = run->image,
	};
}

void flow_run_stream(const struct flow_run *run, size_t index,
		     struct flow_totals *totals, struct array *kept)
{
	const struct flow_input input = flow_run_input(run, index);
	struct flow_source *source;
	const struct flow_item *items;
	int count;

	*totals = (struct flow_totals){ 0 };
	ck_assert_int_eq(open_source(run, &input, &source), 0);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			consume(totals, &items[i]);
			if (kept)
				keep(kept, &items[i]);
		}
	ck_assert_int_eq(count, 0);
	ck_assert_uint_eq(totals->kinds[FLOW_END], 1);
	flow_source_close(source);
}

void flow_run_graph_events(const struct flow_run *run, size_t index,
			   const struct symbols *symbols,
			   flow_run_consume *consume_event, void *ctx)
{
	const struct flow_input input = flow_run_input(run, index);
	const struct function_event *batch;
	struct execution_stream *stream;
	int count;

	ck_assert_int_eq(execution_stream_open(&input, symbols, -1, -1, NULL,
					       NULL, &stream),
			 0);
	while ((count = execution_stream_next(stream, &batch)) > 0)
		for (int i = 0; i < count; i++)
			consume_event(ctx, &batch[i]);
	ck_assert_int_eq(count, 0);
	execution_stream_close(stream);
}

static void follow_by_library(const struct flow_input *input,
			      const struct symbols *symbols,
			      flow_run_consume *consume_event, void *ctx)
{
	const struct function_event *batch;
	struct function_events *events;
	struct flow_source *source;
	int count;

	ck_assert_int_eq(flow_source_open(input, &source), 0);
	events = function_events_new(source, symbols, -1, -1);
	ck_assert_ptr_nonnull(events);
	ck_assert_int_eq(function_events_order_by_trace(events, input), 0);
	while ((count = function_events_next(events, &batch)) > 0)
		for (int i = 0; i < count; i++)
			consume_event(ctx, &batch[i]);
	ck_assert_int_eq(count, 0);
	function_events_free(events);
	flow_source_close(source);
}

void flow_run_events(const struct flow_run *run, size_t index,
		     const struct symbols *symbols,
		     flow_run_consume *consume_event, void *ctx)
{
	const struct flow_input input = flow_run_input(run, index);

	if (is_on_graph(run, &input))
		flow_run_graph_events(run, index, symbols, consume_event, ctx);
	else
		follow_by_library(&input, symbols, consume_event, ctx);
}
