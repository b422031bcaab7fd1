/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_change_internal.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/formats/recording_events.h"
#include "common/log.h"
#include "decoder/code/code_region.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All changes of the kernel's code, sorted by time, from three sources:
 *
 *	records      TEXT_POKE: old and new bytes; KSYMBOL: code was added
 *	             or removed, without its bytes
 *	samples of   text_poke on arm64: new bytes only; the BPF JIT compiler:
 *	breakpoints  only that bytes change
 *	files code/  copies of added code, valid as the names of the files define
 *
 * A change without bytes makes the range unknown from then on, until a copy has
 * them. If samples of the text_poke breakpoint were lost, is_complete is false:
 * code_image.c then makes all addresses of known patches unknown at all times.
 */

/* Patches on kernels that write no TEXT_POKE records for them: samples of the
 * recorder's breakpoint (common/formats/recording_events.h).
 *
 * The sample is taken at the entry of the function that writes the instruction.
 * The function writes the instruction a little later, and all CPUs execute it
 * only after that.
 */

enum { INSTRUCTION_SIZE = 4 };

_Static_assert(TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER ==
		       TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER + 1,
	       "the instruction follows the address in a sample");

static bool is_text_poke_breakpoint(const struct recording_event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT &&
	       !strcmp(event->name, TEXT_POKE_BREAKPOINT_EVENT) &&
	       event->registers == TEXT_POKE_BREAKPOINT_REGISTERS;
}

/* Returns whether @record is a sample of the text_poke breakpoint, and if so
 * sets *@change to the patch. Its new bytes are in the recording; its old bytes
 * are unknown.
 */
static bool text_poke_breakpoint_read(const struct sideband_record *record,
				      struct code_change *change)
{
	const struct sideband_sample *sample = &record->sample;
	uint64_t address;

	if (record->kind != SIDEBAND_SAMPLE ||
	    !is_text_poke_breakpoint(sample->event) ||
	    !sideband_register(&sample->registers,
			       TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER, &address))
		return false;
	*change = (struct code_change){
		.time_ns = record->time_ns,
		.address = address,
		.kind = CODE_PATCH,
		.new_size = INSTRUCTION_SIZE,
		/* the low half of the register after the one with the address
		 */
		.new_bytes = sample->registers.values + sizeof(address),
	};
	return true;
}

/* Returns whether @record reports lost samples of the text_poke breakpoint. */
static bool text_poke_breakpoint_is_lost(const struct sideband_record *record)
{
	return record->kind == SIDEBAND_LOST && record->event &&
	       is_text_poke_breakpoint(record->event);
}

/* Code of the BPF JIT compiler that the kernel writes or wipes: samples of the
 * recorder's breakpoints (common/formats/recording_events.h). Each is taken
 * before the first byte changes; the program only runs later.
 */

/* No JIT compiler writes more at once (BPF_PROG_PACK_SIZE is 2 MiB a node). */
#define LARGEST (64u << 20)

/* One of the two breakpoints on one architecture. */
static const struct breakpoint {
	const char *name;
	uint64_t registers;
	unsigned int address;
	unsigned int size;
	bool announces;
} breakpoints[] = {
	{ BPF_TEXT_COPY_EVENT, BPF_TEXT_X86_COPY_REGISTERS,
	  BPF_TEXT_X86_ADDRESS, BPF_TEXT_X86_COPY_SIZE, true },
	{ BPF_TEXT_WIPE_EVENT, BPF_TEXT_X86_WIPE_REGISTERS,
	  BPF_TEXT_X86_ADDRESS, BPF_TEXT_X86_WIPE_SIZE, false },
	{ BPF_TEXT_COPY_EVENT, BPF_TEXT_ARM64_COPY_REGISTERS,
	  BPF_TEXT_ARM64_ADDRESS, BPF_TEXT_ARM64_COPY_SIZE, true },
	{ BPF_TEXT_WIPE_EVENT, BPF_TEXT_ARM64_WIPE_REGISTERS,
	  BPF_TEXT_ARM64_ADDRESS, BPF_TEXT_ARM64_WIPE_SIZE, false },
};

