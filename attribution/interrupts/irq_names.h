/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_IRQ_NAMES_H
#define KT_ATTRIBUTION_IRQ_NAMES_H

#include <stdint.h>

struct event_record;

/* The devices of interrupt numbers, as irq_handler_entry tells them. */
struct irq_names;

/* Returns NULL when out of memory. */
struct irq_names *irq_names_new(void);
void irq_names_free(struct irq_names *names);

/* Learns from @event.  Returns 0, or -ERROR_MEMORY. */
int irq_names_take(struct irq_names *names, const struct event_record *event);

/* Returns the name of @irq, "" if it has none. */
const char *irq_names_find(const struct irq_names *names, int32_t irq);

#endif
