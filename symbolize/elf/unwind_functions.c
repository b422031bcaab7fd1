/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/unwind_functions.h"

#include "common/array.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "symbolize/elf/unwind_ranges_internal.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <gelf.h>
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

/* Facts about the range (struct unwind_range) with the same index. */
struct range_use {
	bool is_in_hole;
	/* in a hole, and starts with a stack frame or is not aligned */
	bool may_be_part;
	bool is_called;
	bool is_branched_to; /* by a conditional jump from another range */
	bool has_source;
	uint64_t source; /* lowest address of a jump from another range */
};

struct filling {
	Elf *elf;
	const uint8_t *bytes; /* the whole file */
	size_t size;
	struct array segments; /* struct segment: of code */
	struct array ranges;   /* struct unwind_range */
	struct array uses;     /* struct range_use */
	struct array symbols;  /* struct symbol, in order, for the holes */
	/* The addresses from the first to the last range that may be a part;
	 * empty: none.
	 */
	uint64_t parts_start;
	uint64_t parts_end;
	char name[300]; /* of a function: "dash+0x", then its offset */
	size_t prefix;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
};

/* Lists the segments of code. Damaged files may have many segments, or
 * overlapping ones, which together are larger than the file: leaves out what
 * exceeds that or MOST_SEGMENTS.
 */
