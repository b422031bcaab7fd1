/* SPDX-License-Identifier: MIT */
#include "tables/table_records.h"

struct kept_span table_records_begin_in(struct time_window window)
{
	struct kept_span wanted = KEPT_SPAN_ALL;

	wanted.first_begin_ns = window.since_ns;
	wanted.last_begin_ns = window.until_ns;
	return wanted;
}

struct kept_span table_records_overlap(struct time_window window)
{
	struct kept_span wanted = KEPT_SPAN_ALL;

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
