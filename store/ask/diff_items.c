/* SPDX-License-Identifier: MIT */
#include "store/ask/diff_items.h"

#include "common/error.h"
#include "store/answer/answer.h"
#include "store/answer/rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_ITEM, COLUMN_RECORDING, COLUMN_VALUE, COLUMN_COUNT };

/* Both sides are sorted by name, so the search starts at the last found item.
 */
static struct diff_item *find(const struct array *items, size_t *from,
			      size_t end, const char *name)
{
	struct diff_item *all = items->items;

	for (; *from < end; ++*from) {
		int order = strcmp(all[*from].name, name);

		if (order >= 0)
			return order ? NULL : &all[*from];
	}
	return NULL;
}

static struct diff_item *add(struct array *items, const char *name)
{
	struct diff_item *item = array_add(items);

	if (!item)
		return NULL;
	item->name = name;
	for (int side = 0; side < 2; side++)
		item->sides[side].values = ARRAY_OF(double);
	return item;
}

static int add_value(struct diff_item *item, int side, double value,
		     int64_t count)
{
	if (array_append(&item->sides[side].values, &value) < 0)
		return -ERROR_MEMORY;
	item->sides[side].count += count;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct diff_item *)a)->name,
		      ((const struct diff_item *)b)->name);
}

int diff_items_read(struct array *items, const struct answer *rows, int side)
{
	size_t end = items->count;
	size_t from = 0;
	size_t last = SIZE_MAX; /* index of the last row's item if it is new */
	int error = 0;

	for (size_t i = 0; !error && i < answer_rows(rows); i++) {
		const char *name = answer_text(rows, i, COLUMN_ITEM);
		struct diff_item *item = find(items, &from, end, name);

		if (!item && last != SIZE_MAX)
			item = array_at(items, last);
		if (!item || strcmp(item->name, name)) {
			item = add(items, name);
			last = items->count - 1;
		}
		error = item ? add_value(item, side,
					 answer_real(rows, i, COLUMN_VALUE),
					 answer_number(rows, i, COLUMN_COUNT)) :
			       -ERROR_MEMORY;
	}
	array_sort(items, compare_names);
	return error;
}

void diff_items_free(struct array *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct diff_item *item = array_at(items, i);

		array_free(&item->sides[0].values);
		array_free(&item->sides[1].values);
	}
	array_free(items);
}

int diff_items_fill(struct array *items, const int64_t recordings[2])
{
	int error = 0;

	for (size_t i = 0; i < items->count; i++) {
		struct diff_item *item = array_at(items, i);

		for (int side = 0; side < 2; side++)
			while (!error &&
			       (int64_t)item->sides[side].values.count <
				       recordings[side])
				error = add_value(item, side, 0, 0);
	}
	return error;
}

static int compare_values(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

static double median(struct array *values)
{
	size_t middle = values->count / 2;
	const double *all = values->items;

	if (!values->count)
		return NAN;
	array_sort(values, compare_values);
	return values->count % 2 ? all[middle] :
				   (all[middle - 1] + all[middle]) / 2;
}

static int compare_sides(struct diff_item *item)
{
	struct array *a = &item->sides[0].values;
	struct array *b = &item->sides[1].values;

	item->medians[0] = median(a);
	item->medians[1] = median(b);
	item->change = item->medians[0] > 0 ?
			       item->medians[1] / item->medians[0] - 1 :
			       NAN;
	item->p = NAN;
	item->q = NAN;
	if (!a->count || !b->count)
		return 0;
	item->p = rank_test(a->items, a->count, b->items, b->count);
	return item->p < 0 ? -ERROR_MEMORY : 0;
}

/* Returns the size of the change on a logarithmic scale; 0 if it has none. */
static double distance(const struct diff_item *item)
{
	return isnan(item->change) || item->change <= -1 ?
		       0 :
		       fabs(log(1 + item->change));
}

static int compare_items(const void *a, const void *b)
{
	const struct diff_item *first = a;
	const struct diff_item *second = b;

	if (isnan(first->p) != isnan(second->p))
		return isnan(first->p) - isnan(second->p);
	if (!isnan(first->p) && first->p != second->p)
		return first->p > second->p ? 1 : -1;
	if (distance(first) != distance(second))
		return distance(first) < distance(second) ? 1 : -1;
	return compare_names(a, b);
}

static int adjust(const struct array *items)
{
	double *p = calloc(items->count + 1, sizeof(*p));
	size_t count = 0;

	if (!p)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < items->count; i++) {
		const struct diff_item *item = array_at(items, i);

		if (!isnan(item->p))
			p[count++] = item->p;
	}
	rank_test_adjust(p, count);
	for (size_t i = 0; i < count; i++)
		((struct diff_item *)array_at(items, i))->q = p[i];
	free(p);
	return 0;
}

int diff_items_compare(struct array *items)
{
	int error = 0;

	for (size_t i = 0; !error && i < items->count; i++)
		error = compare_sides(array_at(items, i));
	array_sort(items, compare_items);
	return error ? error : adjust(items);
}
