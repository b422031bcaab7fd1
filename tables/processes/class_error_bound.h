/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CLASS_ERROR_BOUND_H
#define KT_TABLES_CLASS_ERROR_BOUND_H

#include <stdint.h>

struct time_span;

/* The error bound says how exact the classes of one thread's time are: its time
 * goes from one class to another at borders that the trace tells to within a
 * few ns, or a few hundred, and each of these may be wrong by that much.  So may
 * its end, behind which nothing of it is.
 */
struct class_error_bound {
	uint64_t sum_ns;       /* of the borders with time on both sides */
	uint64_t before_ns;    /* in the class before the last border */
	uint64_t since_ns;     /* in the one after it, so far */
	uint64_t error_ns;     /* of the last border */
	uint64_t last_ns;      /* when the last span ended, and */
	uint32_t end_error_ns; /* if that was the thread's end, its error */
	uint8_t time_class;    /* enum time_class: the one after it */
};

/* Takes the thread's next span. */
void class_error_bound_take(struct class_error_bound *bound,
			    const struct time_span *span);

/* Returns by how many ns a class may be wrong, all in all.  The recording ended at
 * @until_ns: no thread ended later.
 */
uint64_t class_error_bound_ns(const struct class_error_bound *bound,
			      uint64_t until_ns);

#endif
