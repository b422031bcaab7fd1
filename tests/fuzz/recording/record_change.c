/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/record_change.h"
#include "common/formats/perf_data.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_MOST = 65528 };

struct mutation mutation_of(unsigned int seed, mutate_bytes *bytewise)
{
	return (struct mutation){
		.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
		.bytewise = bytewise,
	};
}

void mutation_end(struct mutation *mutation)
{
	while (mutation->made_count)
		free(mutation->made[--mutation->made_count]);
}

size_t mutation_below(struct mutation *mutation, size_t count)
{
	uint64_t random = mutation->random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	mutation->random = random;
	return (size_t)((random >> 11) % count);
}

uint8_t *mutation_room(struct mutation *mutation, size_t size)
{
	uint8_t *made;

	if (mutation->made_count ==
	    sizeof(mutation->made) / sizeof(*mutation->made))
		return NULL;
	made = malloc(size);
	if (!made)
		abort();
	mutation->made[mutation->made_count++] = made;
	return made;
}

static struct listed_record *pick(struct mutation *mutation,
				  struct record_list *list)
{
	return &list->records[mutation_below(mutation, list->count)];
}

/* Replaces @record's bytes by a copy of @size that may be changed. */
static uint8_t *own(struct mutation *mutation, struct listed_record *record,
		    size_t size)
{
	uint8_t *made = mutation_room(mutation, size);
	size_t kept = size < record->size ? size : record->size;

	if (!made)
		return NULL;
	memset(made, 0, size);
	memcpy(made, record->bytes, kept);
	record->bytes = made;
	record->size = size;
	return made;
}

static void duplicate(struct mutation *mutation, struct record_list *list)
{
	const struct listed_record record = *pick(mutation, list);

	record_list_insert(list, mutation_below(mutation, list->count + 1),
			   record);
}

static void move(struct mutation *mutation, struct record_list *list)
{
	size_t from = mutation_below(mutation, list->count);
	const struct listed_record record = list->records[from];

	record_list_remove(list, from);
	record_list_insert(list, mutation_below(mutation, list->count + 1),
			   record);
}

static void drop(struct mutation *mutation, struct record_list *list)
{
	if (list->count > 1)
		record_list_remove(list, mutation_below(mutation, list->count));
}

/* Uses the kernel's kinds from 1 on, perf's from 64 on, and invalid ones. */
static void change_kind(struct mutation *mutation, struct record_list *list)
{
	struct listed_record *record = pick(mutation, list);
	uint32_t kind = (uint32_t)mutation_below(mutation, PERF_RECORD_MAX + 1);
	uint8_t *bytes = record->size < RECORD_HEAD ?
				 NULL :
				 own(mutation, record, record->size);

	if (mutation_below(mutation, 3) == 0)
		kind = PERF_DATA_ATTR +
		       (uint32_t)mutation_below(mutation,
						PERF_DATA_RECORD_END -
							PERF_DATA_ATTR + 1);
	if (bytes)
		memcpy(bytes, &kind, sizeof(kind));
}

/* Returns a new value of a field: near the old one, a bound, or any. */
static uint64_t change_value(struct mutation *mutation, uint64_t value)
{
	switch (mutation_below(mutation, 6)) {
	case 0:
		return value + mutation_below(mutation, 33) - 16;
	case 1:
		return value ^ UINT64_C(1) << mutation_below(mutation, 64);
	case 2:
		return (UINT64_C(1) << mutation_below(mutation, 64)) -
		       mutation_below(mutation, 2);
	case 3:
		return mutation_below(mutation, 16);
	case 4:
		return UINT64_MAX - mutation_below(mutation, 16);
	default:
		return value * 2;
	}
}

/* Fields are at multiples of their size; some values are copied from another
 * record: a task, a time, an id.
 */
static void change_field(struct mutation *mutation, struct record_list *list)
{
	const struct listed_record other = *pick(mutation, list);
	struct listed_record *record = pick(mutation, list);
	size_t size = (size_t)1 << (1 + mutation_below(mutation, 3));
	size_t most = record->size < 512 ? record->size : 512;
	uint8_t *bytes = most < size ? NULL :
				       own(mutation, record, record->size);
	uint64_t value = 0;
	size_t at;

	if (!bytes)
		return;
	at = mutation_below(mutation, most / size) * size;
	memcpy(&value, bytes + at, size);
	value = change_value(mutation, value);
	if (mutation_below(mutation, 3) == 0 && other.size >= at + size)
		memcpy(&value, other.bytes + at, size);
	memcpy(bytes + at, &value, size);
}

static void change_length(struct mutation *mutation, struct record_list *list)
{
	struct listed_record *record = pick(mutation, list);
	size_t size = RECORD_HEAD + 8 * mutation_below(mutation, 32);
	uint8_t *bytes;
	uint16_t stated = (uint16_t)size;

	if (record->size > RECORD_MOST)
		return;
	bytes = own(mutation, record, size);
	if (bytes)
		memcpy(bytes + 6, &stated, sizeof(stated));
}

static void change_inside(struct mutation *mutation, struct record_list *list)
{
	struct listed_record *record = pick(mutation, list);
	uint8_t *bytes = record->size <= RECORD_HEAD ?
				 NULL :
				 own(mutation, record, record->size);

	if (bytes)
		mutation->bytewise(bytes + RECORD_HEAD,
				   record->size - RECORD_HEAD,
				   record->size - RECORD_HEAD);
}

static bool is_trace(const struct listed_record *record)
{
	uint32_t type;

	if (record->size < RECORD_AUXTRACE_HEAD)
		return false;
	memcpy(&type, record->bytes, sizeof(type));
	return type == PERF_DATA_AUXTRACE;
}

static void change_trace(struct mutation *mutation, struct record_list *list)
{
	for (size_t i = 0; i < 16; i++) {
		struct listed_record *record = pick(mutation, list);

		if (is_trace(record)) {
			trace_change(mutation, record);
			return;
		}
	}
}

void record_change(struct mutation *mutation, struct record_list *list)
{
	typedef void change(struct mutation *, struct record_list *);
	static change *const changes[] = {
		duplicate,    move,	    drop,	   change_kind,
		change_field, change_field, change_length, change_inside,
		change_trace, change_trace, change_trace,  change_trace,
	};

	if (list->count)
		changes[mutation_below(
			mutation, sizeof(changes) / sizeof(*changes))](mutation,
								       list);
}