static int list_segments(struct filling *filling)
{
	enum { MOST_SEGMENTS = 16 };
	uint64_t room = filling->size;
	size_t count = 0;

	if (elf_getphdrnum(filling->elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count && filling->segments.count < MOST_SEGMENTS;
	     i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(filling->elf, (int)i, &header) ||
		    header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    header.p_offset > filling->size ||
		    header.p_filesz > filling->size - header.p_offset ||
		    header.p_filesz > room)
			continue;
		room -= header.p_filesz;
		if (array_append(&filling->segments,
				 &(struct segment){ header.p_vaddr,
						    header.p_offset,
						    header.p_filesz }) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Returns whether the code of the segments has a hole that is too long to be
 * padding. A hole is code without a symbol.
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

/* Sets *@offset to the file offset of the code at @address. Returns false if
 * that is not code.
 */
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

/* Returns the index of the range that covers @address, or the count. */
static size_t range_of(const struct array *ranges, uint64_t address)
{
	size_t at = array_count_up_to(
		ranges, KEYS(RISING(struct unwind_range, end)), address);
	const struct unwind_range *all = ranges->items;

	return at < ranges->count && all[at].start <= address ? at :
								ranges->count;
}

enum branch_kind { BRANCH_CALL, BRANCH_JUMP, BRANCH_CONDITIONAL };

static void note_branch(struct filling *filling, uint64_t from, uint64_t to,
			enum branch_kind kind)
{
	const struct unwind_range *ranges = filling->ranges.items;
	struct range_use *use;
	size_t at;

	if (to < filling->parts_start || to >= filling->parts_end)
		return;
	at = range_of(&filling->ranges, to);
	if (at == filling->ranges.count ||
	    (from >= ranges[at].start && from < ranges[at].end))
		return;
	use = array_at(&filling->uses, at);
	use->is_called |= kind == BRANCH_CALL && to == ranges[at].start;
	if (kind == BRANCH_CALL)
		return;
	use->is_branched_to |= kind == BRANCH_CONDITIONAL;
	if (!use->has_source || from < use->source)
		use->source = from;
	use->has_source = true;
}

/* Code of x86-64, of which all branches are visited. */
struct x86_code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

enum {
	X86_LONGEST = 6, /* bytes of the longest branch with a long distance */
	/* A block of code is read as rows of lanes. */
	X86_LANES = 16,
	X86_ROWS = 8,
	X86_BLOCK = X86_LANES * X86_ROWS,
	X86_WORDS = X86_LANES / 8,
};

/* Sets @found to the bytes of the block at @bytes that may start a branch with
 * a distance of 32 bits: bit 8 * (L % 8) + R of word L / 8 is lane L of row
 * X86_ROWS - 1 - R. Another byte follows the block.
 */
static inline void find_x86_branches(const uint8_t *bytes,
				     uint64_t found[X86_WORDS])
{
	typedef uint8_t lanes __attribute__((vector_size(X86_LANES)));
	lanes all = { 0 };

	for (int row = 0; row < X86_ROWS; row++, bytes += X86_LANES) {
		lanes here;
		lanes next;

		memcpy(&here, bytes, sizeof(here));
		memcpy(&next, bytes + 1, sizeof(next));
		here = (lanes)((here & 0xfe) == 0xe8) |
		       ((lanes)(here == 0x0f) & (lanes)((next & 0xf0) == 0x80));
		all += all - here; /* 0xff, where found, is -1 */
	}
	memcpy(found, &all, sizeof(all));
}

static void note_x86(struct filling *filling, const struct x86_code *code,
		     uint64_t from, uint64_t to)
{
	uint8_t first = code->bytes[from];

	note_branch(filling, code->address + from, code->address + to,
		    first == 0xe8 ? BRANCH_CALL :
		    first == 0xe9 ? BRANCH_JUMP :
				    BRANCH_CONDITIONAL);
}

/* Visits the branches with a distance of 32 bits in the block at byte @start,
 * which X86_LONGEST bytes follow. Most of them lead to no range that may be a
 * part.
 */
static void scan_x86_block(struct filling *filling, const struct x86_code *code,
			   size_t start)
{
	const uint64_t parts = filling->parts_start - code->address;
	const uint64_t parts_size = filling->parts_end - filling->parts_start;
	const uint8_t *bytes = code->bytes;
	uint64_t found[X86_WORDS];

	find_x86_branches(bytes + start, found);
	for (size_t i = 0; i < X86_WORDS; i++)
		for (uint64_t left = found[i]; left; left &= left - 1) {
			size_t bit = (size_t)__builtin_ctzll(left);
			size_t row = X86_ROWS - 1 - bit % 8;
			size_t at = start + row * X86_LANES + bit / 8 + 8 * i;
			size_t next = at + X86_LONGEST - (bytes[at] != 0x0f);
			int32_t distance;
			uint64_t to;

			memcpy(&distance, bytes + next - sizeof(distance),
			       sizeof(distance));
			to = next + (uint64_t)(int64_t)distance;
			if (to - parts < parts_size)
				note_x86(filling, code, at, to);
		}
}

/* Visits the branches with a distance of 32 bits. Each byte is taken for the
 * start of an instruction. Bytes that only look like a branch rarely matter: in
 * about one of 10,000 programs they lead into a range that may be a part.
 */
static void scan_x86(struct filling *filling, const struct x86_code *code)
{
	/* The code's end, then zeros, which start no branch. */
	uint8_t end[2 * X86_BLOCK + X86_LONGEST] = { 0 };
	struct x86_code last = { end, sizeof(end), 0 };
	size_t at = 0;

	for (; code->size - at >= X86_BLOCK + X86_LONGEST; at += X86_BLOCK)
		scan_x86_block(filling, code, at);
	memcpy(end, code->bytes + at, code->size - at);
	last.address = code->address + at;
	scan_x86_block(filling, &last, 0);
	scan_x86_block(filling, &last, X86_BLOCK);
}

/* Returns the signed field of @bits bits of @word from bit @first on, times 4. */
static uint64_t arm_distance(uint32_t word, unsigned int first,
			     unsigned int bits)
{
	return (uint64_t)((int64_t)((int32_t)(word << (32 - first - bits)) >>
				    (32 - bits)) *
			  4);
}

static void note_arm64(struct filling *filling, uint64_t from, uint32_t word)
{
	if ((word & 0x7c000000) == 0x14000000) /* B, BL */
		note_branch(filling, from, from + arm_distance(word, 0, 26),
			    word >> 31 ? BRANCH_CALL : BRANCH_JUMP);
	else if ((word & 0xff000010) == 0x54000000 || /* B.cond */
		 (word & 0x7e000000) == 0x34000000)   /* CBZ, CBNZ */
		note_branch(filling, from, from + arm_distance(word, 5, 19),
			    BRANCH_CONDITIONAL);
	else if ((word & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
		note_branch(filling, from, from + arm_distance(word, 5, 14),
			    BRANCH_CONDITIONAL);
}

static void scan_arm64(struct filling *filling, const struct segment *segment)
{
	const uint8_t *bytes = filling->bytes + segment->offset;
	uint32_t word;

	for (size_t at = 0; at + sizeof(word) <= segment->size_bytes;
	     at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		note_arm64(filling, segment->address + at, word);
	}
}

/* Records the branches that enter the ranges that may be parts. */
static void scan_code(struct filling *filling)
{
	GElf_Ehdr header;

	if (filling->parts_start >= filling->parts_end ||
	    !gelf_getehdr(filling->elf, &header))
		return;
	for (size_t i = 0; i < filling->segments.count; i++) {
		const struct segment *segment = array_at(&filling->segments, i);

		if (header.e_machine == EM_AARCH64)
			scan_arm64(filling, segment);
		if (header.e_machine == EM_X86_64)
			scan_x86(filling,
				 &(struct x86_code){ filling->bytes +
							     segment->offset,
						     segment->size_bytes,
						     segment->address });
	}
}

/* Returns whether the range is a cold part of a function. One that starts with
 * a frame is a part if any jump leads to it. One that does not (the function
 * has no frame) is a part if a conditional jump leads to it. Calls lead to
 * functions only.
 */
static bool is_part(const struct unwind_range *range,
		    const struct range_use *use)
{
	return use->may_be_part && use->has_source && !use->is_called &&
	       (range->is_part || use->is_branched_to);
}

/* Returns the symbol at @offset. @at is the symbol of the previous, lower
 * offset, or NULL: the search starts there.
 */
static const struct symbol *find_from(const struct filling *filling,
				      const struct symbol *at, uint64_t offset)
{
	size_t count;
	const struct symbol *end =
		address_map_symbols(filling->map, &count) + count;

	if (at && at->start <= offset)
		for (; at < end; at++)
			if (offset < at->end)
				return at;
	return address_map_find(filling->map, offset);
}

/* Marks the ranges that start in holes, and those of them that may be parts. */
static int find_uses(struct filling *filling)
{
	const struct unwind_range *ranges = filling->ranges.items;
	const struct symbol *hole = NULL;
	struct range_use *uses;

	if (!array_reach(&filling->uses, filling->ranges.count - 1))
		return -ERROR_MEMORY;
	uses = filling->uses.items;
	filling->parts_start = UINT64_MAX;
	for (size_t i = 0; i < filling->ranges.count; i++) {
		uint64_t offset;

		if (!offset_of(filling, ranges[i].start, &offset))
			continue;
		hole = find_from(filling, hole, offset);
		uses[i].is_in_hole = hole->function == FUNCTION_UNKNOWN;
		uses[i].may_be_part =
			uses[i].is_in_hole &&
			(ranges[i].is_part || ranges[i].start % 16);
		if (!uses[i].may_be_part)
			continue;
		if (filling->parts_start == UINT64_MAX)
			filling->parts_start = ranges[i].start;
		filling->parts_end = ranges[i].end;
	}
	return 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t add_function(struct filling *filling, uint64_t offset,
			     uint64_t address)
{
	static const char digits[] = "0123456789abcdef";
	char *end = filling->name + filling->prefix;
	int shift = offset ? 63 - __builtin_clzll(offset) : 0;

	for (shift -= shift % 4; shift >= 0; shift -= 4)
		*end++ = digits[offset >> shift & 0xf];
	return function_table_add_entry(filling->functions, filling->name,
					(size_t)(end - filling->name),
					filling->module, 'u', address);
}

/* Adds the ranges that start in a hole to the symbols; parts have no function
 * yet.
 */
static int list_symbols(struct filling *filling)
{
	const struct unwind_range *ranges = filling->ranges.items;
	const struct range_use *uses = filling->uses.items;
	const struct symbol *hole = NULL;
	uint64_t end = 0; /* of the previous symbol */

	for (size_t i = 0; i < filling->ranges.count; i++) {
		struct symbol symbol = { .role = CODE_FUNCTION };

		/* The segments of damaged files are in no order, or overlap. */
		if (!uses[i].is_in_hole ||
		    !offset_of(filling, ranges[i].start, &symbol.start) ||
		    symbol.start < end)
			continue;
		hole = find_from(filling, hole, symbol.start);
		symbol.end = symbol.start + (ranges[i].end - ranges[i].start);
		if (symbol.end > hole->end)
			symbol.end = hole->end;
		end = symbol.end;
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

/* Returns the function that jumps to the part which is range @range (index) and
 * at @offset in the file. If another part jumps to it, follows the jumps back
 * to a function. If it finds none, adds a function for the part.
 */
static uint32_t owner_of(struct filling *filling, size_t range, uint64_t offset)
{
	enum { MOST_PARTS = 8 };
	const struct unwind_range *part = array_at(&filling->ranges, range);

	for (int i = 0; i < MOST_PARTS && range < filling->ranges.count; i++) {
		const struct range_use *use = array_at(&filling->uses, range);
		const struct symbol *symbol;
		uint64_t source;

		if (!use->has_source ||
		    !offset_of(filling, use->source, &source))
			break;
		symbol = address_map_find(filling->map, source);
		if (symbol->function != FUNCTION_UNKNOWN)
			return symbol->function;
		range = range_of(&filling->ranges, use->source);
	}
	return add_function(filling, offset, part->start);
}

static int assign_parts(struct filling *filling)
{
	size_t count;
	struct symbol *symbols = address_map_symbols(filling->map, &count);
	const struct unwind_range *ranges = filling->ranges.items;
	const struct range_use *uses = filling->uses.items;

	for (size_t i = 0; i < filling->ranges.count; i++) {
		uint64_t offset;
		size_t at;

		if (!is_part(&ranges[i], &uses[i]) ||
		    !offset_of(filling, ranges[i].start, &offset))
			continue;
		at = (size_t)(address_map_find(filling->map, offset) - symbols);
		if (!symbols[at].is_cold || symbols[at].start != offset ||
		    symbols[at].function != FUNCTION_UNKNOWN)
			continue;
		symbols[at].function = owner_of(filling, i, offset);
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
	status = find_uses(filling);
	if (status)
		return status;
	scan_code(filling);
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
		.module = module,
		.functions = functions,
		.map = map,
	};
	int fd = regular_file_open(path);
	int length = snprintf(filling.name, sizeof(filling.name), "%.255s+0x",
			      base_of(path));
	int status = 0;

	filling.prefix = (size_t)length;
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
