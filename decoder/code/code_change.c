/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_change.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/code/code_region.h"
#include "decoder/code/text_poke_breakpoint.h"
#include "decoder/recording/sideband.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_patch(const struct sideband_record *record,
		       struct code_change *change)
{
	const struct sideband_text_poke *poke = &record->poke;

	if (record->kind != SIDEBAND_TEXT_POKE)
		return text_poke_breakpoint_read(record, change);
	*change = (struct code_change){
		.time_ns = record->time_ns,
		.address = poke->address,
		.is_patch = poke->old_size,
		.old_size = poke->old_size,
		.new_size = poke->new_size,
		.old_bytes = poke->old_bytes,
		.new_bytes = poke->new_bytes,
	};
	return true;
}

/* None goes beyond the end of all addresses. */
static bool change_of(const struct sideband_record *record,
		      struct code_change *change)
{
	return read_patch(record, change) &&
	       change->address <= UINT64_MAX - change->old_size &&
	       change->address <= UINT64_MAX - change->new_size;
}

/* Samples are many: where none may be a patch, nobody walks over them. */
static struct sideband *open_patches(const struct recording *recording)
{
	unsigned int kinds = SIDEBAND_BIT(SIDEBAND_TEXT_POKE);

	if (text_poke_breakpoint_is_recorded(recording))
		kinds |= SIDEBAND_BIT(SIDEBAND_SAMPLE) |
			 SIDEBAND_BIT(SIDEBAND_LOST);
	return sideband_open(recording, kinds);
}

static int read_patches(const struct recording *recording,
			struct array *changes, bool *is_complete)
{
	struct sideband *sideband = open_patches(recording);
	struct sideband_record record;
	struct code_change change;
	int status = sideband ? 1 : -ERROR_MEMORY;

	*is_complete = true;
	while (status == 1) {
		status = sideband_next(sideband, &record);
		if (status == 1 && text_poke_breakpoint_is_lost(&record))
			*is_complete = false;
		else if (status == 1 && change_of(&record, &change) &&
			 array_append(changes, &change) < 0)
			status = -ERROR_MEMORY;
	}
	sideband_close(sideband);
	return status;
}

/* Reads <first>-<end>-<time>. */
static int read_name(const char *name, struct code_change *change,
		     uint64_t *end)
{
	int length = 0;

	*change = (struct code_change){ 0 };
	return sscanf(name, "%" SCNx64 "-%" SCNx64 "-%" SCNu64 "%n",
		      &change->address, end, &change->time_ns, &length) == 3 &&
	       !name[length];
}

static int add_copy(const char *path, const char *name, const struct log *log,
		    struct array *changes, struct array *maps)
{
	struct code_change change;
	uint64_t end;

	if (!read_name(name, &change, &end))
		return 0;

	struct file_map *map = array_add(maps);

	if (!map)
		return -ERROR_MEMORY;
	if (file_map_open(map, path, log) < 0)
		return 0;
	if (!map->size || end - change.address != map->size) {
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "its size is not what its name says: not used");
		return 0;
	}
	change.new_bytes = map->bytes;
	change.new_size = map->size;

	return array_append(changes, &change);
}

/* Returns whether the last of @maps still fits; *@left is what the others
 * leave.
 */
static bool is_affordable(const struct array *maps, uint64_t *left)
{
	const struct file_map *last =
		maps->count ? array_at(maps, maps->count - 1) : NULL;

	if (!last)
		return true;
	if (maps->count > BUDGET_CODE_FILES || last->size > *left)
		return false;
	*left -= last->size;
	return true;
}

static int read_copies(const char *folder, const struct log *log,
		       struct array *changes, struct array *maps)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	uint64_t left = BUDGET_CODE_BYTES;
	int error = 0;

	while (entries && !error && (entry = readdir(entries))) {
		size_t map_count = maps->count;
		size_t change_count = changes->count;
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		error = add_copy(path, entry->d_name, log, changes, maps);
		if (maps->count == map_count || is_affordable(maps, &left))
			continue;
		changes->count = change_count;
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "more code than a kernel has: this copy, and what "
			    "follows it, is left out");
		break;
	}
	if (entries)
		closedir(entries);
	return error;
}

static int compare_changes(const void *a, const void *b)
{
	const struct code_change *left = a;
	const struct code_change *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return (left->address > right->address) -
	       (left->address < right->address);
}

int code_change_read(const struct recording *recording, const char *folder,
		     const struct log *log, struct array *changes,
		     struct array *maps, bool *is_complete)
{
	int error = read_patches(recording, changes, is_complete);

	if (!error && folder) {
		error = read_copies(folder, log, changes, maps);
		array_sort(changes, compare_changes);
	}
	return error;
}

/* Copies what @bytes at @from has in common with the buffer. */
static void overlay(uint8_t *buffer, uint64_t address, size_t size,
		    const uint8_t *bytes, uint64_t from, size_t from_size)
{
	uint64_t skipped = from < address ? address - from : 0;
	uint64_t at = from < address ? 0 : from - address;
	uint64_t count;

	if (skipped >= from_size || at >= size)
		return;
	count = from_size - skipped;
	if (count > size - at)
		count = size - at;
	memcpy(buffer + at, bytes + skipped, count);
}

/* As it was at first: undo from the last change back; then forwards. */
static void apply_changes(const struct array *changes, uint64_t time_ns,
			  uint64_t address, uint8_t *buffer, size_t size)
{
	for (size_t i = changes->count; i-- > 0;) {
		const struct code_change *change = array_at(changes, i);

		overlay(buffer, address, size, change->old_bytes,
			change->address, change->old_size);
	}
	for (size_t i = 0; i < changes->count; i++) {
		const struct code_change *change = array_at(changes, i);

		if (change->time_ns > time_ns)
			break;
		overlay(buffer, address, size, change->new_bytes,
			change->address, change->new_size);
	}
}

size_t code_change_read_at(const struct array *regions,
			   const struct array *changes, uint64_t time_ns,
			   uint64_t address, uint8_t *buffer, size_t size)
{
	const struct code_region *region = code_region_find(regions, address);

	if (!region)
		return 0;

	uint64_t offset = address - region->first;

	if (size > region->size_bytes - offset)
		size = region->size_bytes - offset;
	memcpy(buffer, region->bytes + offset, size);
	apply_changes(changes, time_ns, address, buffer, size);
	return size;
}
