/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/ranked_values_internal.h"

#include "common/error.h"
#include "common/files/file_map.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

void ranked_values_open(struct ranked_values *values, const struct log *log)
{
	*values = (struct ranked_values){
		.log = log,
		.recent = ARRAY_OF(int64_t),
		.runs_fd = -1,
	};
}

void ranked_values_close(struct ranked_values *values)
{
	array_free(&values->recent);
	if (values->runs_fd >= 0)
		close(values->runs_fd);
	values->runs_fd = -1;
	values->runs = 0;
}

static int compare(const void *a, const void *b)
{
	int64_t first = *(const int64_t *)a;
	int64_t second = *(const int64_t *)b;

	return (first > second) - (first < second);
}

static int end_run(struct ranked_values *values)
{
	int error;

	if (values->runs_fd < 0)
		values->runs_fd = file_map_temporary(values->log);
	if (values->runs_fd < 0) {
		values->cause = errno;
		return -ERROR_SYSTEM;
	}
	array_sort(&values->recent, compare);
	error = file_map_append(values->runs_fd, values->recent.items,
				RANKED_RUN * sizeof(int64_t), values->log);
	if (error)
		values->cause = errno;
	values->recent.count = 0;
	values->runs++;
	return error;
}

int ranked_values_add(struct ranked_values *values, int64_t value)
{
	if (array_append(&values->recent, &value) < 0)
		return -ERROR_MEMORY;
	return values->recent.count == RANKED_RUN ? end_run(values) : 0;
}

uint64_t ranked_values_count(const struct ranked_values *values)
{
	return values->runs * RANKED_RUN + values->recent.count;
}

/* Returns the number of values that are at most @value. */
static uint64_t count_at_most(const struct ranked_values *values,
			      const struct file_map *runs, int64_t value)
{
	uint64_t count = array_count_up_to(
		&values->recent, KEYS(RISING_NUMBER(int64_t)), (uint64_t)value);

	for (uint64_t i = 0; i < values->runs; i++) {
		const size_t run_bytes = RANKED_RUN * sizeof(value);
		/* The array is only read. */
		const struct array run = {
			.items = (void *)(uintptr_t)(runs->bytes +
						     i * run_bytes),
			.count = RANKED_RUN,
			.item_size = sizeof(value),
		};

		count += array_count_up_to(&run, KEYS(RISING_NUMBER(int64_t)),
					   (uint64_t)value);
	}
	return count;
}

/* Returns the value of @rank: searches all integers for the smallest one that
 * at least @rank + 1 of the values do not exceed.
 */
static int64_t search(const struct ranked_values *values,
		      const struct file_map *runs, uint64_t rank)
{
	int64_t least = INT64_MIN;
	int64_t most = INT64_MAX;

	while (least < most) {
		int64_t middle =
			least +
			(int64_t)(((uint64_t)most - (uint64_t)least) / 2);

		if (count_at_most(values, runs, middle) > rank)
			most = middle;
		else
			least = middle + 1;
	}
	return least;
}

int ranked_values_at(struct ranked_values *values, uint64_t rank,
		     int64_t *value)
{
	struct file_map runs = { 0 };
	int error = values->runs ? file_map_open_fd(&runs, values->runs_fd) : 0;

	if (error) {
		values->cause = errno;
		return error;
	}
	array_sort(&values->recent, compare);
	*value = search(values, &runs, rank);
	file_map_close(&runs);
	return 0;
}