/* Returns which breakpoint @event is, or NULL. */
static const struct breakpoint *
breakpoint_of(const struct recording_event *event)
{
	for (size_t i = 0; i < sizeof(breakpoints) / sizeof(*breakpoints); i++)
		if (event && event->type == PERF_TYPE_BREAKPOINT &&
		    event->registers == breakpoints[i].registers &&
		    !strcmp(event->name, breakpoints[i].name))
			return &breakpoints[i];
	return NULL;
}

/* Returns whether @record is a sample of a BPF JIT breakpoint, and if so sets
 * *@change to a CODE_LOSS: the sample does not contain the new code's bytes.
 */
static bool bpf_text_breakpoint_read(const struct sideband_record *record,
				     struct code_change *change)
{
	const struct sideband_sample *sample = &record->sample;
	const struct breakpoint *breakpoint;
	uint64_t address;
	uint64_t size;

	if (record->kind != SIDEBAND_SAMPLE)
		return false;
	breakpoint = breakpoint_of(sample->event);
	if (!breakpoint ||
	    !sideband_register(&sample->registers, breakpoint->address,
			       &address) ||
	    !sideband_register(&sample->registers, breakpoint->size, &size) ||
	    size > LARGEST)
		return false;
	*change = (struct code_change){
		.kind = CODE_LOSS,
		.announces = breakpoint->announces,
		.time_ns = record->time_ns,
		.address = address,
		.new_size = size,
	};
	return true;
}

/* Sets *@change to the change that @record reports. Returns true. */
static bool read_poke(const struct sideband_record *record,
		      struct code_change *change)
{
	const struct sideband_text_poke *poke = &record->poke;

	*change = (struct code_change){
		.kind = poke->old_size ? CODE_PATCH : CODE_COPY,
		.time_ns = record->time_ns,
		.order_ns = record->time_ns,
		.address = poke->address,
		.old_size = poke->old_size,
		.new_size = poke->new_size,
		.old_bytes = poke->old_bytes,
		.new_bytes = poke->new_bytes,
	};
	return true;
}

/* Sets *@change to the CODE_LOSS that a KSYMBOL record reports. Returns false
 * if the record has no time: perf uses such records to list the symbols that
 * exist when the recording starts.
 */
static bool read_symbol(const struct sideband_record *record,
			struct code_change *change)
{
	*change = (struct code_change){
		.kind = CODE_LOSS,
		.announces = !record->ksymbol.unregister,
		.time_ns = record->time_ns,
		.address = record->ksymbol.address,
		.new_size = record->ksymbol.size_bytes,
	};
	return record->time_ns;
}

static bool read_change(const struct sideband_record *record,
			struct code_change *change)
{
	if (record->kind == SIDEBAND_TEXT_POKE)
		return read_poke(record, change);
	if (record->kind == SIDEBAND_KSYMBOL)
		return read_symbol(record, change);
	return text_poke_breakpoint_read(record, change) ||
	       bpf_text_breakpoint_read(record, change);
}

/* Reads @record as a change. Returns false if it is not a change, or if its end
 * would exceed the largest address.
 */
static bool change_of(const struct sideband_record *record,
		      struct code_change *change)
{
	return read_change(record, change) &&
	       change->address <= UINT64_MAX - change->old_size &&
	       change->address <= UINT64_MAX - change->new_size;
}

static int read_records(const struct recording *recording,
			struct code_changes *changes)
{
	struct sideband *sideband = sideband_open_tasks(
		recording, SIDEBAND_BIT(SIDEBAND_TEXT_POKE) |
				   SIDEBAND_BIT(SIDEBAND_KSYMBOL) |
				   SIDEBAND_BIT(SIDEBAND_SAMPLE) |
				   SIDEBAND_BIT(SIDEBAND_LOST));
	struct sideband_record record;
	struct code_change change;
	int status = sideband ? 1 : -ERROR_MEMORY;

