/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/unwind_functions.h"

#include "common/array.h"
#include "common/error.h"
#include "common/regular_file.h"
#include "symbolize/elf/unwind_ranges.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A segment of code. */
struct segment {
	uint64_t address;
	uint64_t offset; /* in the file */
	uint64_t size_bytes;
};

/* What the code tells about the range with the same index. */
struct range_use {
	bool is_called;
	bool is_branched_to; /* by a conditional jump from another range */
	bool has_source;
	uint64_t source; /* address of the first jump from another range */
};

struct filling {
	Elf *elf;
	const uint8_t *bytes; /* the whole file */
	size_t size;
	struct array segments; /* struct segment: of code */
	struct array ranges;   /* struct unwind_range */
	struct array uses;     /* struct range_use */
	struct array symbols;  /* struct symbol, in order, for the holes */
	const char *path;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
};

static int list_segments(struct filling *filling)
{
	size_t count = 0;

	if (elf_getphdrnum(filling->elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(filling->elf, (int)i, &header) ||
		    header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    header.p_offset > filling->size ||
		    header.p_filesz > filling->size - header.p_offset)
			continue;
		if (array_append(&filling->segments,
				 &(struct segment){ header.p_vaddr,
						    header.p_offset,
						    header.p_filesz }) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Returns whether a hole in the code of the segments is too long to be padding.
 */
static bool has_holes(const struct filling *filling)
{
	for (size_t i = 0; i < filling->segments.count; i++) {
		const struct segment *segment = array_at(&filling->segments, i);
		uint64_t end = segment->offset + segment->size_bytes;
		uint64_t at = segment->offset;

		while (at < end) {
			const struct symbol *symbol =
				address_map_find(filling->map, at);
			uint64_t next = symbol->end < end ? symbol->end : end;

			if (symbol->function == FUNCTION_UNKNOWN &&
			    next - at > ADDRESS_MAP_PADDING)
				return true;
			at = next;
		}
	}
	return false;
}

/* Sets *@offset to the place of @address in the file; false: not code. */
static bool offset_of(const struct filling *filling, uint64_t address,
		      uint64_t *offset)
{
	for (size_t i = 0; i < filling->segments.count; i++) {
		const struct segment *segment = array_at(&filling->segments, i);

		if (address - segment->address >= segment->size_bytes)
			continue;
		*offset = address - segment->address + segment->offset;
		return true;
	}
	return false;
}

static bool is_before_address(const void *range, const void *address)
{
	return ((const struct unwind_range *)range)->end <=
	       *(const uint64_t *)address;
}

/* Returns the index of the range that covers @address, or the count. */
static size_t range_of(const struct array *ranges, uint64_t address)
{
	size_t at = array_partition_point(ranges, &address, is_before_address);
	const struct unwind_range *all = ranges->items;

	return at < ranges->count && all[at].start <= address ? at :
								ranges->count;
}

enum branch_kind { BRANCH_NONE, BRANCH_CALL, BRANCH_JUMP, BRANCH_CONDITIONAL };

static int32_t word_at(const uint8_t *bytes)
{
	int32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Recognizes a direct branch to a distance of 32 bits that starts at @bytes, of
 * which 6 exist. Sets *@distance from the start. Any byte may start an
 * instruction: bytes that only look like a branch lead into one of the few small
 * ranges that matter about once in 10,000 programs.
 */
static enum branch_kind branch_of_x86(const uint8_t *bytes, int64_t *distance)
{
	if (bytes[0] == 0xe8 || bytes[0] == 0xe9) {
		*distance = 5 + (int64_t)word_at(bytes + 1);
		return bytes[0] == 0xe8 ? BRANCH_CALL : BRANCH_JUMP;
	}
	if (bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80) {
		*distance = 6 + (int64_t)word_at(bytes + 2);
		return BRANCH_CONDITIONAL;
	}
	return BRANCH_NONE;
}

/* Returns the signed field of @bits bits of @word from bit @first on, times 4. */
static int64_t arm_distance(uint32_t word, unsigned int first,
			    unsigned int bits)
{
	return (int64_t)((int32_t)(word << (32 - first - bits)) >>
			 (32 - bits)) *
	       4;
}

static enum branch_kind branch_of_arm64(const uint8_t *bytes, int64_t *distance)
{
	uint32_t word = (uint32_t)word_at(bytes);

	if ((word & 0x7c000000) == 0x14000000) { /* B, BL */
		*distance = arm_distance(word, 0, 26);
		return word >> 31 ? BRANCH_CALL : BRANCH_JUMP;
	}
	if ((word & 0xff000010) == 0x54000000 || /* B.cond */
	    (word & 0x7e000000) == 0x34000000) { /* CBZ, CBNZ */
		*distance = arm_distance(word, 5, 19);
		return BRANCH_CONDITIONAL;
	}
	if ((word & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
		*distance = arm_distance(word, 5, 14);
		return BRANCH_CONDITIONAL;
	}
	return BRANCH_NONE;
}

static void note_branch(struct filling *filling, uint64_t from, uint64_t to,
			enum branch_kind kind)
{
	const struct unwind_range *ranges = filling->ranges.items;
	size_t at = range_of(&filling->ranges, to);
	struct range_use *use;

	if (at == filling->ranges.count ||
	    (from >= ranges[at].start && from < ranges[at].end))
		return;
	use = array_at(&filling->uses, at);
	use->is_called |= kind == BRANCH_CALL && to == ranges[at].start;
	if (kind == BRANCH_CALL)
		return;
	use->is_branched_to |= kind == BRANCH_CONDITIONAL;
	if (!use->has_source)
		use->source = from;
	use->has_source = true;
}

/* A compiler's direct branches, and how far apart they may start. */
struct branches {
	enum branch_kind (*find)(const uint8_t *bytes, int64_t *distance);
	size_t step;
	size_t longest;
};

static void scan_segment(struct filling *filling, const struct segment *segment,
			 const struct branches *branches)
{
	const uint8_t *bytes = filling->bytes + segment->offset;

	for (size_t at = 0; at + branches->longest <= segment->size_bytes;
	     at += branches->step) {
		uint64_t from = segment->address + at;
		int64_t distance;
		enum branch_kind kind = branches->find(bytes + at, &distance);

		if (kind != BRANCH_NONE)
			note_branch(filling, from, from + (uint64_t)distance,
				    kind);
	}
}

/* Finds out by which branches the ranges are entered. */
static int scan_code(struct filling *filling)
{
	static const struct branches x86 = { branch_of_x86, 1, 6 };
	static const struct branches arm64 = { branch_of_arm64, 4, 4 };
	GElf_Ehdr header;

	if (filling->ranges.count &&
	    !array_reach(&filling->uses, filling->ranges.count - 1))
		return -ERROR_MEMORY;
	if (!gelf_getehdr(filling->elf, &header) ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
		return 0;
	for (size_t i = 0; i < filling->segments.count; i++)
		scan_segment(filling, array_at(&filling->segments, i),
			     header.e_machine == EM_X86_64 ? &x86 : &arm64);
	return 0;
}

/* A cold part of a function without a frame has none either. Unlike functions,
 * cold parts are not aligned, and conditional jumps lead to them.
 */
static bool is_part(const struct unwind_range *range,
		    const struct range_use *use)
{
	if (!use->has_source || use->is_called)
		return false;
	return range->is_part || (range->start % 16 && use->is_branched_to);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t add_function(const struct filling *filling, uint64_t offset,
			     uint64_t address)
{
	char name[300];
	int length = snprintf(name, sizeof(name), "%.255s+0x%" PRIx64,
			      base_of(filling->path), offset);

	return function_table_add_entry(filling->functions, name,
					(size_t)length, filling->module, 'u',
					address);
}

/* Adds the ranges that start in a hole to the symbols; parts have no function
 * yet.
 */
static int list_symbols(struct filling *filling)
{
	const struct unwind_range *ranges = filling->ranges.items;
	const struct range_use *uses = filling->uses.items;

	for (size_t i = 0; i < filling->ranges.count; i++) {
		struct symbol symbol = { .role = CODE_FUNCTION };
		const struct symbol *hole;

		if (!offset_of(filling, ranges[i].start, &symbol.start))
			continue;
		hole = address_map_find(filling->map, symbol.start);
		if (hole->function != FUNCTION_UNKNOWN)
			continue;
		symbol.end = symbol.start + (ranges[i].end - ranges[i].start);
		if (symbol.end > hole->end)
			symbol.end = hole->end;
		symbol.is_cold = is_part(&ranges[i], &uses[i]);
		if (!symbol.is_cold)
			symbol.function = add_function(filling, symbol.start,
						       ranges[i].start);
		if (symbol.function == FUNCTION_NONE ||
		    array_append(&filling->symbols, &symbol) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Returns the function that jumps to the part at @address, @offset in the file.
 * A part may be reached from another part only.
 */
static uint32_t owner_of(const struct filling *filling, uint64_t address,
			 uint64_t offset)
{
	enum { MOST_PARTS = 8 };
	uint64_t at = address;

	for (int i = 0; i < MOST_PARTS; i++) {
		size_t range = range_of(&filling->ranges, at);
		const struct range_use *use;
		const struct symbol *symbol;
		uint64_t source;

		if (range == filling->ranges.count)
			break;
		use = array_at(&filling->uses, range);
		if (!use->has_source ||
		    !offset_of(filling, use->source, &source))
			break;
		symbol = address_map_find(filling->map, source);
		if (symbol->function != FUNCTION_UNKNOWN)
			return symbol->function;
		at = use->source;
	}
	return add_function(filling, offset, address);
}

static int assign_parts(struct filling *filling)
{
	size_t count;
	struct symbol *symbols = address_map_symbols(filling->map, &count);
	const struct unwind_range *ranges = filling->ranges.items;

	for (size_t i = 0; i < filling->ranges.count; i++) {
		uint64_t offset;
		size_t at;

		if (!offset_of(filling, ranges[i].start, &offset))
			continue;
		at = (size_t)(address_map_find(filling->map, offset) - symbols);
		if (!symbols[at].is_cold || symbols[at].start != offset ||
		    symbols[at].function != FUNCTION_UNKNOWN)
			continue;
		symbols[at].function =
			owner_of(filling, ranges[i].start, offset);
		if (symbols[at].function == FUNCTION_NONE)
			return -ERROR_MEMORY;
	}
	return 0;
}

static int fill(struct filling *filling)
{
	int status = list_segments(filling);

	if (status || !has_holes(filling))
		return status;
	status = unwind_ranges_read(filling->elf, &filling->ranges);
	if (status || !filling->ranges.count)
		return status;
	status = scan_code(filling);
	if (!status)
		status = list_symbols(filling);
	if (!status)
		status =
			address_map_fill_holes(filling->map, &filling->symbols);
	return status ? status : assign_parts(filling);
}

int unwind_functions_add(const char *path, const char *module,
			 struct function_table *functions,
			 struct address_map *map)
{
	struct filling filling = {
		.segments = ARRAY_OF(struct segment),
		.ranges = ARRAY_OF(struct unwind_range),
		.uses = ARRAY_OF(struct range_use),
		.symbols = ARRAY_OF(struct symbol),
		.path = path,
		.module = module,
		.functions = functions,
		.map = map,
	};
	int fd = regular_file_open(path);
	int status = 0;

	elf_version(EV_CURRENT);
	/* A private map, since libelf decompresses .debug_frame in place. */
	if (fd >= 0)
		filling.elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (filling.elf)
		filling.bytes = (const uint8_t *)elf_rawfile(filling.elf,
							     &filling.size);
	if (filling.bytes)
		status = fill(&filling);
	elf_end(filling.elf);
	if (fd >= 0)
		close(fd);
	array_free(&filling.segments);
	array_free(&filling.ranges);
	array_free(&filling.uses);
	array_free(&filling.symbols);
	return status;
}
