/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_UNIT_LOSS_H
#define KT_MACHINE_UNIT_LOSS_H

#include <stdbool.h>
#include <stdint.h>

/* Loss on demand: decides when the unit's internal buffer "overflows".
 *
 * A real unit loses packets if memory is too slow. The emulated unit never does
 * by itself, so tests request losses: about once in interval events, up to
 * UNIT_LOSS_LONGEST events are lost. The same seed loses the same events.
 */
enum { UNIT_LOSS_LONGEST = 512 };

struct unit_loss {
	uint64_t interval; /* events; 0: never */
	uint64_t random;
	uint64_t until_next; /* events until the next loss */
	uint64_t left;	     /* events of the current loss */
};

void unit_loss_init(struct unit_loss *loss, uint64_t interval, uint64_t seed);

/* Counts one event. Returns true while events are lost. */
bool unit_loss_event(struct unit_loss *loss);

/* Ends a loss early. */
void unit_loss_end(struct unit_loss *loss);

#endif
