/* SPDX-License-Identifier: MIT */
#include "view/data/call_sums.h"

#include "common/error.h"
#include "common/pack.h"
#include "view/data/chunk_file.h"

#include <stdbool.h>
#include <stdlib.h>

/* A part that was written. */
struct written {
	struct chunk chunk;
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct call_sums {
	struct chunk_file *file;
	struct array places; /* struct call_place */
	struct array parts;  /* struct written */
};

struct call_sums *call_sums_new(struct chunk_file *file)
{
	struct call_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->file = file;
	sums->places = ARRAY_OF(struct call_place);
	sums->parts = ARRAY_OF(struct written);
	return sums;
}

void call_sums_free(struct call_sums *sums)
{
	if (!sums)
		return;
	array_free(&sums->places);
	array_free(&sums->parts);
	free(sums);
}

int call_sums_add_place(struct call_sums *sums, struct call_place place)
{
	struct call_place *added = array_add(&sums->places);

	if (!added)
		return -ERROR_MEMORY;
	*added = place;
	return 0;
}

uint32_t call_sums_places(const struct call_sums *sums)
{
	return (uint32_t)sums->places.count;
}

struct call_place call_sums_place(const struct call_sums *sums, uint32_t number)
{
	return *(const struct call_place *)array_at(&sums->places, number);
}

int call_sums_add_part(struct call_sums *sums,
		       const struct call_part_sums *part)
{
	struct written *written = array_add(&sums->parts);
	int status;

	if (!written)
		return -ERROR_MEMORY;
	written->begin_ns = part->begin_ns;
	written->end_ns = part->end_ns;
	status = chunk_file_add(sums->file, part->sums.items,
				part->sums.count * sizeof(struct call_sum),
				&written->chunk);
	if (status < 0)
		sums->parts.count--;
	return status;
}

size_t call_sums_parts(const struct call_sums *sums)
{
	return sums->parts.count;
}

void call_sums_when(const struct call_sums *sums, size_t index,
		    uint64_t *begin_ns, uint64_t *end_ns)
{
	const struct written *written = array_at(&sums->parts, index);

	*begin_ns = written->begin_ns;
	*end_ns = written->end_ns;
}

/* What is read is outside data. */
static int check_sums(const struct call_sums *sums, const struct array *read)
{
	const struct call_sum *items = read->items;

	for (size_t i = 0; i < read->count; i++)
		if (items[i].place >= sums->places.count)
			return -ERROR_FORMAT;
	return 0;
}

int call_sums_read(const struct call_sums *sums, size_t index,
		   struct call_part_sums *part)
{
	const struct written *written = array_at(&sums->parts, index);
	size_t count = written->chunk.size / sizeof(struct call_sum);

	*part = (struct call_part_sums){
		.begin_ns = written->begin_ns,
		.end_ns = written->end_ns,
		.sums = ARRAY_OF(struct call_sum),
	};
	part->sums.items = chunk_file_read(sums->file, &written->chunk);
	if (!part->sums.items)
		return -ERROR_FORMAT;
	part->sums.count = count;
	part->sums.room = count;
	return check_sums(sums, &part->sums);
}

/* Returns whether place @i makes sense behind those before it. */
static bool is_sensible(const struct call_place *places, uint32_t i,
			uint32_t functions)
{
	const struct call_place *place = &places[i];

	if (place->parent == CALL_PLACE_NONE)
		return place->function < CALL_PLACE_NONE && !place->path;
	return place->parent < i && place->function < functions &&
	       place->path <= i && place->path > places[place->parent].path;
}

static void pack_places(struct call_sums *sums, struct pack *pack,
			uint32_t functions)
{
	uint32_t count = (uint32_t)sums->places.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_place *place = array_reach(&sums->places, i);

		pack_check(pack, place);
		if (!place)
			return;
		pack_u32(pack, &place->parent);
		pack_u32(pack, &place->function);
		pack_u32(pack, &place->path);
		pack_check(pack, is_sensible(sums->places.items, i, functions));
	}
}

static void pack_written(struct written *written, struct pack *pack)
{
	chunk_pack(&written->chunk, pack);
	pack_u64(pack, &written->begin_ns);
	pack_u64(pack, &written->end_ns);
	pack_check(pack, written->chunk.size % sizeof(struct call_sum) == 0);
}

void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions)
{
	uint32_t count = (uint32_t)sums->parts.count;

	pack_places(sums, pack, functions);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct written *written = array_reach(&sums->parts, i);

		if (written)
			pack_written(written, pack);
		pack_check(pack, written);
	}
}
