/* SPDX-License-Identifier: MIT */
#include "tables/text/sleep_text.h"

#include "attribution/sleeps/sleeps.h"
#include "report/text/function_label.h"
#include "report/text/task_label.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

const char *sleep_label_name(const struct function_table *functions,
			     uint32_t label)
{
	return label == FUNCTION_UNKNOWN ? "[unseen]" :
					   function_at(functions, label)->name;
}

static void write_one(const struct waker *waker,
		      const struct function_table *functions,
		      const struct task_names *names, FILE *out)
{
	if (waker->interrupt != FUNCTION_NONE) {
		fputs("interrupt ", out);
		function_name_write(functions, waker->interrupt, out);
	} else {
		task_label_write_last(names, waker->tid, out);
	}
	if (waker->function != waker->interrupt &&
	    waker->function != FUNCTION_UNKNOWN) {
		fputs(" ", out);
		function_name_write(functions, waker->function, out);
	}
}

static void write_chain(const struct wakers *wakers, uint32_t number,
			uint32_t most, const struct function_table *functions,
			const struct task_names *names, FILE *out)
{
	uint32_t count = 0;

	for (uint32_t i = number; i != WAKER_NONE;
	     i = wakers_at(wakers, i)->earlier)
		if (count++ < most) {
			fputs(i == number ? "" : " < ", out);
			write_one(wakers_at(wakers, i), functions, names, out);
		}
	if (count > most)
		fprintf(out, " < %" PRIu32 " more", count - most);
}

void wakers_write(const struct wakers *wakers, uint32_t number,
		  const struct function_table *functions,
		  const struct task_names *names, FILE *out)
{
	write_chain(wakers, number, UINT32_MAX, functions, names, out);
}

void wakers_write_any(const struct wakers *wakers, uint32_t number,
		      uint32_t most, const struct function_table *functions,
		      const struct task_names *names, FILE *out)
{
	if (number == WAKER_NONE)
		fputs("[unseen]", out);
	else
		write_chain(wakers, number, most, functions, names, out);
}
