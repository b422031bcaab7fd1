/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_graph.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* gprof finds functions by address. Therefore row N of a profile gets an
 * invented function of GMON_FUNCTION_BYTES bytes at gmon_address(N). One more
 * row after the last stands for unknown callers, because gprof drops the counts
 * of calls from addresses without a function.
 */
enum { GMON_FUNCTION_BYTES = 16 };

#define GMON_BASE UINT64_C(0x400000)
#define GMON_NOBODY_NAME "[unseen]"

/* The scale of times in gprof's 16-bit bins. A file may have several histograms
 * of one range, which gprof adds up.
 */
struct gmon_scale {
	uint32_t rate; /* bin units per second */
	/* number of histograms, so that no bin overflows */
	uint32_t histograms;
};

static inline uint64_t gmon_address(uint64_t row)
{
	return GMON_BASE + row * GMON_FUNCTION_BYTES;
}

enum { MAX_HISTOGRAMS = 64, NS_PER_SECOND = 1000000000 };

/* Returns @time_ns in units of @scale, rounded. */
static uint64_t gmon_units(const struct gmon_scale *scale, uint64_t time_ns)
{
	return (uint64_t)((double)time_ns * scale->rate / NS_PER_SECOND + 0.5);
}

/* Returns the finest scale for bins up to @max_ns. */
static struct gmon_scale gmon_scale_for(uint64_t max_ns)
{
	const double room = (double)MAX_HISTOGRAMS * UINT16_MAX;
	double seconds = (double)max_ns / NS_PER_SECOND;
	struct gmon_scale scale = { .rate = NS_PER_SECOND };
	uint64_t units;

	if (seconds * scale.rate > room)
		scale.rate = (uint32_t)(room / seconds);
	if (!scale.rate)
		scale.rate = 1;
	units = gmon_units(&scale, max_ns);
	scale.histograms = (uint32_t)(units / UINT16_MAX) + 1;
	return scale;
}

/* An executable that consists only of names, which gprof needs in addition to a
 * gmon.out: a .text section of the right size without contents, and a symbol
 * per function.
 */
enum section {
	SECTION_NULL,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_SHSTRTAB,
	SECTION_COUNT
};

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

struct tables {
	Elf64_Sym *symbols; /* the first one is empty, as ELF requires */
	size_t symbol_count;
	char *names;
	size_t names_size;
};

static void add_symbol(struct tables *tables, size_t row, const char *name,
		       FILE *names)
{
	tables->symbols[row + 1] = (Elf64_Sym){
		.st_name = (Elf64_Word)ftell(names),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = SECTION_TEXT,
		.st_value = gmon_address(row),
		.st_size = GMON_FUNCTION_BYTES,
	};
	fwrite(name, 1, strlen(name) + 1, names);
}

static void add_symbols(const struct profile_report *report,
			const struct function_profile *profile,
			struct tables *tables, FILE *names)
{
	fputc('\0', names);
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];
		struct function_label label = function_label_of(
			report->functions, row->function, row->pid);

		add_symbol(tables, i, label.text, names);
	}
	add_symbol(tables, profile->row_count, GMON_NOBODY_NAME, names);
}

static int make_tables(const struct profile_report *report,
		       const struct function_profile *profile,
		       struct tables *tables)
{
	FILE *names = open_memstream(&tables->names, &tables->names_size);

	tables->symbol_count = profile->row_count + 2;
	tables->symbols =
		calloc(tables->symbol_count, sizeof(*tables->symbols));
	if (names && tables->symbols)
		add_symbols(report, profile, tables, names);
	return names && fclose(names) == 0 && tables->symbols ? 0 :
								-ERROR_MEMORY;
}

static Elf64_Ehdr header_of(uint64_t sections_offset)
{
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = GMON_BASE,
		.e_shoff = sections_offset,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTION_COUNT,
		.e_shstrndx = SECTION_SHSTRTAB,
	};
}

/* Writes header, symbols, names, section names and sections. */
static void write_file(const struct tables *tables, FILE *out)
{
	uint64_t symbols_size = tables->symbol_count * sizeof(Elf64_Sym);
	uint64_t names_at = sizeof(Elf64_Ehdr) + symbols_size;
	uint64_t shnames_at = names_at + tables->names_size;
	const Elf64_Shdr sections[SECTION_COUNT] = {
		[SECTION_TEXT] = {
			.sh_name = 1,
			.sh_type = SHT_NOBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = GMON_BASE,
			.sh_offset = sizeof(Elf64_Ehdr),
			.sh_size = (tables->symbol_count - 1) *
				   GMON_FUNCTION_BYTES,
			.sh_addralign = GMON_FUNCTION_BYTES,
		},
		[SECTION_SYMTAB] = {
			.sh_name = 7,
			.sh_type = SHT_SYMTAB,
			.sh_offset = sizeof(Elf64_Ehdr),
			.sh_size = symbols_size,
			.sh_link = SECTION_STRTAB,
			.sh_info = 1,
			.sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Sym),
		},
		[SECTION_STRTAB] = {
			.sh_name = 15,
			.sh_type = SHT_STRTAB,
			.sh_offset = names_at,
			.sh_size = tables->names_size,
			.sh_addralign = 1,
		},
		[SECTION_SHSTRTAB] = {
			.sh_name = 23,
			.sh_type = SHT_STRTAB,
			.sh_offset = shnames_at,
			.sh_size = sizeof(section_names),
			.sh_addralign = 1,
		},
	};
	const Elf64_Ehdr header = header_of(shnames_at + sizeof(section_names));

	fwrite(&header, sizeof(header), 1, out);
	fwrite(tables->symbols, 1, symbols_size, out);
	fwrite(tables->names, 1, tables->names_size, out);
	fwrite(section_names, 1, sizeof(section_names), out);
	fwrite(sections, sizeof(sections), 1, out);
}

