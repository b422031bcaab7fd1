/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/called_functions.h"

#include "common/array.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A shorter hole is one function, or padding. */
enum { LEAST_HOLE = 256 };

struct finding {
	Elf *elf;
	const uint8_t *bytes; /* the whole file */
	size_t size;
	struct array segments; /* GElf_Phdr: those with bytes in the file */
	/* all addresses of code are in [code_start, code_end) */
	uint64_t code_start;
	uint64_t code_end;
	struct array tables; /* uint64_t: addresses of jump tables */
	struct array starts; /* uint64_t: offsets of functions in the file */
	const struct address_map *map;
	int status;
};

static void note_code(struct finding *finding, const GElf_Phdr *segment)
{
	uint64_t end = segment->p_vaddr + segment->p_filesz;

	if (segment->p_vaddr < finding->code_start)
		finding->code_start = segment->p_vaddr;
	if (end > finding->code_end)
		finding->code_end = end;
}

/* Lists the segments whose bytes are in the file. */
static void list_segments(struct finding *finding)
{
	enum { MOST_SEGMENTS = 16 };
	uint64_t room = finding->size;
	size_t count = 0;

	if (elf_getphdrnum(finding->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && finding->segments.count < MOST_SEGMENTS;
	     i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(finding->elf, (int)i, &header) ||
		    header.p_type != PT_LOAD ||
		    header.p_offset > finding->size ||
		    header.p_filesz > finding->size - header.p_offset ||
		    header.p_filesz > room)
			continue;
		room -= header.p_filesz;
		if (array_append(&finding->segments, &header) < 0)
			finding->status = -ERROR_MEMORY;
		if (header.p_flags & PF_X)
			note_code(finding, &header);
	}
}

static const GElf_Phdr *segment_at(const struct finding *finding, size_t index)
{
	return array_at(&finding->segments, index);
}

/* Returns the hole at @offset in the file; NULL if there is none, or if it is
 * short.
 */
static const struct symbol *hole_at(const struct finding *finding,
				    uint64_t offset)
{
	const struct symbol *symbol = address_map_find(finding->map, offset);

	return symbol->function == FUNCTION_UNKNOWN &&
			       symbol->end - symbol->start >= LEAST_HOLE ?
		       symbol :
		       NULL;
}

/* Returns whether code of @segment is in a hole. */
static bool has_hole(const struct finding *finding, const GElf_Phdr *segment)
{
	uint64_t end = segment->p_offset + segment->p_filesz;
	uint64_t at = segment->p_offset;

	while (at < end && !hole_at(finding, at))
		at = address_map_find(finding->map, at)->end;
	return at < end;
}

/* Returns whether padding ends before @end: a long nop (Intel's manual, NOP,
 * table 4-12), of which at least @room bytes are readable.
 */
static bool is_padding(const uint8_t *end, size_t room)
{
	static const char *const nops[] = {
		"\x0f\x1f\x00",
		"\x0f\x1f\x40\x00",
		"\x0f\x1f\x44\x00\x00",
		"\x0f\x1f\x80\x00\x00\x00\x00",
		"\x0f\x1f\x84\x00\x00\x00\x00\x00",
	};
	static const uint8_t sizes[] = { 3, 4, 5, 7, 8 };

	for (size_t i = 0; i < sizeof(sizes); i++)
		if (sizes[i] <= room &&
		    !memcmp(end - sizes[i], nops[i], sizes[i]))
			return true;
	return false;
}

/* Returns whether control does not run on into the code at @at. */
static bool follows_end(const uint8_t *bytes, size_t at)
{
	enum { LONGEST = 5 };
	const uint8_t *start = bytes + at;

	if (at < LONGEST)
		return false;
	return start[-1] == 0xc3 ||			     /* ret */
	       start[-1] == 0x90 || start[-1] == 0xcc ||     /* nop, int3 */
	       is_padding(start, at) || start[-2] == 0xeb || /* jmp */
	       start[-5] == 0xe9 || start[-5] == 0xe8 ||     /* jmp, call */
	       (start[-2] == 0x0f && start[-1] == 0x0b) ||   /* ud2 */
	       (start[-2] == 0xff && start[-1] >> 4 == 0xe); /* jmp *%reg */
}

/* Returns the address of the code at @offset, which a segment has. */
static uint64_t address_of(const struct finding *finding, uint64_t offset)
{
	const GElf_Phdr *segment = segment_at(finding, 0);

	for (size_t i = 0; i < finding->segments.count; i++) {
		segment = segment_at(finding, i);
		if (segment->p_flags & PF_X &&
		    offset - segment->p_offset < segment->p_filesz)
			break;
	}
	return offset - segment->p_offset + segment->p_vaddr;
}

