/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/executable_pages.h"

#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/array.h"
#include "common/error.h"
#include "common/files/file_io.h"

#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel's executable memory, in three ways, each for code that the others
 * miss:
 *
 *	known ranges   code_pages_find(): pages without content are left out
 *	symbols        dynamic_code_find(): BPF, trampolines, kprobes, thunks
 *	page tables    executable_pages_find(): a walk from the kernel's root,
 *	               by physical addresses in /proc/kcore
 *
 * struct paging describes the page tables of an architecture. The kernel
 * changes entries during the walk, so they are untrusted: a table that cannot
 * be read is skipped.
 */

enum { CODE_PAGE = 4096 };

/* Appends the addresses [start, end) to @ranges, or to its last range if that
 * ends at @start.
 */
static int append(struct array *ranges, uint64_t start, uint64_t end)
{
	struct code_range *last =
		ranges->count ? array_at(ranges, ranges->count - 1) : NULL;

	if (!last || last->end != start)
		return array_append(ranges, &(struct code_range){ start, end });
	last->end = end;
	return 0;
}

/* Returns whether all @size bytes repeat the first @period of them. */
static bool repeats(const uint8_t *bytes, size_t size, size_t period)
{
	return size < period || !memcmp(bytes, bytes + period, size - period);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && repeats(bytes, size, 1);
}

/* Returns whether the @size bytes @bytes, a multiple of 4, are the breakpoints
 * with which the kernel fills free executable memory
 * (execmem_fill_trapping_insns() and jit_fill_hole() of arch/x86,
 * AARCH64_BREAK_FAULT of arch/arm64).
 */
static bool code_pages_is_free(const struct kcore *kcore, const uint8_t *bytes,
			       size_t size)
{
	static const uint8_t x86[] = { 0xcc, 0xcc, 0xcc, 0xcc };
	static const uint8_t arm64[] = { 0x00, 0x20, 0x20, 0xd4 };
	bool is_arm64 = kcore->header.e_machine == EM_AARCH64;

	return size >= sizeof(x86) &&
	       !memcmp(bytes, is_arm64 ? arm64 : x86, sizeof(x86)) &&
	       repeats(bytes, size, sizeof(x86));
}

/* Reads the rest of the page that contains @at, up to @end. Returns the number
 * of bytes, or a negative enum error.
 */
static int read_page(const struct kcore *kcore, uint64_t at, uint64_t end,
		     uint8_t page[CODE_PAGE])
{
	uint64_t size = CODE_PAGE - at % CODE_PAGE;
	int error;

	if (size > end - at)
		size = end - at;
	error = kcore_read(kcore, at, page, size);
	return error ? error : (int)size;
}

/* Appends the parts of the @size bytes @page at @start that are not free. */
static int append_used(const struct kcore *kcore, uint64_t start,
		       const uint8_t *page, size_t size, struct array *ranges)
{
	int error = 0;

	for (size_t at = 0; at < size && !error;) {
		size_t chunk =
			CODE_PAGES_CHUNK - (start + at) % CODE_PAGES_CHUNK;

		if (chunk > size - at)
			chunk = size - at;
		if (!code_pages_is_free(kcore, page + at, chunk))
			error = append(ranges, start + at, start + at + chunk);
		at += chunk;
	}
	return error;
}

static int find(const struct kcore *kcore, const struct code_range *range,
		bool may_be_free, struct array *ranges)
{
	uint8_t page[CODE_PAGE];
	uint64_t at = range->start;
	int error = 0;

	while (at < range->end && !error) {
		int read = read_page(kcore, at, range->end, page);
		size_t size = (size_t)read;

		if (read < 0)
			return read;
		if (may_be_free && !is_zero(page, size))
			error = append_used(kcore, at, page, size, ranges);
		else if (!is_zero(page, size))
			error = append(ranges, at, at + size);
		at += size;
	}
	return error;
}

int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges)
{
	return find(kcore, range, false, ranges);
}

int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges)
{
	return find(kcore, range, true, ranges);
}

uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit)
{
	uint64_t at = start - start % CODE_PAGE;
	uint8_t page[CODE_PAGE];

	while (at < start + limit &&
	       !kcore_read(kcore, at, page, sizeof(page)) &&
	       !is_zero(page, sizeof(page)))
		at += CODE_PAGE;
	return at > start ? at : start;
}

/* The BPF JIT compiler writes code after a header of HEADER bytes, whose first
 * word is the size of header and code; both start at multiples of WORD.
 */
enum { WORD = 4, HEADER = 8 };

static bool has_header(const struct kcore *kcore,
		       const struct code_range *range)
{
	uint32_t size;

	return range->end - range->start > HEADER &&
	       !kcore_read(kcore, range->start, &size, sizeof(size)) &&
	       size == range->end - range->start;
}

