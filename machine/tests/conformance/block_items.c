/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/block_items.h"

#include <inttypes.h>
#include <string.h>

void block_items_open(struct block_items *items, FILE *text)
{
	*items = (struct block_items){ .text = text };
}

static const struct {
	const char *name;
	enum item_class class;
} exits[] = {
	{ "none", CLASS_NONE },	     { "conditional", CLASS_CONDITIONAL },
	{ "jump", CLASS_JUMP },	     { "call", CLASS_CALL },
	{ "return", CLASS_RETURN },  { "far-call", CLASS_FAR },
	{ "far-return", CLASS_FAR }, { "far-jump", CLASS_FAR },
};

static enum item_class class_of(const char *exit)
{
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
		if (!strcmp(exits[i].name, exit))
			return exits[i].class;
	return CLASS_NONE;
}

static void put(struct block_items *items, const struct item *item)
{
	items->queue[items->queued++] = *item;
}

/* A branch ran just before its target. */
static void leave_at(struct item *leaving, const struct item *place)
{
	leaving->tsc = place->tsc;
	leaving->early_ns = place->early_ns;
	leaving->late_ns = place->late_ns;
}

/* The branch that ended the previous code led to @to. */
static void arrive(struct block_items *items, const struct item *place,
		   uint64_t to)
{
	struct item *leaving = &items->leaving;

	if (leaving->class == CLASS_NONE)
		return;
	leave_at(leaving, place);
	leaving->type = ITEM_BRANCH;
	leaving->to = to;
	leaving->to_known = true;
	put(items, leaving);
	leaving->class = CLASS_NONE;
}

/* The branch led out of traced code. */
static void stop(struct block_items *items, const struct item *place)
{
	struct item *leaving = &items->leaving;

	if (leaving->class == CLASS_NONE)
		return;
	leave_at(leaving, place);
	leaving->type = ITEM_END;
	leaving->to_known = false;
	put(items, leaving);
	leaving->class = CLASS_NONE;
}

static void leave(struct block_items *items, const struct item *place,
		  enum item_class class, uint64_t from)
{
	items->leaving = *place;
	items->leaving.class = class;
	items->leaving.from = from;
}

static bool take_block(struct block_items *items, const char *text,
		       const struct item *place)
{
	uint64_t first, last, instructions;
	char exit[16];

	if (sscanf(text, "block %15s %" SCNx64 "-%" SCNx64 " %" SCNu64, exit,
		   &first, &last, &instructions) != 4)
		return false;
	arrive(items, place, first);
	leave(items, place, class_of(exit), last);
	items->blocks++;
	items->instructions += instructions;
	return true;
}

static bool take_other(struct block_items *items, const char *text,
		       struct item *place)
{
	uint64_t address;

	if (sscanf(text, "async %" SCNx64, &address) == 1) {
		arrive(items, place, address);
		leave(items, place, CLASS_ASYNC, address);
	} else if (sscanf(text, "start %" SCNx64, &address) == 1) {
		stop(items, place);
		place->type = ITEM_START;
		place->to = address;
		put(items, place);
	} else if (!strncmp(text, "stop ", 5) || !strncmp(text, "end ", 4)) {
		stop(items, place);
	} else if (!strncmp(text, "gap ", 4)) {
		items->gaps++;
		items->leaving.class = CLASS_NONE;
		place->type = ITEM_LOSS;
		put(items, place);
	} else {
		return !strncmp(text, "switch ", 7) ||
		       !strncmp(text, "mode ", 5) ||
		       !strncmp(text, "address-space ", 14);
	}
	return true;
}

static void take_line(struct block_items *items, const char *line)
{
	struct item place = { .position = items->line };
	int skipped = 0;

	if (sscanf(line, "stream %*u cpu %" SCNu32, &items->cpu) == 1)
		return;
	if (sscanf(line, "%" SCNu64 " -%" SCNu32 " +%" SCNu32 " %n", &place.tsc,
		   &place.early_ns, &place.late_ns, &skipped) != 3 ||
	    !skipped ||
	    (!take_block(items, line + skipped, &place) &&
	     !take_other(items, line + skipped, &place)))
		items->not_understood++;
}

int block_items_next(struct block_items *items, struct item *item)
{
	char line[256];

	while (items->taken == items->queued) {
		items->taken = items->queued = 0;
		if (!fgets(line, sizeof(line), items->text))
			return 0;
		items->line++;
		take_line(items, line);
	}
	*item = items->queue[items->taken++];
	return 1;
}
