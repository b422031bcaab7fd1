/* SPDX-License-Identifier: MIT */
#include "tables/interrupts/irq_names.h"

#include "attribution/events/known_events.h"
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

	if (event->event != EVENT_IRQ_ENTRY || !record ||
	    keyed_array_find(&names->all, &name.irq))
		return 0;
	tracepoint_text(tracepoint_field(record->event->tracepoint, "name"),
			record->sample.raw, record->sample.raw_size, name.text,
			sizeof(name.text));
	return keyed_array_add(&names->all, &name) ? 0 : -ERROR_MEMORY;
}

const char *irq_names_find(const struct irq_names *names, int32_t irq)
{
	const struct irq_name *name = keyed_array_find(&names->all, &irq);

	return name ? name->text : "";
}
