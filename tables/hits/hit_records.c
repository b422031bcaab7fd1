/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "common/kept_file.h"
#include "symbolize/functions/function_table.h"
#include "tables/hits/hit_list.h"
#include "tables/hits/hits_table_parts.h"
#include "tables/table_records.h"

#include <stdlib.h>

void hits_table_compare(struct hits_table *table)
{
	for (size_t i = 0; i < table->calls.count; i++) {
		struct hit_call *call = array_at(&table->calls, i);

		if (!call->is_known || call->is_compared)
			continue;
		call->is_compared = true;
		call->others = typical_calls_of(&table->typical, call->function,
						&call->typical);
	}
}

static void pack_times(struct pack *pack, struct call_times *times)
{
	for (int part = 0; part < CALL_PART_NAMES; part++)
		pack_u64(pack, &times->ns[part]);
}

void hit_call_pack(struct pack *pack, struct hit_call *call, uint32_t functions)
{
	pack_u32(pack, &call->function);
	pack_check(pack, call->function < functions);
	pack_times(pack, &call->times);
	pack_u64(pack, &call->others);
	pack_times(pack, &call->typical);
	table_records_pack_text(pack, &call->text);
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	((struct hits_table *)handler)->writer = writer;
}

/* The typical times of other calls are known only after the pass. */
static void keep_at_end(struct event_handler *handler)
{
	struct hits_table *table = (struct hits_table *)handler;
	uint32_t functions = function_count(table->context.functions);

	hits_table_compare(table);
	for (uint32_t i = 0; i < table->calls.count; i++) {
		struct hit_call *call = array_at(&table->calls, i);
		const struct hit *hit = array_at(&table->hits, i);
		const struct kept_span span =
			kept_span_of(hit->what.hit_ns, hit->what.hit_ns);
		struct pack *pack = kept_file_writer_pack(table->writer);
		uint32_t place = i;

		if (!call->is_known)
			continue;
		pack_u32(pack, &place);
		hit_call_pack(pack, call, functions);
		kept_file_writer_add(table->writer, &span);
	}
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	struct hits_table *table = (struct hits_table *)handler;
	uint32_t functions = function_count(table->context.functions);
	struct hit_call read = { .is_known = true, .is_compared = true };
	uint32_t place = 0;
	struct hit_call *call;

	pack_u32(pack, &place);
	pack_check(pack, place < table->calls.count);
	hit_call_pack(pack, &read, functions);
	if (pack->failed) {
		free(read.text);
		return;
	}
	call = array_at(&table->calls, place);
	free(call->text);
	*call = read;
}

const struct table_records hits_table_records = {
	.name = "hits",
	.keep = keep,
	.keep_at_end = keep_at_end,
	.pack_rest = table_records_refer_to_nothing,
	.take = take_record,
	.wanted = table_records_begin_in,
};
