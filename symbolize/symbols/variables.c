/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/variables.h"

#include "common/array.h"
#include "common/formats/kallsyms.h"
#include "decoder/code/process_maps.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/kernel/kernel_symbols.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A symbol of the kernel, of any type. */
struct kernel_symbol {
	uint64_t address;
	const char *name; /* in the text; not NUL-terminated */
	uint32_t length;
	char type;
};

struct variable_file {
	const char *path;     /* of the maps */
	struct elf_file *elf; /* NULL: cannot be read */
};

struct variables {
	const struct recording *recording;
	struct process_maps *maps; /* NULL before the first use */
	struct array files;	   /* struct variable_file */
	bool has_kernel;	   /* kallsyms and kernel were read */
	struct text_file kallsyms;
	struct array kernel; /* struct kernel_symbol, by address */
};

struct variables *variables_new(const struct recording *recording)
{
	struct variables *variables = calloc(1, sizeof(*variables));

	if (!variables)
		return NULL;
	variables->recording = recording;
	variables->files = ARRAY_OF(struct variable_file);
	variables->kernel = ARRAY_OF(struct kernel_symbol);
	return variables;
}

void variables_free(struct variables *variables)
{
	if (!variables)
		return;
	for (size_t i = 0; i < variables->files.count; i++) {
		struct variable_file *file = array_at(&variables->files, i);

		elf_file_close(file->elf);
	}
	array_free(&variables->files);
	array_free(&variables->kernel);
	text_file_free(&variables->kallsyms);
	process_maps_free(variables->maps);
	free(variables);
}

static void write_name(char *text, size_t size, const char *name, size_t length,
		       uint64_t offset)
{
	if (offset)
		snprintf(text, size, "%.*s+0x%" PRIx64, (int)length, name,
			 offset);
	else
		snprintf(text, size, "%.*s", (int)length, name);
}

/* Reads the kernel's symbols. If the recording has no copy of kallsyms, or
 * memory is lacking, there are none.
 */
static void read_kernel(struct variables *variables)
{
	const char *path = recording_kallsyms_path(variables->recording);
	struct kallsyms kallsyms;
	struct kallsyms_line line;

	variables->has_kernel = true;
	if (!path || text_file_read(path, NULL, &variables->kallsyms) < 0)
		return;
	kallsyms = kallsyms_of(variables->kallsyms.text,
			       variables->kallsyms.size_bytes);
	while (kallsyms_next(&kallsyms, &line) > 0) {
		const struct kernel_symbol symbol = {
			.address = line.address,
			.name = line.name,
			.length = (uint32_t)line.name_length,
			.type = line.type,
		};

		if (array_append(&variables->kernel, &symbol) < 0)
			break;
	}
	if (number_sort(&variables->kernel) < 0)
		array_free(&variables->kernel);
}

/* Returns whether @type (nm(1)) is one of variables. Per-CPU variables have the
 * type of absolute symbols: their addresses are offsets in each CPU's memory.
 */
static bool is_variable(char type)
{
	return strchr("abdr", tolower((unsigned char)type)) && type;
}

/* kallsyms has no sizes. An address more than MOST_BYTES after a symbol is
 * taken for allocated memory, since few variables are that large.
 */
static bool find_in_kernel(struct variables *variables, uint64_t address,
			   char *text, size_t size)
{
	enum { MOST_BYTES = 1 << 16 };
	const struct kernel_symbol *symbols;
	size_t at;

	if (!variables->has_kernel)
		read_kernel(variables);
	symbols = variables->kernel.items;
	at = array_count_up_to(&variables->kernel,
			       KEYS(RISING(struct kernel_symbol, address)),
			       address);
	if (!at || at == variables->kernel.count)
		return false;
	at--;
	if (!is_variable(symbols[at].type) ||
	    address - symbols[at].address >= MOST_BYTES)
		return false;
	write_name(text, size, symbols[at].name, symbols[at].length,
		   address - symbols[at].address);
	return true;
}

/* The mapping of code that is nearest below an address. */
struct nearest {
	uint64_t address;
	struct process_map map; /* path NULL: none */
};