int render_gmon_symbols(const struct profile_report *report, FILE *out)
{
	struct function_profile profile;
	struct tables tables = { 0 };
	int status = function_profile_make(
		report->tree, function_count(report->functions), &profile);

	if (status < 0)
		return status;
	status = make_tables(report, &profile, &tables);
	if (!status)
		write_file(&tables, out);
	free(tables.symbols);
	free(tables.names);
	function_profile_free(&profile);
	return status;
}

/* Source of the format: gmon_out.h and gmon_io.c of GNU binutils. */
enum gmon_tag { GMON_HISTOGRAM = 0, GMON_ARC = 1 };

enum { GMON_VERSION = 1 };

static void put_u8(FILE *out, uint8_t value)
{
	fputc(value, out);
}

static void put_u16(FILE *out, uint16_t value)
{
	put_u8(out, (uint8_t)value);
	put_u8(out, (uint8_t)(value >> 8));
}

static void put_u32(FILE *out, uint32_t value)
{
	put_u16(out, (uint16_t)value);
	put_u16(out, (uint16_t)(value >> 16));
}

static void put_u64(FILE *out, uint64_t value)
{
	put_u32(out, (uint32_t)value);
	put_u32(out, (uint32_t)(value >> 32));
}

static void write_header(FILE *out)
{
	const char spare[12] = { 0 };

	fwrite("gmon", 1, 4, out);
	put_u32(out, GMON_VERSION);
	fwrite(spare, 1, sizeof(spare), out);
}

/* Returns how many of a bin's @units go to histogram @index: each one is filled
 * before the next.
 */
static uint16_t share_of(uint64_t units, uint32_t index)
{
	uint64_t taken = (uint64_t)index * UINT16_MAX;

	if (units <= taken)
		return 0;
	return units - taken < UINT16_MAX ? (uint16_t)(units - taken) :
					    UINT16_MAX;
}

static void write_histogram(const struct function_profile *profile,
			    const struct gmon_scale *scale, uint32_t index,
			    FILE *out)
{
	char dimension[15] = "seconds";

	put_u8(out, GMON_HISTOGRAM);
	put_u64(out, gmon_address(0));
	put_u64(out, gmon_address(profile->row_count));
	put_u32(out, (uint32_t)profile->row_count);
	put_u32(out, scale->rate);
	fwrite(dimension, 1, sizeof(dimension), out);
	put_u8(out, 's');
	for (size_t i = 0; i < profile->row_count; i++)
		put_u16(out,
			share_of(gmon_units(scale, profile->rows[i].self_ns),
				 index));
}

static void write_histograms(const struct function_profile *profile, FILE *out)
{
	struct gmon_scale scale;
	uint64_t max_ns = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].self_ns > max_ns)
			max_ns = profile->rows[i].self_ns;
	scale = gmon_scale_for(max_ns);
	for (uint32_t i = 0; profile->row_count && i < scale.histograms; i++)
		write_histogram(profile, &scale, i, out);
}

/* Writes @arc. gprof's counts have 31 bits, so larger counts are split into
 * several arcs.
 */
static void write_arc(const struct call_arc *arc, uint64_t row_count, FILE *out)
{
	uint64_t calls = call_counts_calls(&arc->calls);
	uint64_t from = gmon_address(arc->caller == CALL_GRAPH_NOBODY ?
					     row_count :
					     arc->caller) +
			1;

	while (calls) {
		uint32_t part = calls < INT32_MAX ? (uint32_t)calls : INT32_MAX;

		put_u8(out, GMON_ARC);
		put_u64(out, from);
		put_u64(out, gmon_address(arc->callee));
		put_u32(out, part);
		calls -= part;
	}
}

int render_gmon(const struct profile_report *report, FILE *out)
{
	struct function_profile profile;
	struct call_graph graph;
	int status = function_profile_make(
		report->tree, function_count(report->functions), &profile);

	if (status < 0)
		return status;
	status = call_graph_make(report->tree, &profile, &graph);
	if (!status) {
		write_header(out);
		write_histograms(&profile, out);
		for (size_t i = 0; i < graph.arc_count; i++)
			write_arc(&graph.arcs[i], profile.row_count, out);
		call_graph_free(&graph);
	}
	function_profile_free(&profile);
	return status;
}
