/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CLASS_ERROR_BOUND_H
#define KT_TABLES_CLASS_ERROR_BOUND_H

#include <stdint.h>

struct time_span;

/* Bounds the error of the class times of one thread. The thread's time moves
 * from one class to another at borders, each of which is exact to a few ns, or
 * a few hundred; each border may shift that much time to the wrong class. So
 * may the thread's end, after which no time of the thread follows.
 */
struct class_error_bound {
	uint64_t sum_ns;       /* sum over borders with time on both sides */
	uint64_t before_ns;    /* in the class before the last border */
	uint64_t since_ns;     /* in the class after it, so far */
	uint64_t error_ns;     /* error of the last border */
	uint64_t last_ns;      /* end of the last span */
	uint32_t end_error_ns; /* error of last_ns if the thread ended there */
	uint8_t time_class;    /* enum time_class after the last border */
};

/* Adds the thread's next span. */
void class_error_bound_take(struct class_error_bound *bound,
			    const struct time_span *span);

/* Returns the maximum total error of a class in ns. @until_ns: end of the
 * recording; a thread's end is at that time at the latest.
 */
uint64_t class_error_bound_ns(const struct class_error_bound *bound,
			      uint64_t until_ns);

#endif
