/* SPDX-License-Identifier: MIT */
#include "attribution/time/call_entries.h"

#include "common/error.h"

void call_entries_free(struct call_entries *entries)
{
	keyed_array_free(&entries->all);
}

int call_entries_take(struct call_entries *entries,
		      const struct event_record *event)
{
	struct call_entry *entry;

	if (event->event != EVENT_SYS_ENTER)
		return 0;
	entry = keyed_array_add(&entries->all,
				&(struct call_entry){ .tid = event->tid });
	if (!entry)
		return -ERROR_MEMORY;
	entry->record = *event->sideband;
	entry->number = event->values[SYSTEM_CALL_NUMBER];
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		entry->arguments[i] =
			(uint64_t)event->values[SYSTEM_CALL_ARGUMENT + i];
	return 0;
}

const struct call_entry *call_entries_find(const struct call_entries *entries,
					   int32_t tid)
{
	return keyed_array_find(&entries->all, &tid);
}
