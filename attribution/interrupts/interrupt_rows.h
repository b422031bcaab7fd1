/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_ROWS_H
#define KT_ATTRIBUTION_INTERRUPT_ROWS_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sums of interrupt work: by function and victim, and each of these by
 * whom it was for.
 */
struct interrupt_rows;

struct interrupt_rows *interrupt_rows_new(void);
void interrupt_rows_free(struct interrupt_rows *rows);

/* Returned in place of a number when out of memory. */
#define INTERRUPT_WORK_NONE UINT32_MAX

/* Returns the number of @work, counted from 0, which has no sums yet and is for
 * -1: a kind of work on one task's time.
 */
uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_row *work);

/* Counts one slice of work @number that took @ns; its shares follow. */
void interrupt_rows_count(struct interrupt_rows *rows, uint32_t number,
			  uint64_t ns);

/* Which slice of work, and when and where it was. */
struct slice_span {
	uint64_t serial; /* of the slice, from 1; 0: none */
	uint64_t outer;	 /* of that which it is part of; 0: of none */
	uint64_t begin_ns;
	uint64_t end_ns;
	int32_t cpu;
};

/* Part of a slice of work: @count of it (1: all), @ns of its time.  Or what it
 * did on call paths: then @ns is the time of all @paths.
 */
struct interrupt_charge {
	uint32_t work;	   /* INTERRUPT_WORK_NONE: of paths */
	uint8_t certainty; /* enum interrupt_certainty */
	double count;
	uint64_t ns;
	struct slice_span span;
	struct array paths; /* struct path_work */
};

/* Takes each part of a slice when it is known for whom it was: of one slice at
 * any time until the end.
 */
struct charge_callback {
	void (*take)(struct charge_callback *callback,
		     const struct interrupt_row *work, int32_t pid,
		     const struct interrupt_charge *charge);
};

/* Tells @callback, which is borrowed, of what is added from now on. */
void interrupt_rows_tell(struct interrupt_rows *rows,
			 struct charge_callback *callback);

/* Adds what was for process @pid (-1: nobody).  Returns false when out of
 * memory.
 */
bool interrupt_rows_add(struct interrupt_rows *rows, int32_t pid,
			const struct interrupt_charge *charge);

/* Returns row @index by function, victim and for whom; NULL after the last. */
const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index);

/* The same by function and victim alone: pid is -1, the count exact. */
const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index);

#endif