static bool is_free(const struct kcore *kcore, uint64_t address)
{
	uint8_t word[WORD];

	return !kcore_read(kcore, address, word, sizeof(word)) &&
	       code_pages_is_free(kcore, word, sizeof(word));
}

struct code_range jit_code_find(const struct kcore *kcore,
				const struct code_range *range)
{
	struct code_range code = { range->start + HEADER, range->end };

	if (!has_header(kcore, range))
		return *range;
	while (code.start < code.end && is_free(kcore, code.start))
		code.start += WORD;
	while (code.end > code.start && is_free(kcore, code.end - WORD))
		code.end -= WORD;
	return code.start < code.end ? code : *range;
}

enum { THUNK_PAGE = 4096, BREAKPOINT = 0xcc, HALF_LINE = 32 };

/* Returns the length of "jmp *%reg" in the @left bytes at @bytes, or 0. */
static size_t jump_length(const uint8_t *bytes, size_t left)
{
	size_t prefix = left && bytes[0] == 0x41;

	return left >= prefix + 2 && bytes[prefix] == 0xff &&
			       (bytes[prefix + 1] & 0xf8) == 0xe0 ?
		       prefix + 2 :
		       0;
}

static bool is_thunk_page(const uint8_t *page)
{
	size_t thunks = 0;

	for (size_t at = 0; at < THUNK_PAGE;) {
		size_t length;

		if (page[at] == BREAKPOINT) {
			at++;
			continue;
		}
		length = jump_length(page + at, THUNK_PAGE - at);
		if (!length || !(at & HALF_LINE))
			return false;
		at += length;
		thunks++;
	}
	return thunks;
}

int its_thunks_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *thunks)
{
	uint8_t page[THUNK_PAGE];
	struct code_range *last = NULL;

	for (uint64_t at = range->start; at + THUNK_PAGE <= range->end;
	     at += THUNK_PAGE) {
		if (kcore_read(kcore, at, page, sizeof(page)) ||
		    !is_thunk_page(page)) {
			last = NULL;
			continue;
		}
		if (!last) {
			last = array_add(thunks);
			if (!last)
				return -ERROR_MEMORY;
			last->start = at;
		}
		last->end = at + THUNK_PAGE;
	}
	return 0;
}

/* The names that kallsyms shows instead of a module (kernel/kallsyms.c). */
static const char *const makers[] = {
	"bpf",
	"__builtin__ftrace",
	"__builtin__kprobes",
};

static bool is_dynamic(const struct kallsyms_line *line)
{
	if (!line->module_length || !line->address)
		return false;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strlen(makers[i]) == line->module_length &&
		    !memcmp(makers[i], line->module, line->module_length))
			return true;
	return false;
}

static void set_ends(struct array *ranges)
{
	struct code_range *items = ranges->items;

	array_sort_by(ranges, KEYS(RISING(struct code_range, start)));
	for (size_t i = 0; i < ranges->count; i++) {
		items[i].end = items[i].start + DYNAMIC_CODE_LIMIT;
		if (i + 1 < ranges->count && items[i + 1].start < items[i].end)
			items[i].end = items[i + 1].start;
	}
}

int dynamic_code_find(const struct kernel_symbols *symbols,
		      struct array *ranges)
{
	struct kallsyms lines = kernel_symbols_walk_modules(symbols);
	struct kallsyms_line line;

	assert(!ranges->count);
	while (kallsyms_next(&lines, &line)) {
		struct code_range *range;

		if (!is_dynamic(&line))
			continue;
		range = array_add(ranges);
		if (!range)
			return -ERROR_MEMORY;
		range->start = line.address;
	}
	set_ends(ranges);
	return 0;
}

/* The target of a page table entry. */
enum entry_kind { ENTRY_NONE, ENTRY_TABLE, ENTRY_PAGE };

/* The page tables of one architecture. */
struct paging {
	uint16_t machine; /* e_machine */
	const char *top;  /* the symbol of the top table */
	enum entry_kind (*kind_of)(uint64_t entry, unsigned int level);
	/* mask of the bit that forbids execution, in the entry of a page (0)
	 * and of a table (1)
	 */
	uint64_t no_execute[2];
	uint64_t address; /* mask of the address in an entry */
};

/* A walk over page tables. */
struct walk {
	const struct kcore *kcore;
	const struct paging *paging;
	unsigned int page_shift;
	unsigned int index_bits; /* bits of an address per level */
	uint64_t memory;	 /* mask of the bits of physical addresses */
	const struct code_range *range;
	struct array *found; /* struct code_range */
};

static enum entry_kind x86_kind(uint64_t entry, unsigned int level)
{
	if (!(entry & 1))
		return ENTRY_NONE;
	return !level || entry & 1 << 7 ? ENTRY_PAGE : ENTRY_TABLE;
}

