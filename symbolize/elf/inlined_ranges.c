/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/inlined_ranges.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/functions/function_table.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Debug information entries (namespaces, classes, functions, blocks, calls)
 * nested deeper than this are not read.
 */
enum { NESTED_MOST = 256 };

/* A part of the code of one call. While a file is read, pieces may overlap. */
struct piece {
	uint64_t start; /* as in struct inlined_range */
	uint64_t end;
	uint32_t site;
};

struct reader {
	struct elf_file *elf;
	uint64_t bias; /* the unit's addresses minus the file's own */
	const char *module;
	struct function_table *functions;
	/* numbers of functions, by the address of the debug information entry
	 * that an inlined call names as its origin
	 */
	struct number_map by_origin;
	/* uint32_t: function's number, by the number of its name in names; 0:
	 * none yet
	 */
	struct array by_name;
	struct string_pool *names;
	struct array pieces;  /* struct piece */
	struct array entries; /* uint64_t: the start of each call, by site */
	uint32_t first_site;  /* number of the file's first call */
	bool is_kernel;	      /* pieces are addresses, not offsets */
	bool is_module;	      /* is_kernel: sections have shifts of their own */
	/* is_kernel: struct shift, by section; that of the kernel is number 0 */
	struct array shifts;
	int status;
};

/* How far the recording's addresses are from the file's. */
struct shift {
	uint64_t distance;
	enum { SHIFT_UNKNOWN, SHIFT_KNOWN, SHIFT_DOUBTFUL } state;
};

/* A position in the tree of debug information entries. */
struct position {
	uint32_t depth;
	bool is_code; /* within a function that has code */
	uint32_t site;
	uint32_t site_depth;
};

enum { NAME_BYTES = 1024 };

/* Returns whether the unit of @entry is in a language whose functions' names
 * include scopes (namespaces and classes).
 */
static bool has_scopes(Dwarf_Die *entry)
{
	static const int languages[] = {
		DW_LANG_C_plus_plus,
		DW_LANG_C_plus_plus_03,
		DW_LANG_C_plus_plus_11,
		DW_LANG_C_plus_plus_14,
		DW_LANG_D,
		DW_LANG_Rust,
	};
	Dwarf_Die unit;
	int language;

	if (!dwarf_diecu(entry, &unit, NULL, NULL))
		return false;
	language = dwarf_srclang(&unit);
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (language == languages[i])
			return true;
	return false;
}

/* Returns the name with which scope @entry qualifies the names in it; NULL if
 * it is no scope, or a namespace without a name. A class without a name, such
 * as a lambda's, is named after its line, in @unnamed: gcc writes no name for
 * it.
 */
static const char *scope_name(Dwarf_Die *entry, char *unnamed, size_t size)
{
	const char *name = dwarf_diename(entry);
	int line;

	switch (dwarf_tag(entry)) {
	case DW_TAG_namespace:
	case DW_TAG_subprogram:
		return name;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (name || dwarf_decl_line(entry, &line))
			return name;
		snprintf(unnamed, size, "<lambda:%d>", line);
		return unnamed;
	default:
		return NULL;
	}
}

/* Returns the name of @origin with its scopes, which it writes to @text:
 * "main::<lambda:30>::operator()". Local functions need this, as they have no
 * mangled name.
 */
static const char *scoped_name(Dwarf_Die *origin, char text[NAME_BYTES])
{
	Dwarf_Attribute attribute;
	Dwarf_Die declared;
	Dwarf_Die *scopes = NULL;
	size_t length = 0;
	int count;

	if (!has_scopes(origin))
		return dwarf_diename(origin);
	if (!dwarf_formref_die(dwarf_attr(origin, DW_AT_specification,
					  &attribute),
			       &declared))
		declared = *origin;
	count = dwarf_getscopes_die(&declared, &scopes);
	text[0] = '\0';
	for (int i = count; i-- > 0 && length < NAME_BYTES;) {
		char unnamed[32];
		const char *name =
			scope_name(&scopes[i], unnamed, sizeof(unnamed));

		if (name)
			length += (size_t)snprintf(text + length,
						   NAME_BYTES - length, "%s%s",
						   length ? "::" : "", name);
	}
	free(scopes);
	return *text ? text : dwarf_diename(origin);
}