static bool consume_map(void *ctx, const struct process_map *map)
{
	struct nearest *nearest = ctx;

	if (map->address <= nearest->address &&
	    (!nearest->map.path || map->address > nearest->map.address))
		nearest->map = *map;
	return false;
}

/* Returns the open file @path; NULL if it cannot be read. */
static struct elf_file *file_of(struct variables *variables, const char *path)
{
	struct variable_file file = { .path = path };

	for (size_t i = 0; i < variables->files.count; i++) {
		const struct variable_file *known =
			array_at(&variables->files, i);

		if (!strcmp(known->path, path))
			return known->elf;
	}
	file.elf = elf_file_open(path, NULL);
	if (array_append(&variables->files, &file) == 0)
		return file.elf;
	elf_file_close(file.elf);
	return NULL;
}

/* Sets *@own to the file's own address of the byte at @address, by the mapping
 * @map of its code. Returns false if @elf has no segment there.
 */
static bool own_address(Elf *elf, const struct process_map *map,
			uint64_t address, uint64_t *own)
{
	GElf_Phdr header;
	size_t count;
	uint64_t bias = 0;
	bool has_bias = false;

	if (!elf || elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && !has_bias; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) ||
		    header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    map->file_offset >= header.p_offset + header.p_filesz ||
		    map->file_offset + map->size_bytes <= header.p_offset)
			continue;
		bias = map->address - map->file_offset -
		       (header.p_vaddr - header.p_offset);
		has_bias = true;
	}
	*own = address - bias;
	for (size_t i = 0; i < count && has_bias; i++)
		if (gelf_getphdr(elf, (int)i, &header) &&
		    header.p_type == PT_LOAD &&
		    *own - header.p_vaddr < header.p_memsz)
			return true;
	return false;
}

static bool find_in_file(struct elf_file *file, const struct process_map *map,
			 uint64_t address, char *text, size_t size)
{
	Dwfl_Module *module = elf_file_module(file);
	GElf_Addr bias;
	GElf_Off offset;
	GElf_Sym symbol;
	uint64_t own;
	const char *name;

	if (!own_address(dwfl_module_getelf(module, &bias), map, address, &own))
		return false;
	name = dwfl_module_addrinfo(module, own + elf_file_bias(file), &offset,
				    &symbol, NULL, NULL, NULL);
	if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
	    offset >= symbol.st_size)
		return false;
	write_name(text, size, name, strcspn(name, "@"), offset);
	return true;
}

static bool find_in_process(struct variables *variables, int32_t pid,
			    uint64_t address, char *text, size_t size)
{
	struct nearest nearest = { .address = address };
	struct elf_file *file;

	if (!variables->maps)
		variables->maps = process_maps_new(variables->recording);
	if (!variables->maps)
		return false;
	process_maps_visit(variables->maps, pid, UINT64_MAX - 1, consume_map,
			   &nearest);
	if (!nearest.map.path || !*nearest.map.path || nearest.map.image)
		return false;
	file = file_of(variables, nearest.map.path);
	return file && find_in_file(file, &nearest.map, address, text, size);
}

bool variables_find(struct variables *variables, int32_t pid, uint64_t address,
		    char *text, size_t size)
{
	return pid == VARIABLES_OF_KERNEL ?
		       find_in_kernel(variables, address, text, size) :
		       find_in_process(variables, pid, address, text, size);
}

static bool is_called(const struct kallsyms_line *line, const char *name)
{
	return line->name_length == strlen(name) &&
	       !memcmp(line->name, name, line->name_length);
}

uint64_t kernel_preempt_counter(const struct recording *recording)
{
	enum { PCPU_HOT_PREEMPT_COUNT = 8 };
	const char *path = recording_kallsyms_path(recording);
	struct text_file file = { 0 };
	struct kallsyms kallsyms;
	struct kallsyms_line line;
	uint64_t address = 0;

	if (!path || text_file_read(path, NULL, &file) < 0)
		return 0;
	kallsyms = kallsyms_of(file.text, file.size_bytes);
	while (!address && kallsyms_next(&kallsyms, &line) > 0) {
		if (is_called(&line, "__preempt_count"))
			address = line.address;
		else if (is_called(&line, "pcpu_hot"))
			address = line.address + PCPU_HOT_PREEMPT_COUNT;
	}
	text_file_free(&file);
	return address;
}
