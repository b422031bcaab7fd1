/* SPDX-License-Identifier: MIT */
#include "view/data/sum_lists.h"

#include "common/error.h"
#include "view/data/call_sums.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct call_sum *x = a;
	const struct call_sum *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

static void add(struct call_sum *to, const struct call_sum *from)
{
	to->self_ns += from->self_ns;
	to->calls += from->calls;
}

void sum_list_sort(struct array *sums)
{
	struct call_sum *items = sums->items;
	size_t kept = 0;

	array_sort(sums, compare);
	for (size_t i = 0; i < sums->count; i++) {
		if (kept && items[kept - 1].path == items[i].path)
			add(&items[kept - 1], &items[i]);
		else
			items[kept++] = items[i];
	}
	sums->count = kept;
}

/* Merges two lists into @to, which has room. */
static size_t join(const struct array *a, const struct array *b,
		   struct call_sum *to)
{
	const struct call_sum *x = a->items;
	const struct call_sum *y = b->items;
	const struct call_sum *x_end = x + a->count;
	const struct call_sum *y_end = y + b->count;
	size_t count = 0;

	while (x < x_end || y < y_end) {
		if (y == y_end || (x < x_end && x->path <= y->path)) {
			to[count] = *x++;
			if (y < y_end && y->path == to[count].path)
				add(&to[count], y++);
		} else {
			to[count] = *y++;
		}
		count++;
	}
	return count;
}

static int join_pair(struct array *a, struct array *b)
{
	struct array joined = ARRAY_OF(struct call_sum);
	size_t room = a->count + b->count;

	joined.items = malloc((room + 1) * sizeof(struct call_sum));
	if (!joined.items)
		return -ERROR_MEMORY;
	joined.room = room + 1;
	joined.count = join(a, b, joined.items);
	array_free(a);
	array_free(b);
	*a = joined;
	return 0;
}

int sum_lists_join(struct array *lists, size_t count, struct array *joined)
{
	int status = 0;

	/* Pairwise, so that each sum is moved few times. */
	for (size_t step = 1; step < count && !status; step *= 2)
		for (size_t i = 0; i + step < count && !status; i += 2 * step)
			status = join_pair(&lists[i], &lists[i + step]);
	if (!status && count) {
		*joined = lists[0];
		lists[0] = ARRAY_OF(struct call_sum);
	}
	for (size_t i = 0; i < count; i++)
		array_free(&lists[i]);
	return status;
}