/* Returns the name of @origin, which may be in @text: the mangled one if it has
 * one.
 */
static const char *symbol_of(Dwarf_Die *origin, char text[NAME_BYTES])
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(
		dwarf_attr_integrate(origin, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(
			origin, DW_AT_MIPS_linkage_name, &attribute));
	return name ? name : scoped_name(origin, text);
}

/* Returns the number of the inlined function named @name, which it adds if
 * necessary; 0 when out of memory.
 */
static uint32_t function_named(struct reader *reader, const char *name)
{
	uint32_t number = string_pool_add(reader->names, name, strlen(name));
	uint32_t *function = number == STRING_POOL_NONE ?
				     NULL :
				     array_reach(&reader->by_name, number);

	if (!function)
		return 0;
	if (!*function)
		*function = function_table_add_inlined(reader->functions, name,
						       reader->module);
	return *function == FUNCTION_NONE ? 0 : *function;
}

/* Returns the number of the function that @call calls; 0 if it has no name or,
 * with reader->status set, when out of memory.
 */
static uint32_t function_of(struct reader *reader, Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	uint64_t *known;
	const char *name;
	char text[NAME_BYTES];

	if (!dwarf_formref_die(dwarf_attr(call, DW_AT_abstract_origin,
					  &attribute),
			       &origin))
		return 0;
	known = number_map_add(&reader->by_origin, (uintptr_t)origin.addr);
	if (known && !*known) {
		name = symbol_of(&origin, text);
		if (!name || !*name)
			return 0;
		*known = function_named(reader, name);
	}
	if (!known || !*known) {
		reader->status = -ERROR_MEMORY;
		return 0;
	}
	return (uint32_t)*known;
}

/* Returns the section with code that contains @address, an address of the file
 * itself; NULL: none.
 */
static Elf_Scn *section_at(const struct reader *reader, Dwarf_Addr address)
{
	Dwarf_Addr bias;
	GElf_Shdr header;
	Elf_Scn *section;

	address += elf_file_bias(reader->elf);
	section = dwfl_module_address_section(elf_file_module(reader->elf),
					      &address, &bias);
	return section && gelf_getshdr(section, &header) &&
			       header.sh_flags & SHF_EXECINSTR ?
		       section :
		       NULL;
}

/* Returns the shift of the code at @address, an address of the file itself;
 * NULL if there is no code, or when out of memory.
 */
static struct shift *shift_at(struct reader *reader, uint64_t address)
{
	Elf_Scn *section = reader->is_module ? section_at(reader, address) :
					       NULL;
	struct shift *shift;

	if (reader->is_module && !section)
		return NULL;
	shift = array_reach(&reader->shifts, section ? elf_ndxscn(section) : 0);
	if (!shift)
		reader->status = -ERROR_MEMORY;
	return shift;
}

/* Sets *@offset to the position of the code at @address, an address of the
 * debug data. Returns false if there is none.
 */
static bool place_of(struct reader *reader, uint64_t address, uint64_t *offset)
{
	const struct shift *shift;

	*offset = address - reader->bias;
	if (!reader->is_kernel)
		return elf_file_offset(reader->elf, *offset, offset);
	shift = shift_at(reader, *offset);
	if (!shift || shift->state != SHIFT_KNOWN)
		return false;
	*offset += shift->distance;
	return true;
}

static void add_piece(struct reader *reader, uint64_t start, uint64_t end,
		      uint32_t site)
{
	struct piece piece = { .site = site };

	if (start >= end || !place_of(reader, start, &piece.start))
		return;
	piece.end = piece.start + (end - start);
	if (array_append(&reader->pieces, &piece) < 0)
		reader->status = -ERROR_MEMORY;
}