	while (status == 1) {
		status = sideband_next(sideband, &record);
		if (status == 1 && text_poke_breakpoint_is_lost(&record))
			changes->is_complete = false;
		else if (status == 1 && change_of(&record, &change) &&
			 array_append(&changes->items, &change) < 0)
			status = -ERROR_MEMORY;
	}
	sideband_close(sideband);
	return status;
}

/* A file of code/: the bytes at @read_ns. */
struct copy {
	uint64_t first;
	uint64_t end;
	uint64_t read_ns;
	/* the bytes are proved to be the same from then on */
	uint64_t since_ns;
	const uint8_t *bytes;
};

/* Reads <first>-<end>-<time>, or <first>-<end>-<time>-<since>. */
static bool read_name(const char *name, struct copy *copy)
{
	int length = 0;
	int full = 0;
	int count = sscanf(name,
			   "%" SCNx64 "-%" SCNx64 "-%" SCNu64 "%n-%" SCNu64
			   "%n",
			   &copy->first, &copy->end, &copy->read_ns, &length,
			   &copy->since_ns, &full);

	if (count == 3)
		copy->since_ns = copy->read_ns;
	return (count == 3 && !name[length]) ||
	       (count == 4 && !name[full] && copy->since_ns <= copy->read_ns);
}

/* Adds the change that an empty file stands for: from its time on there is
 * other code, which was not copied.
 */
static int add_loss(struct code_changes *changes, const struct copy *copy)
{
	const struct code_change loss = {
		.kind = CODE_LOSS,
		.time_ns = copy->read_ns,
		.address = copy->first,
		.new_size = copy->end - copy->first,
	};

	return array_append(&changes->items, &loss);
}

static int add_copy(const char *path, const char *name, const struct log *log,
		    struct code_changes *changes, struct array *copies)
{
	struct copy copy = { 0 };
	struct file_map *map;

	if (!read_name(name, &copy) || copy.end <= copy.first)
		return 0;
	map = array_add(&changes->maps);
	if (!map)
		return -ERROR_MEMORY;
	if (file_map_open(map, path, log) < 0)
		return 0;
	if (!map->size)
		return add_loss(changes, &copy);
	if (copy.end - copy.first != map->size) {
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "its size differs from the range in its name: not "
			    "used");
		return 0;
	}
	copy.bytes = map->bytes;
	return array_append(copies, &copy);
}

/* Returns whether the last of @maps is within the limits, and if so subtracts
 * its size from *@left, the number of bytes that may still be added.
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

/* Appends the files of @folder to @copies (struct copy). */
static int read_copies(const char *folder, const struct log *log,
		       struct code_changes *changes, struct array *copies)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	uint64_t left = BUDGET_CODE_BYTES;
	int error = 0;

	while (entries && !error && (entry = readdir(entries))) {
		size_t map_count = changes->maps.count;
		size_t copy_count = copies->count;
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		error = add_copy(path, entry->d_name, log, changes, copies);
		if (changes->maps.count == map_count ||
		    is_affordable(&changes->maps, &left))
			continue;
		copies->count = copy_count;
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "more code than a kernel has: this copy, and what "
			    "follows it, is left out");
		break;
	}
	if (entries)
		closedir(entries);
	return error;
}

static int rank(enum code_change_kind kind)
{
	switch (kind) {
	case CODE_LOSS:
		return 0;
	case CODE_COPY:
		return 1;
	case CODE_PATCH:
		return 2;
	}
	return 0;
}

/* Orders changes by time. A copy may be valid from the time of the loss that
 * announces its code, so the loss comes first. Of two copies with the same
 * time, the one that was read later comes last and has effect.
 */
static int compare_changes(const void *a, const void *b)
{
	const struct code_change *left = a;
	const struct code_change *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (left->kind != right->kind)
		return rank(left->kind) - rank(right->kind);
	if (left->order_ns != right->order_ns)
		return left->order_ns < right->order_ns ? -1 : 1;
	return (left->address > right->address) -
	       (left->address < right->address);
}

