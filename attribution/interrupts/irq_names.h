/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_IRQ_NAMES_H
#define KT_ATTRIBUTION_IRQ_NAMES_H

#include "common/array.h"

#include <stdint.h>

struct event_record;
struct pack;

/* The device names of interrupt numbers, from irq_handler_entry. */
struct irq_names {
	struct keyed_array all; /* struct irq_name */
};

struct irq_name {
	int32_t irq;
	char text[64];
};

#define IRQ_NAMES_NONE \
	((struct irq_names){ KEYED_ARRAY_OF(struct irq_name, irq) })

void irq_names_free(struct irq_names *names);

/* Adds the name in @event, if any. Returns 0, or -ERROR_MEMORY. */
int irq_names_take(struct irq_names *names, const struct event_record *event);

/* Writes or reads the names. */
void irq_names_pack(struct irq_names *names, struct pack *pack);

/* Returns the name of @irq, "" if it has none. */
const char *irq_names_find(const struct irq_names *names, int32_t irq);

#endif
