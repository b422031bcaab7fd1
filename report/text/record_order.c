/* SPDX-License-Identifier: MIT */
#include "report/text/record_order.h"

#include "common/error.h"

#include <stdlib.h>
#include <string.h>

struct key {
	uint64_t index;
	struct record_pick pick;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a;
	const struct key *y = b;
	int order = 0;

	if (x->pick.is_text && y->pick.is_text)
		order = strcmp(x->pick.text, y->pick.text);
	else if (x->pick.number != y->pick.number)
		order = x->pick.number > y->pick.number ? -1 : 1;
	if (order)
		return order;
	return x->index < y->index ? -1 : 1;
}

static int pick(struct record_writer *writer, record_fields *fields,
		const void *ctx, uint64_t index, const char *column,
		struct key *key)
{
	key->index = index;
	key->pick.column = column;
	writer->pick = &key->pick;
	fields(writer, ctx, index);
	if (!key->pick.is_found)
		return -ERROR_NOT_FOUND;
	return key->pick.is_text && !key->pick.text ? -ERROR_MEMORY : 0;
}

int record_order(record_fields *fields, const void *ctx, uint64_t count,
		 const char *column, uint64_t **order)
{
	struct record_writer writer = record_writer_of(NULL, RECORD_CSV);
	struct key *keys = calloc(count + 1, sizeof(*keys));
	int status = 0;

	*order = calloc(count + 1, sizeof(**order));
	if (!keys || !*order)
		status = -ERROR_MEMORY;
	for (uint64_t i = 0; i < count && !status; i++)
		status = pick(&writer, fields, ctx, i, column, &keys[i]);
	if (!status)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (uint64_t i = 0; keys && i < count; i++) {
		if (!status)
			(*order)[i] = keys[i].index;
		free(keys[i].pick.text);
	}
	free(keys);
	if (status < 0) {
		free(*order);
		*order = NULL;
	}
	return status;
}