static enum entry_kind arm64_kind(uint64_t entry, unsigned int level)
{
	if (!(entry & 1))
		return ENTRY_NONE;
	if (!level)
		return entry & 2 ? ENTRY_PAGE : ENTRY_NONE;
	return entry & 2 ? ENTRY_TABLE : ENTRY_PAGE;
}

static const struct paging pagings[] = {
	{ EM_X86_64,
	  "init_top_pgt",
	  x86_kind,
	  { UINT64_C(1) << 63, UINT64_C(1) << 63 },
	  UINT64_C(0x000ffffffffff000) },
	{ EM_AARCH64,
	  "swapper_pg_dir",
	  arm64_kind,
	  { UINT64_C(1) << 53, UINT64_C(1) << 59 },
	  UINT64_C(0x0000fffffffff000) },
};

static const struct paging *paging_of(const struct kcore *kcore)
{
	for (size_t i = 0; i < sizeof(pagings) / sizeof(pagings[0]); i++)
		if (pagings[i].machine == kcore->header.e_machine)
			return &pagings[i];
	return NULL;
}

/* Returns whether @segment is memory. Only those segments have a physical
 * address; others have all bits set.
 */
static bool is_memory(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_paddr != UINT64_MAX;
}

/* Returns a mask of the possible bits of physical addresses. Other bits of an
 * address field mark encrypted pages (AMD SME).
 */
static uint64_t memory_mask(const struct kcore *kcore)
{
	const Elf64_Phdr *segments = kcore->segments.items;
	uint64_t last = 1;

	for (size_t i = 0; i < kcore->segments.count; i++)
		if (is_memory(&segments[i]))
			last |= segments[i].p_paddr + segments[i].p_memsz - 1;
	return UINT64_MAX >> __builtin_clzll(last);
}

static int read_physical(const struct kcore *kcore, uint64_t address,
			 void *bytes, size_t size)
{
	const Elf64_Phdr *segments = kcore->segments.items;

	for (size_t i = 0; i < kcore->segments.count; i++) {
		uint64_t into = address - segments[i].p_paddr;

		if (is_memory(&segments[i]) && into < segments[i].p_memsz &&
		    size <= segments[i].p_memsz - into)
			return read_at(kcore->fd, bytes, size,
				       segments[i].p_offset + into);
	}
	return -ERROR_NOT_FOUND;
}

static unsigned int shift_of(const struct walk *walk, unsigned int level)
{
	return walk->page_shift + level * walk->index_bits;
}

static int add_found(const struct walk *walk, uint64_t start, uint64_t size)
{
	struct array *found = walk->found;
	struct code_range *last =
		found->count ? array_at(found, found->count - 1) : NULL;
	uint64_t end = start + size;

	if (start < walk->range->start)
		start = walk->range->start;
	if (end > walk->range->end || end < start)
		end = walk->range->end;
	if (last && last->end == start) {
		last->end = end;
		return 0;
	}
	return array_append(found, &(struct code_range){ start, end });
}

static int walk_table(const struct walk *walk, uint64_t table,
		      unsigned int level, uint64_t first);

/* Handles one entry of a table of @level. @first is the first address that it
 * maps.
 */
static int walk_entry(const struct walk *walk, uint64_t entry,
		      unsigned int level, uint64_t first)
{
	const struct paging *paging = walk->paging;
	uint64_t size = UINT64_C(1) << shift_of(walk, level);
	uint64_t physical = entry & paging->address & walk->memory &
			    ~((UINT64_C(1) << walk->page_shift) - 1);

	switch (paging->kind_of(entry, level)) {
	case ENTRY_NONE:
		return 0;
	case ENTRY_PAGE:
		return entry & paging->no_execute[0] ?
			       0 :
			       add_found(walk, first, size);
	case ENTRY_TABLE:
		return entry & paging->no_execute[1] ?
			       0 :
			       walk_table(walk, physical, level - 1, first);
	}
	return 0;
}

/* Walks over the @count entries of a table of @level, whose first entry maps
 * @first.
 */
static int walk_entries(const struct walk *walk, const uint64_t *entries,
			size_t count, unsigned int level, uint64_t first)
{
	uint64_t size = UINT64_C(1) << shift_of(walk, level);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		uint64_t start = first + i * size;

		if (start < walk->range->end &&
		    walk->range->start <= start + (size - 1))
			error = walk_entry(walk, entries[i], level, start);
	}
	return error;
}

/* Walks the page table at @table. A table that cannot be read, because its
 * memory was removed, is skipped.
 */
static int walk_table(const struct walk *walk, uint64_t table,
		      unsigned int level, uint64_t first)
{
	size_t count = (size_t)1 << walk->index_bits;
	uint64_t *entries = malloc(count * sizeof(*entries));
	int error = 0;

	if (!entries)
		return -ERROR_MEMORY;
	if (!read_physical(walk->kcore, table, entries,
			   count * sizeof(*entries)))
		error = walk_entries(walk, entries, count, level, first);
	free(entries);
	return error;
}

