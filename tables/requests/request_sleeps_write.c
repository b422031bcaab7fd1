/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/text/task_label.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sleeps.h"
#include "tables/table.h"
#include "tables/text/sleep_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Maximum number of places and wakers in a row of text. */
enum { MOST_SHOWN = 5 };

/* Sums of the naps of one request. */
struct nap_sums {
	struct request_sleep_callback callback; /* must be first */
	struct array sums;			/* struct request_sleep */
};

/* The field "sleeps" of a request's record. */
struct sleeps_field {
	const struct request_sleeps *sleeps;
	const struct attribution_input *input;
	uint64_t number;
	bool is_text;
};

static bool is_alike(const struct request_sleep *nap,
		     const struct request_sleep *other)
{
	return nap->label == other->label && nap->fd == other->fd &&
	       nap->waker == other->waker && nap->sender == other->sender;
}

/* Adds a nap to the sum with the same place and waker. */
static bool add_nap(struct array *sums, const struct request_sleep *nap)
{
	struct request_sleep *items = sums->items;
	struct request_sleep *added;

	for (size_t i = 0; i < sums->count; i++)
		if (is_alike(&items[i], nap)) {
			items[i].asleep_ns += nap->asleep_ns;
			return true;
		}
	added = array_add(sums);
	if (added)
		*added = *nap;
	return added;
}

static int compare_times(const void *a, const void *b)
{
	const struct request_sleep *x = a;
	const struct request_sleep *y = b;

	if (x->asleep_ns != y->asleep_ns)
		return x->asleep_ns > y->asleep_ns ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

void request_sleep_write_wakers(const struct request_sleeps *sleeps,
				const struct request_sleep *sleep,
				const struct attribution_input *input,
				FILE *out)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);

	wakers_write_any(request_sleeps_wakers(sleeps), sleep->waker,
			 UINT32_MAX, functions, input->names, out);
	if (sleep->sender)
		fprintf(out, " < %s %s",
			task_label_last(input->names, sleep->sender->tid).text,
			function_at(functions, sleep->sender_function)->name);
}

static void write_nap(const struct sleeps_field *field,
		      const struct request_sleep *nap, FILE *out)
{
	const struct function_table *functions =
		symbols_functions(field->input->symbols);

	if (field->is_text)
		fputs(duration_text_of(nap->asleep_ns).text, out);
	else
		fprintf(out, "%" PRIu64, nap->asleep_ns);
	fprintf(out, " %s", sleep_label_name(functions, nap->label));
	if (nap->fd >= 0)
		fprintf(out, " of fd %" PRId32, nap->fd);
	fputs(": ", out);
	request_sleep_write_wakers(field->sleeps, nap, field->input, out);
}

static int take_nap(struct request_sleep_callback *callback,
		    const struct request_sleep *nap)
{
	return add_nap(&((struct nap_sums *)callback)->sums, nap) ?
		       0 :
		       -ERROR_MEMORY;
}

static bool write_all(const struct sleeps_field *field, FILE *out)
{
	struct nap_sums sums = {
		.callback.take = take_nap,
		.sums = ARRAY_OF(struct request_sleep),
	};
	int status = request_sleeps_visit(field->sleeps, field->number,
					  &sums.callback);

	array_sort(&sums.sums, compare_times);
	for (size_t i = 0;
	     i < sums.sums.count && (i < MOST_SHOWN || !field->is_text); i++) {
		fputs(i ? "; " : "", out);
		write_nap(field, array_at(&sums.sums, i), out);
	}
	array_free(&sums.sums);
	return !status;
}

static bool write_field(FILE *out, const void *ctx)
{
	return write_all(ctx, out);
}

void request_sleeps_write(const struct request_sleeps *sleeps,
			  const struct attribution_input *input,
			  struct record_writer *writer, uint64_t number)
{
	const struct sleeps_field field = { sleeps, input, number,
					    writer->format == RECORD_TABLE };

	record_written(writer, "sleeps", write_field, &field);
}