/* Overwrites the part of @buffer, at @address, that overlaps @bytes at @from.
 */
static void overlay(uint8_t *buffer, uint64_t address, size_t size,
		    const uint8_t *bytes, uint64_t from, size_t from_size)
{
	uint64_t skipped = from < address ? address - from : 0;
	uint64_t at = from < address ? 0 : from - address;
	uint64_t count;

	if (!bytes || skipped >= from_size || at >= size)
		return;
	count = from_size - skipped;
	if (count > size - at)
		count = size - at;
	memcpy(buffer + at, bytes + skipped, count);
}

static bool patches(const struct code_change *patch,
		    const struct code_change *copy)
{
	return patch->kind == CODE_PATCH && patch->old_size &&
	       patch->address < copy->address + copy->new_size &&
	       copy->address < patch->address + patch->old_size;
}

/* Reverts the patches that @copy contains because it was read after them,
 * although they are later than the time from which it is valid. The first
 * @count changes are sorted.
 */
static int undo_patches(struct code_changes *changes, size_t count,
			struct code_change *copy)
{
	const struct array sorted = {
		.items = changes->items.items,
		.count = count,
		.item_size = changes->items.item_size,
	};
	size_t first = array_count_up_to(
		&sorted, KEYS(RISING(struct code_change, time_ns)),
		copy->time_ns);
	uint8_t *bytes = NULL;

	for (size_t i = array_count_up_to(
		     &sorted, KEYS(RISING(struct code_change, time_ns)),
		     copy->order_ns);
	     i-- > first;) {
		const struct code_change *patch = array_at(&sorted, i);

		if (!patches(patch, copy))
			continue;
		if (!bytes) {
			bytes = malloc(copy->new_size);
			if (!bytes ||
			    array_append(&changes->copies, &bytes) < 0) {
				free(bytes);
				return -ERROR_MEMORY;
			}
			memcpy(bytes, copy->new_bytes, copy->new_size);
			copy->new_bytes = bytes;
		}
		overlay(bytes, copy->address, copy->new_size, patch->old_bytes,
			patch->address, patch->old_size);
	}
	return 0;
}

/* Adds the range @part of @copy as a change that is valid from @time_ns on. The
 * first @count changes are sorted.
 */
static int add_part(struct code_changes *changes, size_t count,
		    const struct copy *copy, const struct code_known *part,
		    uint64_t time_ns)
{
	struct code_change change = {
		.kind = CODE_COPY,
		.time_ns = time_ns,
		.order_ns = copy->read_ns,
		.address = part->first,
		.new_size = part->end - part->first,
		.new_bytes = copy->bytes + (part->first - copy->first),
	};
	int error = undo_patches(changes, count, &change);

	return error ? error : array_append(&changes->items, &change);
}

/* Returns the intersection of @range and @loss; empty if they are apart. */
static struct code_known common_part(const struct code_known *range,
				     const struct code_change *loss)
{
	struct code_known part = { loss->address,
				   loss->address + loss->new_size };

	if (part.first < range->first)
		part.first = range->first;
	if (part.end > range->end)
		part.end = range->end;
	return part;
}

/* Adds the parts of @copy in the ranges @left that are within @loss, which
 * determines from when they are valid, and removes them from @left.
 */
static int add_explained(struct code_changes *changes, size_t count,
			 const struct copy *copy,
			 const struct code_change *loss, struct array *left)
{
	uint64_t time_ns = copy->read_ns;
	uint64_t at = loss->address;
	int error = 0;

	if (loss->announces)
		time_ns = loss->time_ns;
	else if (copy->since_ns >= loss->time_ns)
		time_ns = copy->since_ns;
	while (!error && at < loss->address + loss->new_size) {
		const struct code_known *range = code_known_next(left, at);
		struct code_known part;

		if (!range || range->first >= loss->address + loss->new_size)
			break;
		part = common_part(range, loss);
		error = add_part(changes, count, copy, &part, time_ns);
		if (!error)
			error = code_known_remove(left, part.first, part.end);
		at = part.end;
	}
	return error;
}

