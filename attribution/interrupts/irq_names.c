/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/irq_names.h"

#include "attribution/events/known_events.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

void irq_names_free(struct irq_names *names)
{
	keyed_array_free(&names->all);
}

int irq_names_take(struct irq_names *names, const struct event_record *event)
{
	const struct sideband_record *record = event->sideband;
	struct irq_name name = { .irq = (int32_t)event->values[IRQ_NUMBER] };

	if (event->event != EVENT_IRQ_ENTRY || !record || !record->event ||
	    keyed_array_find(&names->all, &name.irq))
		return 0;
	tracepoint_text(tracepoint_field(record->event->tracepoint, "name"),
			record->sample.raw, record->sample.raw_size, name.text,
			sizeof(name.text));
	return keyed_array_add(&names->all, &name) ? 0 : -ERROR_MEMORY;
}

static void pack_text(struct pack *pack, char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)text[i];

		pack_small(pack, &byte, UINT8_MAX);
		text[i] = (char)byte;
		if (!byte)
			return;
	}
	/* The name is not NUL-terminated. */
	pack_check(pack, false);
}

void irq_names_pack(struct irq_names *names, struct pack *pack)
{
	uint32_t count = (uint32_t)names->all.items.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct irq_name name = { 0 };

		if (!pack->is_reading)
			name = *(struct irq_name *)array_at(&names->all.items,
							    i);
		pack_i32(pack, &name.irq);
		pack_text(pack, name.text, sizeof(name.text));
		if (pack->is_reading && !pack->failed)
			pack_check(pack, keyed_array_add(&names->all, &name));
	}
}

const char *irq_names_find(const struct irq_names *names, int32_t irq)
{
	const struct irq_name *name = keyed_array_find(&names->all, &irq);

	return name ? name->text : "";
}
