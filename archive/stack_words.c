/* SPDX-License-Identifier: MIT */
#include "archive/stack_words.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The distance to which a thread's stack may extend above its stack pointer. */
#define STACK_REACH (UINT64_C(1) << 23)

/* Addresses from @first up to, not including, @end. */
struct code_range {
	uint64_t first;
	uint64_t end;
};

struct stack_words {
	const struct recording *recording;
	const struct arch_frames *frames;
	uint8_t *bytes;
	size_t size;
	struct array code; /* struct code_range, sorted, disjoint */
};

static int compare_range(const void *a, const void *b)
{
	const struct code_range *one = a;
	const struct code_range *other = b;

	return (one->first > other->first) - (one->first < other->first);
}

static void join_ranges(struct array *code)
{
	size_t kept = 0;

	array_sort(code, compare_range);
	for (size_t i = 0; i < code->count; i++) {
		const struct code_range *range = array_at(code, i);
		struct code_range *last = kept ? array_at(code, kept - 1) :
						 NULL;

		if (!last || range->first > last->end)
			*(struct code_range *)array_at(code, kept++) = *range;
		else if (range->end > last->end)
			last->end = range->end;
	}
	code->count = kept;
}

/* Collects the code ranges of all processes at all times: a word that is in
 * none of them is no code address.
 */
static int read_code(struct stack_words *words)
{
	struct sideband *sideband =
		sideband_open(words->recording, SIDEBAND_BIT(SIDEBAND_MMAP));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		const struct sideband_mmap *map = &record.mmap;
		struct code_range *range;

		if (map->kernel || !map->executable)
			continue;
		range = array_add(&words->code);
		if (!range) {
			status = -ERROR_MEMORY;
			break;
		}
		range->first = map->address;
		range->end = map->address + map->size_bytes;
	}
	sideband_close(sideband);
	join_ranges(&words->code);
	return status;
}

static int compare_address(const void *key, const void *item)
{
	uint64_t address = *(const uint64_t *)key;
	const struct code_range *range = item;

	if (address < range->first)
		return -1;
	return address >= range->end;
}

static bool is_code(const struct stack_words *words, uint64_t word)
{
	uint64_t address = word & words->frames->code_bits;

	return words->code.count &&
	       bsearch(&address, words->code.items, words->code.count,
		       words->code.item_size, compare_address);
}

/* Zeroes the words of @stack, whose address is @first, except addresses. */
static void keep_addresses(const struct stack_words *words, uint8_t *stack,
			   size_t room, uint64_t first)
{
	size_t at = (size_t)(-first & 7);

	memset(stack, 0, at < room ? at : room);
	for (; at + 8 <= room; at += 8) {
		uint64_t word;

		memcpy(&word, stack + at, 8);
		if (word - first >= STACK_REACH && !is_code(words, word))
			memset(stack + at, 0, 8);
	}
	if (at < room)
		memset(stack + at, 0, room - at);
}

/* The room is the number before the copy; the part that the kernel did not fill
 * may contain data of an earlier record.
 */
static int take_sample(struct stack_words *words,
		       const struct sideband_user_state *user)
{
	const struct arch_frames *frames = words->frames;
	uint64_t kept = user->stack_size;
	uint64_t first = 0;
	uint64_t offset;
	uint64_t room;

	if (!recording_offset(words->recording, user->stack, &offset) ||
	    offset < 8 || offset > words->size)
		return -ERROR_UNSUPPORTED;
	memcpy(&room, words->bytes + offset - 8, 8);
	if (room > words->size - offset)
		room = words->size - offset;
	/* A stack cannot be unwound without registers. */
	if (kept > room || !frames->register_count ||
	    !sideband_register(&user->registers,
			       frames->perf_registers[frames->stack_pointer],
			       &first))
		kept = 0;
	memset(words->bytes + offset + kept, 0, room - kept);
	keep_addresses(words, words->bytes + offset, kept, first);
	return 0;
}

static int take_samples(struct stack_words *words, size_t *stacks)
{
	struct sideband *sideband =
		sideband_open(words->recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		if (!record.sample.user.stack)
			continue;
		status = take_sample(words, &record.sample.user);
		if (status)
			break;
		++*stacks;
	}
	sideband_close(sideband);
	return status;
}

int stack_words_keep(const struct recording *recording, uint8_t *bytes,
		     size_t size, size_t *stacks)
{
	struct stack_words words = {
		.recording = recording,
		.frames = &arch_for(recording_arch(recording))->frames,
		.bytes = bytes,
		.size = size,
		.code = ARRAY_OF(struct code_range),
	};
	int status;

	*stacks = 0;
	status = read_code(&words);
	if (!status)
		status = take_samples(&words, stacks);
	array_free(&words.code);
	return status;
}
