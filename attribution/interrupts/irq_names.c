/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/irq_names.h"

#include "attribution/events/known_events.h"
#include "common/error.h"
#include "common/number_map.h"
#include "common/string_pool.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <stdlib.h>
#include <string.h>

struct irq_names {
	struct number_map *numbers; /* by irq: the name's number + 1 */
	struct string_pool *texts;
};

struct irq_names *irq_names_new(void)
{
	struct irq_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->numbers = number_map_new();
	names->texts = string_pool_new();
	if (names->numbers && names->texts)
		return names;
	irq_names_free(names);
	return NULL;
}

void irq_names_free(struct irq_names *names)
{
	if (!names)
		return;
	number_map_free(names->numbers);
	string_pool_free(names->texts);
	free(names);
}

static uint32_t text_of(struct string_pool *texts,
			const struct sideband_record *record)
{
	enum { MAX_NAME = 64 };
	char text[MAX_NAME];

	tracepoint_text(tracepoint_field(record->event->tracepoint, "name"),
			record->sample.raw, record->sample.raw_size, text,
			sizeof(text));
	return string_pool_add(texts, text, strlen(text));
}

int irq_names_take(struct irq_names *names, const struct event_record *event)
{
	uint64_t irq = (uint32_t)event->values[IRQ_NUMBER];
	uint64_t *number;
	uint32_t text;

	if (event->event != EVENT_IRQ_ENTRY || !event->sideband ||
	    number_map_find(names->numbers, irq))
		return 0;
	text = text_of(names->texts, event->sideband);
	number = number_map_add(names->numbers, irq);
	if (!number || text == STRING_POOL_NONE)
		return -ERROR_MEMORY;
	*number = (uint64_t)text + 1;
	return 0;
}

const char *irq_names_find(const struct irq_names *names, int32_t irq)
{
	const uint64_t *number = number_map_find(names->numbers, (uint32_t)irq);

	return number && *number ?
		       string_pool_text(names->texts, (uint32_t)*number - 1) :
		       "";
}