/* Returns the start of the code of @entry, UINT64_MAX if it is unknown. */
static uint64_t begin_of(Dwarf_Die *entry)
{
	Dwarf_Addr address;
	Dwarf_Addr base;
	Dwarf_Addr end;

	if (dwarf_entrypc(entry, &address) == 0 ||
	    dwarf_ranges(entry, 0, &base, &address, &end) > 0)
		return address;
	return UINT64_MAX;
}

/* Returns the start of the code of @call, which must have some. The compiler
 * may move the first instruction, so that DW_AT_entry_pc is outside the call's
 * code, just before it: then the start is the call's next code after that
 * address.
 */
static uint64_t begin_of_call(Dwarf_Die *call)
{
	uint64_t begin = begin_of(call);
	uint64_t next_begin = UINT64_MAX;
	uint64_t first = UINT64_MAX;
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(call, next, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		if (begin >= start && begin < end)
			return begin;
		if (start >= begin && start < next_begin)
			next_begin = start;
		if (start < first)
			first = start;
	}
	return next_begin != UINT64_MAX ? next_begin : first;
}

/* Adds the code of @call, whose number is @site, as pieces. Splits a piece at
 * the call's start.
 */
static void add_code(struct reader *reader, Dwarf_Die *call, uint32_t site)
{
	uint64_t begin = begin_of_call(call);
	uint64_t *entry =
		array_reach(&reader->entries, site - reader->first_site);
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	ptrdiff_t next = 0;

	if (!entry) {
		reader->status = -ERROR_MEMORY;
		return;
	}
	if (begin == UINT64_MAX || !place_of(reader, begin, entry))
		*entry = UINT64_MAX;
	while (!reader->status &&
	       (next = dwarf_ranges(call, next, &base, &start, &end)) > 0) {
		bool is_split = begin > start && begin < end;

		add_piece(reader, start, is_split ? begin : end, site);
		if (is_split)
			add_piece(reader, begin, end, site);
	}
}

/* Returns whether function @entry has code. If the linker dropped it, its
 * address is 0 or one where there is no code.
 */
static bool has_code(const struct reader *reader, Dwarf_Die *entry)
{
	uint64_t address = begin_of(entry);

	if (address == UINT64_MAX || (!address && !reader->is_module))
		return false;
	return section_at(reader, address - reader->bias);
}

/* Moves *@position into @entry, and adds the call that it may be. Returns false
 * if the entries below it are not needed.
 */
static bool enter(struct reader *reader, Dwarf_Die *entry,
		  struct position *position)
{
	uint32_t function;

	position->depth++;
	switch (dwarf_tag(entry)) {
	case DW_TAG_subprogram:
		*position = (struct position){
			.depth = position->depth,
			.is_code = true,
		};
		return has_code(reader, entry);
	case DW_TAG_inlined_subroutine:
		if (!position->is_code ||
		    position->site_depth == INLINED_SITES_NESTED)
			return false;
		function = function_of(reader, entry);
		if (!function)
			return !reader->status;
		position->site = function_table_add_site(
			reader->functions, function, position->site);
		position->site_depth++;
		if (!position->site)
			reader->status = -ERROR_MEMORY;
		else
			add_code(reader, entry, position->site);
		return true;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return position->is_code;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_compile_unit:
		return true;
	default:
		return false;
	}
}

/* Reads the tree of entries below @unit. Uses no recursion: a stack holds the
 * entries above the current one.
 */
static void read_unit(struct reader *reader, Dwarf_Die *unit)
{
	static const struct position start = { 0 };
	struct {
		Dwarf_Die entry;
		struct position position; /* within it */
	} stack[NESTED_MOST] = { { *unit, start } };
	size_t count = 1;
	Dwarf_Die entry;
	bool is_found = dwarf_child(unit, &entry) == 0;

	while (count && !reader->status) {
		struct position position = stack[count - 1].position;

		if (!is_found) {
			entry = stack[--count].entry;
			is_found = count &&
				   dwarf_siblingof(&entry, &entry) == 0;
			continue;
		}
		if (enter(reader, &entry, &position) && count < NESTED_MOST) {
			stack[count].entry = entry;
			stack[count++].position = position;
			is_found = dwarf_child(&entry, &entry) == 0;
		} else {
			is_found = dwarf_siblingof(&entry, &entry) == 0;
		}
	}
}

