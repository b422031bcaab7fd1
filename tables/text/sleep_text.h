/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_TEXT_H
#define KT_TABLES_SLEEP_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct function_table;
struct task_names;
struct wakers;

/* Returns the name of the function at which a thread slept, "[unseen]" if it is
 * untraced.
 */
const char *sleep_label_name(const struct function_table *functions,
			     uint32_t label);

/* Writes a chain as text, the last waker first: "cat-12 pipe_write < interrupt
 * vring_interrupt blk_done_softirq".
 *
 * Tasks have their last names in @names.
 */
void wakers_write(const struct wakers *wakers, uint32_t number,
		  const struct function_table *functions,
		  const struct task_names *names, FILE *out);

/* Like wakers_write(), but writes at most @most wakers, "cat-12 pipe_write < 30
 * more"; WAKER_NONE is "[unseen]".
 */
void wakers_write_any(const struct wakers *wakers, uint32_t number,
		      uint32_t most, const struct function_table *functions,
		      const struct task_names *names, FILE *out);

#endif