/* Adds @copy in parts. Each part's time follows from the last loss that
 * overlaps it before the copy was read (rule of validity,
 * code_change_internal.h). The first @count changes are sorted.
 */
static int place_copy(struct code_changes *changes, size_t count,
		      const struct array *losses, const struct copy *copy)
{
	struct array left = ARRAY_OF(struct code_known);
	int error = code_known_add(&left, copy->first, copy->end);
	size_t i = array_count_up_to(losses,
				     KEYS(RISING(struct code_change, time_ns)),
				     copy->read_ns);

	while (!error && left.count && i-- > 0)
		error = add_explained(changes, count, copy, array_at(losses, i),
				      &left);
	for (i = 0; i < left.count && !error; i++)
		error = add_part(changes, count, copy, array_at(&left, i),
				 copy->since_ns);
	array_free(&left);
	return error;
}

static int place_copies(struct code_changes *changes,
			const struct array *copies)
{
	struct array losses = ARRAY_OF(struct code_change);
	size_t count = changes->items.count;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct code_change *change = array_at(&changes->items, i);

		if (change->kind == CODE_LOSS)
			error = array_append(&losses, change);
	}
	for (size_t i = 0; i < copies->count && !error; i++)
		error = place_copy(changes, count, &losses,
				   array_at(copies, i));
	array_free(&losses);
	return error;
}

int code_changes_read(const struct recording *recording, const char *folder,
		      const struct log *log, struct code_changes *changes)
{
	struct array copies = ARRAY_OF(struct copy);
	int error;

	*changes = (struct code_changes){
		.items = ARRAY_OF(struct code_change),
		.maps = ARRAY_OF(struct file_map),
		.copies = ARRAY_OF(void *),
		.is_complete = true,
	};
	error = read_records(recording, changes);
	if (!error && folder)
		error = read_copies(folder, log, changes, &copies);
	array_sort(&changes->items, compare_changes);
	if (!error)
		error = place_copies(changes, &copies);
	array_sort(&changes->items, compare_changes);
	array_free(&copies);
	return error;
}

void code_changes_free(struct code_changes *changes)
{
	for (size_t i = 0; i < changes->maps.count; i++)
		file_map_close(array_at(&changes->maps, i));
	for (size_t i = 0; i < changes->copies.count; i++)
		free(*(void **)array_at(&changes->copies, i));
	array_free(&changes->items);
	array_free(&changes->maps);
	array_free(&changes->copies);
}

/* Reverts all changes, then applies the first @count of them. The copy in
 * @buffer may be older or newer than any change: after all old bytes are written,
 * those of the first change last, it is as before all changes.
 */
static void apply_changes(const struct array *changes, size_t count,
			  uint64_t address, uint8_t *buffer, size_t size)
{
	for (size_t i = changes->count; i-- > 0;) {
		const struct code_change *change = array_at(changes, i);

		overlay(buffer, address, size, change->old_bytes,
			change->address, change->old_size);
	}
	for (size_t i = 0; i < count; i++) {
		const struct code_change *change = array_at(changes, i);

		overlay(buffer, address, size, change->new_bytes,
			change->address, change->new_size);
	}
}

size_t code_change_restore(const struct array *regions,
			   const struct array *changes, size_t count,
			   uint64_t address, uint8_t *buffer, size_t size)
{
	const struct code_region *region = code_region_find(regions, address);

	if (!region)
		return 0;

	uint64_t offset = address - region->first;

	if (size > region->size_bytes - offset)
		size = region->size_bytes - offset;
	memcpy(buffer, region->bytes + offset, size);
	apply_changes(changes, count, address, buffer, size);
	return size;
}

int code_change_know(const struct code_change *change, struct array *known)
{
	uint64_t end = change->address + change->new_size;

	switch (change->kind) {
	case CODE_PATCH:
		return 0;
	case CODE_COPY:
		return code_known_add(known, change->address, end);
	case CODE_LOSS:
		return code_known_remove(known, change->address, end);
	}
	return 0;
}