/* Returns the executable segment that has @address; NULL if there is none. */
static const GElf_Phdr *code_at(const struct finding *finding, uint64_t address)
{
	/* Most words of data are outside. */
	if (address < finding->code_start || address >= finding->code_end)
		return NULL;
	for (size_t i = 0; i < finding->segments.count; i++) {
		const GElf_Phdr *segment = segment_at(finding, i);

		if (segment->p_flags & PF_X &&
		    address - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

/* Adds the function that starts at @address, if code in a hole may start there.
 */
static void note(struct finding *finding, uint64_t address)
{
	const GElf_Phdr *segment = code_at(finding, address);
	uint64_t offset;

	if (!segment)
		return;
	offset = address - segment->p_vaddr + segment->p_offset;
	/* The bytes are compared first, which is faster than the search. */
	if (follows_end(finding->bytes, (size_t)offset) &&
	    hole_at(finding, offset) &&
	    array_append(&finding->starts, &offset) < 0)
		finding->status = -ERROR_MEMORY;
}

static void note_table(struct finding *finding, uint64_t address)
{
	if (array_append(&finding->tables, &address) < 0)
		finding->status = -ERROR_MEMORY;
}

static int32_t number_at(const uint8_t *bytes)
{
	int32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* Returns the offset of the number in "mov $number, place" (opcode 0xc7) with the
 * ModRM byte @place.
 */
static size_t number_of_mov(uint8_t place)
{
	static const size_t distances[] = { 0, 1, 4, 0 };
	size_t mode = place >> 6;
	bool has_index = mode != 3 && (place & 7) == 4;
	bool is_relative = !mode && (place & 7) == 5;

	return 2 + has_index + (is_relative ? 4 : distances[mode]);
}

/* Notes the targets of calls, the addresses that code takes, and the jump
 * tables. Each byte is taken for the start of an instruction.
 */
static void scan_code(struct finding *finding, const GElf_Phdr *segment)
{
	enum { LONGEST = 11 };
	/* Most bytes are none of the switch's, and are skipped faster. */
	static const bool is_first[256] = {
		[0x48] = true, [0x4c] = true, [0x68] = true, [0xb8] = true,
		[0xb9] = true, [0xba] = true, [0xbb] = true, [0xbc] = true,
		[0xbd] = true, [0xbe] = true, [0xbf] = true, [0xc7] = true,
		[0xe8] = true, [0xff] = true,
	};
	const uint8_t *bytes = finding->bytes + segment->p_offset;

	for (size_t at = 0; at + LONGEST <= segment->p_filesz; at++) {
		const uint8_t *code = bytes + at;
		uint64_t address = segment->p_vaddr + at;

		if (!is_first[*code])
			continue;
		switch (*code) {
		case 0xe8: /* call */
			note(finding,
			     address + 5 +
				     (uint64_t)(int64_t)number_at(code + 1));
			break;
		case 0x48: /* lea rel(%rip),%reg */
		case 0x4c:
			if (code[1] == 0x8d && (code[2] & 0xc7) == 0x05)
				note(finding,
				     address + 7 +
					     (uint64_t)(int64_t)number_at(code +
									  3));
			break;
		case 0x68: /* push $address */
		case 0xb8: /* mov $address,%reg */
		case 0xb9:
		case 0xba:
		case 0xbb:
		case 0xbc:
		case 0xbd:
		case 0xbe:
		case 0xbf:
			note(finding, (uint32_t)number_at(code + 1));
			break;
		case 0xc7: /* mov $address,place */
			if (!(code[1] & 0x38))
				note(finding,
				     (uint32_t)number_at(
					     code + number_of_mov(code[1])));
			break;
		case 0xff: /* jmp *table(,%reg,8) */
			if (code[1] == 0x24 && (code[2] & 0xc7) == 0xc5)
				note_table(finding,
					   (uint32_t)number_at(code + 3));
			break;
		default:
			break;
		}
	}
}

/* Notes the addresses in data, except those in jump tables. A jump table ends
 * before the first word that is not an address of code.
 */
static void scan_data(struct finding *finding, const GElf_Phdr *segment)
{
	uint64_t skipped = -segment->p_vaddr % sizeof(uint64_t);
	const uint64_t *tables = finding->tables.items;
	size_t next = array_count_below(&finding->tables,
					KEYS(RISING_NUMBER(uint64_t)),
					segment->p_vaddr + skipped);
	bool is_in_table = false;

	for (uint64_t at = skipped; at + sizeof(uint64_t) <= segment->p_filesz;
	     at += sizeof(uint64_t)) {
		uint64_t address = segment->p_vaddr + at;
		uint64_t word;

		for (; next < finding->tables.count && tables[next] <= address;
		     next++)
			is_in_table |= tables[next] == address;
		memcpy(&word, finding->bytes + segment->p_offset + at,
		       sizeof(word));
		if (!code_at(finding, word))
			is_in_table = false;
		else if (!is_in_table)
			note(finding, word);
	}
}

/* Fills finding->starts, in order and without repetition. */
static void find_starts(struct finding *finding)
{
	uint64_t *all;
	size_t kept = 0;

	for (size_t i = 0; i < finding->segments.count; i++)
		if (segment_at(finding, i)->p_flags & PF_X)
			scan_code(finding, segment_at(finding, i));
	array_sort_by(&finding->tables, KEYS(RISING_NUMBER(uint64_t)));
	for (size_t i = 0; i < finding->segments.count; i++)
		if (!(segment_at(finding, i)->p_flags & PF_X))
			scan_data(finding, segment_at(finding, i));
	array_sort_by(&finding->starts, KEYS(RISING_NUMBER(uint64_t)));
	all = finding->starts.items;
	for (size_t i = 0; i < finding->starts.count; i++)
		if (!kept || all[kept - 1] != all[i])
			all[kept++] = all[i];
	finding->starts.count = kept;
}

/* Appends to @symbols the function at start number @index, which ends at the
 * next one or at the end of the hole.
 */
static int add_symbol(const struct finding *finding, size_t index,
		      const char *file, const char *module,
		      struct function_table *functions, struct array *symbols)
{
	const uint64_t *starts = finding->starts.items;
	struct symbol symbol = {
		.start = starts[index],
		.end = hole_at(finding, starts[index])->end,
		.role = CODE_FUNCTION,
	};
	char name[300];
	int length = snprintf(name, sizeof(name),
			      "%.255s+0x%" PRIx64 " (inferred)", file,
			      symbol.start);

	if (index + 1 < finding->starts.count && starts[index + 1] < symbol.end)
		symbol.end = starts[index + 1];
	symbol.function = function_table_add_entry(
		functions, name, (size_t)length, module, 'u',
		address_of(finding, symbol.start));
	return symbol.function == FUNCTION_NONE ?
		       -ERROR_MEMORY :
		       array_append(symbols, &symbol);
}

static int fill(struct finding *finding, const char *path, const char *module,
		struct function_table *functions, struct address_map *map)
{
	struct array symbols = ARRAY_OF(struct symbol);
	const char *slash = strrchr(path, '/');
	bool is_needed = false;
	GElf_Ehdr header;
	int status = 0;

	if (!gelf_getehdr(finding->elf, &header) ||
	    header.e_machine != EM_X86_64)
		return 0;
	list_segments(finding);
	for (size_t i = 0; i < finding->segments.count && !is_needed; i++)
		is_needed = segment_at(finding, i)->p_flags & PF_X &&
			    has_hole(finding, segment_at(finding, i));
	if (is_needed)
		find_starts(finding);
	status = finding->status;
	for (size_t i = 0; i < finding->starts.count && !status; i++)
		status = add_symbol(finding, i, slash ? slash + 1 : path,
				    module, functions, &symbols);
	if (!status && symbols.count)
		status = address_map_fill_holes(map, &symbols);
	array_free(&symbols);
	return status;
}

int called_functions_add(const char *path, const char *module,
			 struct function_table *functions,
			 struct address_map *map)
{
	struct finding finding = {
		.segments = ARRAY_OF(GElf_Phdr),
		.tables = ARRAY_OF(uint64_t),
		.starts = ARRAY_OF(uint64_t),
		.code_start = UINT64_MAX,
		.map = map,
	};
	int fd = regular_file_open(path);
	int status = 0;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		finding.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (finding.elf)
		finding.bytes = (const uint8_t *)elf_rawfile(finding.elf,
							     &finding.size);
	if (finding.bytes)
		status = fill(&finding, path, module, functions, map);
	elf_end(finding.elf);
	if (fd >= 0)
		close(fd);
	array_free(&finding.segments);
	array_free(&finding.tables);
	array_free(&finding.starts);
	return status;
}
