/* SPDX-License-Identifier: MIT */
#include "tables/table_records.h"

#include "common/bytes.h"

#include <stdlib.h>
#include <string.h>

struct cached_span table_records_begin_in(struct time_window window)
{
	struct cached_span wanted = CACHED_SPAN_ALL;

	wanted.first_begin_ns = window.since_ns;
	wanted.last_begin_ns = window.until_ns;
	return wanted;
}

struct cached_span table_records_overlap(struct time_window window)
{
	struct cached_span wanted = CACHED_SPAN_ALL;

	wanted.last_begin_ns = window.until_ns;
	wanted.first_end_ns = window.since_ns;
	return wanted;
}

void table_records_refer_to_nothing(struct event_handler *handler,
				    struct pack *pack)
{
	(void)handler;
	(void)pack;
}

void table_records_pack_text(struct pack *pack, char **text)
{
	if (!pack->is_reading) {
		byte_buffer_add(&pack->out, *text, strlen(*text) + 1);
		return;
	}
	*text = strdup(byte_reader_text(&pack->reader));
	pack_check(pack, *text && !pack->reader.failed);
	if (!pack->failed)
		return;
	free(*text);
	*text = NULL;
}

/* Writes few classes, since most records have time in two. */
void table_records_pack_classes(struct pack *pack,
				uint64_t class_ns[TIME_CLASSES])
{
	uint32_t used = 0;

	for (int i = 0; i < TIME_CLASSES; i++)
		used |= (uint32_t)(class_ns[i] != 0) << i;
	pack_u32(pack, &used);
	for (int i = 0; i < TIME_CLASSES; i++)
		if (used >> i & 1)
			pack_u64(pack, &class_ns[i]);
}
