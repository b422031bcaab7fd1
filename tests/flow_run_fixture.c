/* SPDX-License-Identifier: MIT */
#include "tests/flow_run_fixture.h"
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording_open.h"

#include <check.h>

int flow_run_open(struct flow_run *run, const char *path, const char *root)
{
	int error;

	*run = (struct flow_run){ 0 };
	error = recording_open(path, NULL, &run->recording);
	if (error)
		return error;
	recording_set_root(run->recording, root);
	ck_assert_int_eq(code_image_open(run->recording, NULL, &run->image),
			 0);
	return 0;
}

void flow_run_close(struct flow_run *run)
{
	code_image_close(run->image);
	recording_close(run->recording);
	*run = (struct flow_run){ 0 };
}

static void take(struct flow_totals *totals, const struct flow_item *item)
{
	ck_assert_uint_eq(totals->kinds[FLOW_END], 0);
	ck_assert_uint_ge(item->time_ns, totals->last_ns);
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

	ck_assert_ptr_nonnull(kept);
	*kept = *item;
}

void flow_run_stream(const struct flow_run *run, size_t index,
		     struct flow_totals *totals, struct array *kept)
{
	const struct flow_input input = {
		.recording = run->recording,
		.stream = recording_stream(run->recording, index),
		.image = run->image,
	};
	struct flow_source *source;
	const struct flow_item *items;
	int count;

	*totals = (struct flow_totals){ 0 };
	ck_assert_int_eq(flow_source_open(&input, &source), 0);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			take(totals, &items[i]);
			if (kept)
				keep(kept, &items[i]);
		}
	ck_assert_int_eq(count, 0);
	ck_assert_uint_eq(totals->kinds[FLOW_END], 1);
	flow_source_close(source);
}
