/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/maps.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/data/slice_store.h"
#include "view/make/thread_numbers.h"

/* The sleeps of one thread in one function that one waker ended. */
struct sleep_row {
	struct view_slice longest;
	uint64_t count;
	uint64_t sum_ns;
};

struct sleep_rows {
	struct slice_callback callback;
	struct number_map numbers; /* index + 1 in rows, by key_of() */
	struct array rows;
	int status;
};

/* Returns a hash of thread, function and waker; a thread has few combinations.
 */
static uint64_t key_of(const struct view_slice *slice)
{
	uint64_t key = (uint64_t)slice->track << 32 | slice->detail;

	return key * UINT64_C(0x9e3779b97f4a7c15) ^ (uint32_t)slice->waker_tid;
}

static struct sleep_row *row_of(struct sleep_rows *rows,
				const struct view_slice *slice)
{
	uint64_t *number = number_map_add(&rows->numbers, key_of(slice));

	if (!number)
		return NULL;
	if (!*number) {
		if (!array_add(&rows->rows))
			return NULL;
		*number = rows->rows.count;
	}
	return array_at(&rows->rows, *number - 1);
}

static void consume(struct slice_callback *callback,
		    const struct view_slice *slice)
{
	struct sleep_rows *rows = (struct sleep_rows *)callback;
	uint64_t length_ns = slice->end_ns - slice->begin_ns;
	struct sleep_row *row;

	if (slice->name != VIEW_ASLEEP)
		return;
	row = row_of(rows, slice);
	if (!row) {
		rows->status = -ERROR_MEMORY;
		return;
	}
	if (!row->count ||
	    length_ns > row->longest.end_ns - row->longest.begin_ns)
		row->longest = *slice;
	row->count++;
	row->sum_ns += length_ns;
}

static int find(const struct view_sources *sources, struct sleep_rows *rows,
		struct time_window window, uint32_t number)
{
	const struct view_summary *summary = sources->summary;
	int status = 0;

	for (uint32_t i = 0; i < summary->threads.count && !status; i++)
		if (number == THREAD_NUMBER_NONE || number == i)
			status = slice_store_read(summary->slices, 0,
						  track_of(TRACK_STATE, i),
						  window, &rows->callback);
	return status ? status : rows->status;
}

enum { ROWS_MOST = 1000 };

static int write_rows(const struct view_sources *sources,
		      struct sleep_rows *rows, struct json_out *json)
{
	struct answer_names named;

	if (answer_names_init(&named, sources->functions) < 0)
		return -ERROR_MEMORY;
	array_sort_by(&rows->rows,
		      KEYS(FALLING(struct sleep_row, sum_ns),
			   RISING(struct sleep_row, longest.track)));
	json_key(json, "sleeps");
	json_begin(json, "[]");
	for (size_t i = 0; i < rows->rows.count && i < ROWS_MOST; i++) {
		const struct sleep_row *row = array_at(&rows->rows, i);

		json_begin(json, "[]");
		json_number(json, row->longest.track / TRACK_KINDS);
		json_number(json, row->count);
		json_number(json, row->sum_ns);
		slice_json(&row->longest, sources->summary, &named, json);
		json_end(json, "[]");
	}
	json_end(json, "[]");
	json_member_number(json, "row_count", rows->rows.count);
	answer_names_write(&named, json);
	answer_names_free(&named);
	return 0;
}

enum view_status answer_sleeps(const struct view_sources *sources,
			       const struct view_request *request,
			       struct json_out *json)
{
	struct sleep_rows rows = {
		.callback = { .consume = consume },
		.rows = ARRAY_OF(struct sleep_row),
	};
	struct time_window window;
	uint32_t number;
	int status;

	if (!request_window(request, sources->summary, &window) ||
	    !request_thread(request, sources->summary, &number))
		return VIEW_BAD;
	status = find(sources, &rows, window, number);
	if (!status)
		status = write_rows(sources, &rows, json);
	number_map_free(&rows.numbers);
	array_free(&rows.rows);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}
