/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "sql/tables/request_columns.h"
#include "sql/tables/request_sleep_rows.h"
#include "sql/tables/row_source.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"

#include <stddef.h>
#include <stdlib.h>

/* Each message that a server processed, as in report --requests. */
struct request_source {
	struct row_source source;
	struct request_callback callback;
	const struct attribution_input *recording;
	struct request_sleeps *sleeps; /* or NULL */
	struct array numbers;	       /* uint64_t: requests with sleeps */
	struct row_out *out;	       /* or NULL */
	struct row_out *sleeps_out;    /* or NULL */
	int status;
};

static void add_row(struct request_source *source,
		    const struct request *request)
{
	struct request_row row;

	if (request_row_of(request, &row) < 0)
		source->status = -ERROR_MEMORY;
	else
		request_columns_add(source->recording->names, source->out,
				    &row);
}

static void add_sleeps(struct request_source *source,
		       const struct request *request)
{
	uint64_t *number = array_add(&source->numbers);

	if (number && request_sleeps_add(source->sleeps, request) == 0)
		*number = request->number;
	else
		source->status = -ERROR_MEMORY;
}

static void take_request(struct request_callback *callback,
			 const struct request *request)
{
	struct request_source *source =
		container_of(callback, struct request_source, callback);

	if (source->out)
		add_row(source, request);
	if (source->sleeps)
		add_sleeps(source, request);
}

static int end_sleeps(struct request_source *source)
{
	request_sleeps_end(source->sleeps);
	return request_sleep_rows_add(source->recording, source->sleeps,
				      &source->numbers, source->sleeps_out);
}

static int end(struct row_source *rows, const struct task_stacks *stacks,
	       bool is_early)
{
	struct request_source *source = (struct request_source *)rows;
	int status = source->status;

	(void)stacks;
	(void)is_early;
	if (!status && source->out)
		status = row_out_flush(source->out);
	if (!status && source->sleeps)
		status = end_sleeps(source);
	return status;
}

static void close_rows(struct row_source *rows)
{
	struct request_source *source = (struct request_source *)rows;

	request_sleeps_free(source->sleeps);
	array_free(&source->numbers);
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct request_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->source = (struct row_source){ .end = end, .close = close_rows };
	source->callback.take = take_request;
	source->recording = input->recording;
	source->out = input->outs[TABLE_REQUEST];
	source->sleeps_out = input->outs[TABLE_REQUEST_SLEEP];
	source->numbers = ARRAY_OF(uint64_t);
	if (source->sleeps_out)
		source->sleeps = request_sleeps_new(input->recording);
	if ((source->sleeps || !source->sleeps_out) &&
	    trackers_requests(input->recording->trackers, &source->callback))
		return &source->source;
	close_rows(&source->source);
	return NULL;
}

const struct row_source_class request_source = {
	.needs_time = true,
	.open = open_rows,
};