/* Returns the lowest address of the kernel: the start of its half of the
 * address space, or slightly above (KASLR).
 */
static uint64_t lowest_address(const struct kcore *kcore)
{
	const Elf64_Phdr *segments = kcore->segments.items;
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < kcore->segments.count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    segments[i].p_vaddr < lowest)
			lowest = segments[i].p_vaddr;
	return lowest;
}

/* Returns how many bits of an address are translated, derived from the lowest
 * address being in the upper half.
 */
static unsigned int address_bits(const struct walk *walk)
{
	uint64_t lowest = lowest_address(walk->kcore);
	unsigned int fixed = lowest == UINT64_MAX ?
				     64 :
				     (unsigned int)__builtin_clzll(~lowest);

	/* x86's upper half starts with one more set bit. */
	if (walk->paging->machine == EM_X86_64)
		return fixed >= 17 ? 48 : 57;
	return 64 - fixed;
}

/* Walks over the part of the top table that maps the kernel's half. */
static int walk_top(const struct walk *walk, uint64_t top)
{
	unsigned int bits = address_bits(walk);
	bool is_x86 = walk->paging->machine == EM_X86_64;
	unsigned int levels = (bits - walk->page_shift + walk->index_bits - 1) /
			      walk->index_bits;
	size_t count;
	size_t used;
	uint64_t *entries;
	int error;

	if (bits <= walk->page_shift || bits > 57 || !levels || levels > 5)
		return -ERROR_NOT_FOUND;
	count = (size_t)1 << (bits - shift_of(walk, levels - 1));
	used = is_x86 ? count / 2 : count;
	entries = malloc(count * sizeof(*entries));
	if (!entries)
		return -ERROR_MEMORY;
	error = kcore_read(walk->kcore, top, entries, count * sizeof(*entries));
	if (!error)
		error = walk_entries(
			walk, entries + count - used, used, levels - 1,
			-(uint64_t)used << shift_of(walk, levels - 1));
	free(entries);
	return error;
}

/* Adds the executable parts of @range, below the page table at @top, to
 * walk->found. Returns 0 or a negative enum error.
 */
static int find_in(struct walk *walk, uint64_t top,
		   const struct code_range *range)
{
	walk->range = range;
	return walk_top(walk, top);
}

static bool has_text(struct walk *walk, uint64_t top, uint64_t text)
{
	const struct code_range range = { text, text + 1 };
	struct array *found = walk->found;
	struct array ours = ARRAY_OF(struct code_range);
	bool has;

	walk->found = &ours;
	has = text && !find_in(walk, top, &range) && ours.count;
	walk->found = found;
	array_free(&ours);
	return has;
}

static int find_all(struct walk *walk, uint64_t top)
{
	const Elf64_Phdr *segments = walk->kcore->segments.items;
	int error = 0;

	for (size_t i = 0; i < walk->kcore->segments.count && !error; i++) {
		const struct code_range range = {
			segments[i].p_vaddr,
			segments[i].p_vaddr + segments[i].p_memsz,
		};

		if (segments[i].p_type == PT_LOAD && !is_memory(&segments[i]))
			error = find_in(walk, top, &range);
	}
	array_sort_by(walk->found, KEYS(RISING(struct code_range, start)));
	return error;
}

/* Appends the ranges of @found to @ranges, or nothing when out of memory. */
static int append_all(struct array *ranges, const struct array *found)
{
	size_t before = ranges->count;
	int error = 0;

	for (size_t i = 0; i < found->count && !error; i++)
		error = array_append(ranges, array_at(found, i));
	if (error)
		ranges->count = before;
	return error;
}

int executable_pages_find(const struct kcore *kcore,
			  const struct kernel_symbols *symbols,
			  struct array *ranges)
{
	const struct paging *paging = paging_of(kcore);
	struct array found = ARRAY_OF(struct code_range);
	unsigned int page_shift = (unsigned int)__builtin_ctzl(
		(unsigned long)sysconf(_SC_PAGESIZE));
	struct walk walk = {
		.kcore = kcore,
		.paging = paging,
		.page_shift = page_shift,
		.index_bits = page_shift - 3,
		.memory = memory_mask(kcore),
		.found = &found,
	};
	uint64_t top = paging ? kernel_symbols_address(symbols, paging->top) :
				0;
	int error = -ERROR_NOT_FOUND;

	if (top &&
	    has_text(&walk, top, kernel_symbols_address(symbols, "_stext")))
		error = find_all(&walk, top);
	if (!error)
		error = append_all(ranges, &found);
	array_free(&found);
	return error == -ERROR_MEMORY || !error ? error : -ERROR_NOT_FOUND;
}
