/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/expected.h"

#include <string.h>

bool expected_open(struct expected *expected, const char *truth_dir,
		   uint32_t cpu)
{
	memset(expected, 0, sizeof(*expected));
	return truth_reader_open_cpu(&expected->reader, truth_dir, cpu);
}

void expected_close(struct expected *expected)
{
	truth_reader_close(&expected->reader);
}

void expected_use(struct expected *expected, const struct recording *recording)
{
	expected->recording = recording;
}

static bool traced(const struct recording *recording, uint64_t address)
{
	const struct address_range *range = recording->filters;

	if (!(address >> 63 ? recording->kernel : recording->user))
		return false;
	if (!recording->filter_count)
		return true;
	for (uint32_t i = 0; i < recording->filter_count; i++, range++)
		if (address >= range->start && address < range->end)
			return true;
	return false;
}

static enum item_class class_of(enum truth_kind kind)
{
	switch (kind) {
	case TRUTH_CONDITIONAL:
		return CLASS_CONDITIONAL;
	case TRUTH_JUMP:
	case TRUTH_INDIRECT_JUMP:
		return CLASS_JUMP;
	case TRUTH_CALL:
	case TRUTH_INDIRECT_CALL:
		return CLASS_CALL;
	case TRUTH_RETURN:
		return CLASS_RETURN;
	case TRUTH_FAR_CALL:
	case TRUTH_FAR_RETURN:
		return CLASS_FAR;
	case TRUTH_INTERRUPT:
	case TRUTH_EXCEPTION:
		return CLASS_ASYNC;
	case TRUTH_TRACE_ON:
	case TRUTH_INTERRUPTS:
	case TRUTH_TRACE_OFF:
	case TRUTH_SWITCH:
	case TRUTH_KIND_MASK:
	case TRUTH_HAS_SP:
		return CLASS_NONE;
	}
	return CLASS_NONE;
}

/* Translates a record under the recording's filters; returns false if it is
 * filtered out.
 */
static bool translate(const struct expected *expected,
		      const struct truth_event *event, struct item *item)
{
	bool from_in = traced(expected->recording, event->from);
	bool to_in = traced(expected->recording, event->to);

	if (event->kind == TRUTH_SWITCH)
		return false;
	*item = (struct item){ .class = class_of(event->kind),
			       .to_known = true,
			       .from = event->from,
			       .to = event->to,
			       .tsc = event->tsc,
			       .position = expected->records };
	from_in &= event->kind != TRUTH_TRACE_ON;
	to_in &= event->kind != TRUTH_TRACE_OFF;
	if (from_in && to_in)
		item->type = ITEM_BRANCH;
	else if (from_in)
		item->type = ITEM_END;
	else
		item->type = ITEM_START;
	return from_in || to_in;
}

static void begin_session(struct expected *expected,
			  const struct truth_event *event, struct item *item)
{
	expected->began = true;
	expected->begin = *event;
	*item = (struct item){ .type = ITEM_SESSION,
			       .to = event->to,
			       .tsc = event->tsc,
			       .position = expected->records };
}

/* Returns an item that was read ahead, if any. */
static bool next_kept(struct expected *expected, struct item *item)
{
	if (expected->has_pushed_back) {
		expected->has_pushed_back = false;
		*item = expected->pushed_back;
		return true;
	}
	if (expected->began) {
		expected->began = false;
		return translate(expected, &expected->begin, item);
	}
	return false;
}

int expected_next(struct expected *expected, struct item *item)
{
	struct truth_event event;

	if (next_kept(expected, item))
		return 1;
	while (truth_reader_next(&expected->reader, &event)) {
		expected->records++;
		if (event.kind == TRUTH_TRACE_ON) {
			begin_session(expected, &event, item);
			return 1;
		}
		if (translate(expected, &event, item))
			return 1;
	}
	return 0;
}

void expected_push_back(struct expected *expected, const struct item *item)
{
	expected->pushed_back = *item;
	expected->has_pushed_back = true;
}
