/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPT_ROWS_H
#define KT_ATTRIBUTION_INTERRUPT_ROWS_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"
#include "report/steps/time_window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_file_writer;
struct pack;

/* The sums of interrupt work: by function and victim, and each of these by
 * whom it was for.
 */
struct interrupt_rows;

struct interrupt_rows *interrupt_rows_new(void); /* NULL: out of memory */
void interrupt_rows_free(struct interrupt_rows *rows);

/* Returned in place of a number when out of memory. */
#define INTERRUPT_WORK_NONE UINT32_MAX

/* Returns the number of @work, counted from 0, which has no sums yet and is for
 * -1: a kind of work on one task's time.
 */
uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_row *work);

/* Which slice of work, and when and where it was. */
struct slice_span {
	uint64_t serial; /* of the slice, from 1; 0: none */
	uint64_t outer;	 /* of that which it is part of; 0: of none */
	uint64_t begin_ns;
	uint64_t end_ns;
	int32_t cpu;
	uint64_t own_ns;   /* in no other slice */
	uint64_t shown_ns; /* of own_ns, in the window */
	bool is_shown;	   /* it has such time, or begins there */
};

/* Part of a slice of work: @count of it (1: all), @ns of its own time, from @from_ns
 * on if that is counted from 0.
 */
struct interrupt_charge {
	uint32_t work;
	uint8_t certainty; /* enum interrupt_certainty */
	double count;
	uint64_t from_ns;
	uint64_t ns;
	struct slice_span span;
};

/* Returns how much of @of_ns, part of the slice's own time, @charge has: the parts of
 * all charges add up to it.
 */
uint64_t interrupt_charge_part(const struct interrupt_charge *charge,
			       uint64_t of_ns);

/* Counts one slice of work @number, if it is shown; its shares follow.  @times
 * (struct time_window) are its own, for those who keep it.
 */
void interrupt_rows_count(struct interrupt_rows *rows, uint32_t number,
			  const struct slice_span *span,
			  const struct array *times);

/* Takes each part of a slice that is shown when it is known for whom it was: of one slice at
 * any time until the end.
 */
struct charge_callback {
	void (*take)(struct charge_callback *callback,
		     const struct interrupt_row *work, int32_t pid,
		     const struct interrupt_charge *charge);
};

/* Keeps all slices and their shares from now on, shown or not. */
void interrupt_rows_keep(struct interrupt_rows *rows,
			 struct kept_file_writer *writer);

/* Reads a record that was kept and adds what is in @window of it.  There are
 * @functions functions.
 */
void interrupt_rows_read(struct interrupt_rows *rows, struct time_window window,
			 uint32_t functions, struct pack *pack);

/* Tells @callback, which is borrowed, of what is added from now on. */
void interrupt_rows_tell(struct interrupt_rows *rows,
			 struct charge_callback *callback);

/* Adds what was for process @pid (-1: nobody), as far as it is shown.  Returns false
 * when out of memory.
 */
bool interrupt_rows_add(struct interrupt_rows *rows, int32_t pid,
			const struct interrupt_charge *charge);

/* Returns row @index, in no order, by function, victim and for whom; NULL after the
 * last.
 */
const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index);

/* The same with those for all processes taken together: pid is -1, the count is that
 * of the slices of work, max_ns the longest.
 */
const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index);

#endif
