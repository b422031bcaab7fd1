/* SPDX-License-Identifier: MIT */
#include "tests/flow_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int next(struct flow_source *source, const struct flow_item **items)
{
	struct flow_fixture *flow = (struct flow_fixture *)source;

	*items = flow->items.items;
	if (flow->is_done)
		return 0;
	flow->is_done = true;
	return (int)flow->items.count;
}

static const struct flow_source_ops scripted_ops = {
	.name = "scripted",
	.next = next,
};

void flow_fixture_init(struct flow_fixture *flow)
{
	*flow = (struct flow_fixture){
		.source = { &scripted_ops },
		.items = ARRAY_OF(struct flow_item),
	};
}

void flow_fixture_free(struct flow_fixture *flow)
{
	array_free(&flow->items);
}

static int find(const char *word, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(word, names[i]) == 0)
			return i;
	return -1;
}

static bool read_block(const char *text, struct flow_item *item)
{
	static const char *const exits[] = {
		"none",	  "conditional", "jump",       "call",
		"return", "far-call",	 "far-return", "far-jump",
	};
	char exit[16];
	uint64_t last;
	unsigned int length = 0;
	int detail;

	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %15s %u", &item->ip, &last,
		   exit, &length) < 3)
		return false;
	detail = find(exit, exits, 8);
	item->last = (uint32_t)(last - item->ip);
	item->detail = (uint8_t)detail & 15;
	item->last_length = length & 15;
	item->instructions = 1;
	return detail >= 0 && last >= item->ip;
}

static bool read_gap(const char *text, struct flow_item *item)
{
	static const char *const reasons[] = {
		"overflow", "lost", "no-code", "bad-trace", "unsynced", "cut",
	};
	char reason[16];
	int detail = -1;

	if (sscanf(text, "%15s %" SCNu32, reason, &item->last) >= 1)
		detail = find(reason, reasons, 6);
	item->detail = (uint8_t)detail & 15;
	return detail >= 0;
}

static bool read_stop(const char *text, struct flow_item *item)
{
	static const char *const stops[] = { "level", "filter", "off",
					     "guest" };
	static const uint8_t details[] = { FLOW_STOP_LEVEL, FLOW_STOP_FILTER,
					   FLOW_STOP_OFF, FLOW_STOP_GUEST };
	char stop[16];
	int detail = -1;

	if (sscanf(text, "%15s %" SCNx64, stop, &item->ip) >= 1)
		detail = find(stop, stops, 4);
	if (detail >= 0)
		detail = details[detail];
	item->detail = (uint8_t)detail & 15;
	return detail >= 0;
}

static bool read_switch(const char *text, struct flow_item *item)
{
	int pid;
	int tid;

	if (sscanf(text, "%d %d", &pid, &tid) != 2)
		return false;
	item->ip = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
	return true;
}

static bool read_rest(const char *kind, const char *rest,
		      struct flow_item *item)
{
	static const char *const kinds[] = {
		"block",  "async",   "start", "stop", "gap",
		"switch", "preempt", "away",  "end",
	};

	switch (find(kind, kinds, 9)) {
	case 0:
		item->kind = FLOW_BLOCK;
		return read_block(rest, item);
	case 1:
		item->kind = FLOW_ASYNC;
		return sscanf(rest, "%" SCNx64, &item->ip) == 1;
	case 2:
		item->kind = FLOW_START;
		return sscanf(rest, "%" SCNx64, &item->ip) == 1;
	case 3:
		item->kind = FLOW_STOP;
		return read_stop(rest, item);
	case 4:
		item->kind = FLOW_GAP;
		return read_gap(rest, item);
	case 5:
	case 6:
	case 7:
		item->kind = FLOW_SWITCH;
		item->detail = (uint8_t)(find(kind, kinds, 9) - 5) & 15;
		return read_switch(rest, item);
	case 8:
		item->kind = FLOW_END;
		return true;
	default:
		return false;
	}
}

bool flow_fixture_add(struct flow_fixture *flow, const char *line)
{
	struct flow_item item = { 0 };
	struct flow_item *slot;
	char kind[16];
	int length = 0;

	if (sscanf(line, "%" SCNu64 " %15s%n", &item.time_ns, kind, &length) <
		    2 ||
	    !read_rest(kind, line + length, &item))
		return false;
	slot = array_add(&flow->items);
	if (slot)
		*slot = item;
	return slot;
}