/* Returns which of the calls around the code at @start begin there, as the
 * entries of struct inlined_range; @site is the innermost call.
 */
static uint32_t entries_at(const struct reader *reader, uint64_t start,
			   uint32_t site)
{
	uint32_t entries = 0;

	while (site) {
		const struct inlined_site *call =
			function_table_site(reader->functions, site);
		const uint64_t *entry =
			array_at(&reader->entries, site - reader->first_site);

		if (*entry == start)
			entries |= UINT32_C(1) << (call->depth - 1);
		site = call->parent;
	}
	return entries;
}

static void add_range(struct reader *reader, struct array *ranges,
		      uint64_t start, uint64_t end, uint32_t site)
{
	const struct inlined_range range = {
		.start = start,
		.end = end,
		.site = site,
		.entries = entries_at(reader, start, site),
	};

	if (start < end && array_append(ranges, &range) < 0)
		reader->status = -ERROR_MEMORY;
}

/* Makes ranges of the pieces. Where pieces overlap, the one that starts last is
 * the innermost; it is cut off where the piece around it ends.
 */
static void flatten(struct reader *reader, struct array *ranges)
{
	struct array open = ARRAY_OF(struct piece);
	const struct piece *pieces;
	uint64_t at = 0;

	array_sort_by(&reader->pieces, KEYS(RISING(struct piece, start),
					    RISING(struct piece, site)));
	pieces = reader->pieces.items;
	for (size_t i = 0; i <= reader->pieces.count && !reader->status; i++) {
		struct piece next = i < reader->pieces.count ?
					    pieces[i] :
					    (struct piece){ UINT64_MAX, 0, 0 };
		const struct piece *top = NULL;

		while (open.count) {
			top = array_at(&open, open.count - 1);
			if (top->end > next.start)
				break;
			add_range(reader, ranges, at, top->end, top->site);
			at = top->end;
			open.count--;
		}
		if (open.count) {
			add_range(reader, ranges, at, next.start, top->site);
			next.end = next.end < top->end ? next.end : top->end;
		}
		at = next.start;
		if (next.end > next.start && array_append(&open, &next) < 0)
			reader->status = -ERROR_MEMORY;
	}
	array_free(&open);
}

static int compare_places(const void *a, const void *b)
{
	const struct kernel_place *left = a;
	const struct kernel_place *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : left->is_cold - right->is_cold;
}

/* Returns the only one of the @count sorted @places of function @name; NULL if
 * there is none, or more than one.
 */
static const struct kernel_place *find_place(const struct kernel_place *places,
					     size_t count, const char *name)
{
	const struct kernel_place *end = places + count;
	char base[NAME_BYTES];
	struct kernel_place key = { .name = base };
	size_t length = strlen(name);
	const struct kernel_place *found;

	if (length >= sizeof(base))
		return NULL;
	memcpy(base, name, length + 1);
	key.is_cold = length > 5 && !strcmp(name + length - 5, ".cold");
	if (key.is_cold)
		base[length - 5] = '\0';
	found = count ? bsearch(&key, places, count, sizeof(key),
				compare_places) :
			NULL;
	return !found || (found > places && !compare_places(found - 1, &key)) ||
			       (found + 1 < end &&
				!compare_places(found + 1, &key)) ?
		       NULL :
		       found;
}

/* Sets reader->shifts by @places, which it sorts. Only shifts on which all
 * places agree are known.
 */
static void find_shifts(struct reader *reader, struct kernel_place *places,
			size_t count)
{
	Dwfl_Module *module = elf_file_module(reader->elf);
	int symbols = dwfl_module_getsymtab(module);

	if (count)
		qsort(places, count, sizeof(*places), compare_places);
	for (int i = 1; i < symbols && !reader->status; i++) {
		const struct kernel_place *place;
		GElf_Sym entry;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(
			module, i, &entry, &address, NULL, NULL, NULL);
		struct shift *shift;

		place = name && GELF_ST_TYPE(entry.st_info) == STT_FUNC ?
				find_place(places, count, name) :
				NULL;
		address -= elf_file_bias(reader->elf);
		shift = place ? shift_at(reader, address) : NULL;
		if (!shift)
			continue;
		if (shift->state == SHIFT_UNKNOWN)
			*shift = (struct shift){ place->address - address,
						 SHIFT_KNOWN };
		else if (shift->distance != place->address - address)
			shift->state = SHIFT_DOUBTFUL;
	}
}

/* Adds the ranges of reader->elf, which may be NULL. Frees @reader's parts. */
static int add_ranges(struct reader *reader, struct array *ranges)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias = 0;

	reader->by_name = ARRAY_OF(uint32_t);
	reader->names = string_pool_new();
	reader->pieces = ARRAY_OF(struct piece);
	reader->entries = ARRAY_OF(uint64_t);
	reader->first_site = function_table_sites(reader->functions) + 1;
	if (!reader->names)
		reader->status = -ERROR_MEMORY;
	while (reader->elf && !reader->status &&
	       (unit = dwfl_module_nextcu(elf_file_module(reader->elf), unit,
					  &bias))) {
		reader->bias = elf_file_bias(reader->elf) - bias;
		read_unit(reader, unit);
	}
	flatten(reader, ranges);
	number_map_free(&reader->by_origin);
	array_free(&reader->by_name);
	string_pool_free(reader->names);
	array_free(&reader->pieces);
	array_free(&reader->entries);
	array_free(&reader->shifts);
	elf_file_close(reader->elf);
	return reader->status;
}

int inlined_ranges_add(const char *path, const char *module,
		       struct function_table *functions, struct array *ranges)
{
	struct reader reader = {
		.elf = elf_file_open(path, NULL),
		.module = module,
		.functions = functions,
	};

	return add_ranges(&reader, ranges);
}

int inlined_ranges_add_kernel(const char *path, const char *module,
			      struct kernel_place *places, size_t count,
			      struct function_table *functions,
			      struct array *ranges)
{
	struct reader reader = {
		.elf = elf_file_open(path, NULL),
		.module = module,
		.functions = functions,
		.is_kernel = true,
		.is_module = *module,
		.shifts = ARRAY_OF(struct shift),
	};

	if (reader.elf)
		find_shifts(&reader, places, count);
	return add_ranges(&reader, ranges);
}

void inlined_ranges_sort(struct array *ranges)
{
	array_sort_by(ranges, KEYS(RISING(struct inlined_range, start)));
}

/* Returns the number of @ranges that end at @offset or before it. */
static size_t ranges_before(const struct array *ranges, uint64_t offset)
{
	return array_count_up_to(
		ranges, KEYS(RISING(struct inlined_range, end)), offset);
}

bool inlined_ranges_find(const struct array *ranges, uint64_t first,
			 uint64_t offset, uint64_t end,
			 struct inlined_place *place)
{
	size_t index = ranges_before(ranges, first);
	const struct inlined_range *range;

	if (index == ranges->count ||
	    ((const struct inlined_range *)array_at(ranges, index))->start >=
		    end)
		return false;
	*place = (struct inlined_place){ .end = UINT64_MAX };
	index = ranges_before(ranges, offset);
	if (index == ranges->count)
		return true;
	range = array_at(ranges, index);
	if (range->start > offset) {
		place->end = range->start;
		return true;
	}
	place->site = range->site;
	place->entries = range->start == offset ? range->entries : 0;
	place->end = range->end;
	return true;
}
