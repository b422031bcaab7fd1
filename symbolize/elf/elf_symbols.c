/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/elf_symbols.h"

#include "common/array.h"
#include "common/error.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks for address_map_add(), above the ranks of symbols (rank_of()), since
 * some linkers give stubs symbols.
 */
enum { TABLE_RANK = 16, STUB_RANK };

/* A slot of the global offset table with a relocation. */
struct slot {
	uint64_t address; /* the first member, for number_sort() */
	const char *name; /* of the symbol, owned by libelf; or "" */
	uint64_t addend;
};

struct stub_reader {
	Elf *elf;
	size_t names; /* the section with the names of sections */
	uint16_t machine;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
	struct array slots;   /* struct slot, by address */
	struct array indexed; /* struct slot, by relocation of .rela.plt */
};

static const char *section_name(const struct stub_reader *reader,
				const GElf_Shdr *header)
{
	const char *name =
		elf_strptr(reader->elf, reader->names, header->sh_name);

	return name ? name : "";
}

static bool is_stubs(const GElf_Shdr *header, const char *name)
{
	return header->sh_type == SHT_PROGBITS && header->sh_size &&
	       header->sh_flags & SHF_EXECINSTR &&
	       (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5) ||
		!strcmp(name, ".iplt"));
}

/* A section of relocations, and the symbols to which they refer. */
struct relocations {
	Elf_Data *data;
	size_t count;
	bool is_of_plt;
	Elf_Data *symbols; /* or NULL */
	size_t names;	   /* the section with the symbols' names */
};

static const char *symbol_name(const struct stub_reader *reader,
			       const struct relocations *from, uint64_t number)
{
	GElf_Sym symbol;
	const char *name;

	if (!number || !from->symbols ||
	    !gelf_getsym(from->symbols, (int)number, &symbol))
		return "";
	name = elf_strptr(reader->elf, from->names, symbol.st_name);
	return name ? name : "";
}

static bool is_relative(const GElf_Rela *relocation)
{
	uint64_t type = GELF_R_TYPE(relocation->r_info);

	return type == R_X86_64_RELATIVE || type == R_AARCH64_RELATIVE;
}

/* Lists the slots of the relocations @from, in reverse order. Linkers put
 * relative relocations, which are most and belong to no stub, first: the list
 * stops at one.
 */
static int list_relocations(struct stub_reader *reader,
			    const struct relocations *from)
{
	GElf_Rela relocation;

	for (size_t i = from->count;
	     i-- > 0 && gelf_getrela(from->data, (int)i, &relocation) &&
	     !is_relative(&relocation);) {
		const struct slot slot = {
			.address = relocation.r_offset,
			.addend = (uint64_t)relocation.r_addend,
			.name = symbol_name(reader, from,
					    GELF_R_SYM(relocation.r_info)),
		};

		if (array_append(&reader->slots, &slot) < 0)
			return -ERROR_MEMORY;
		if (!from->is_of_plt)
			continue;
		if (!array_reach(&reader->indexed, i))
			return -ERROR_MEMORY;
		*(struct slot *)array_at(&reader->indexed, i) = slot;
	}
	return 0;
}

static int list_section(struct stub_reader *reader, Elf_Scn *section,
			const GElf_Shdr *header)
{
	Elf_Scn *table = elf_getscn(reader->elf, header->sh_link);
	GElf_Shdr table_header = { .sh_type = SHT_NULL };
	struct relocations from = {
		.data = elf_getdata(section, NULL),
		.is_of_plt = !strcmp(section_name(reader, header), ".rela.plt"),
	};

	if (table && header->sh_link && gelf_getshdr(table, &table_header) &&
	    (table_header.sh_type == SHT_DYNSYM ||
	     table_header.sh_type == SHT_SYMTAB)) {
		from.symbols = elf_getdata(table, NULL);
		from.names = table_header.sh_link;
	}
	if (from.data && header->sh_entsize)
		from.count = header->sh_size / header->sh_entsize;
	return list_relocations(reader, &from);
}

static int list_slots(struct stub_reader *reader)
{
	Elf_Scn *section = NULL;
	int status = 0;

	while (!status && (section = elf_nextscn(reader->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_RELA)
			status = list_section(reader, section, &header);
	}
	return status ? status : number_sort(&reader->slots);
}

static const struct slot *slot_at(const struct stub_reader *reader,
				  uint64_t address)
{
	size_t at = array_count_below(
		&reader->slots, KEYS(RISING(struct slot, address)), address);
	const struct slot *slots = reader->slots.items;

	return at < reader->slots.count && slots[at].address == address ?
		       &slots[at] :
		       NULL;
}

/* Returns the slot of relocation @index of .rela.plt. */
static const struct slot *slot_of_index(const struct stub_reader *reader,
					uint32_t index)
{
	return index < reader->indexed.count ?
		       array_at(&reader->indexed, index) :
		       NULL;
}

/* The bytes of a section of stubs. */
struct table {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

static uint32_t word_at(const struct table *table, size_t at)
{
	uint32_t word;

	memcpy(&word, table->bytes + at, sizeof(word));
	return word;
}

/* Recognizes a stub at byte @at of @table. Returns the slot that it jumps
 * through, or NULL. Sets *@size to the length of the recognized instructions,
 * if any.
 */
typedef const struct slot *stub_finder(const struct stub_reader *reader,
				       const struct table *table, size_t at,
				       size_t *size);

static bool starts_with(const struct table *table, size_t at, const char *bytes,
			size_t size)
{
	return table->size - at >= size &&
	       !memcmp(table->bytes + at, bytes, size);
}

/* Recognizes a stub of x86-64: [endbr64] [bnd] jmp *slot(%rip); or, in the .plt
 * of a file that also has .plt.sec, and as the lazy half of other stubs:
 * [endbr64] push $index; [bnd] jmp to the common start
 */
static const struct slot *find_x86(const struct stub_reader *reader,
				   const struct table *table, size_t at,
				   size_t *size)
{
	/* The first bytes of stubs: most bytes are none. */
	static const bool starts[256] = {
		[0xf3] = true, [0x68] = true, [0xf2] = true, [0xff] = true
	};
	size_t end = at;

	if (!starts[table->bytes[at]])
		return NULL;
	if (starts_with(table, end, "\xf3\x0f\x1e\xfa", 4))
		end += 4;
	if (starts_with(table, end, "\x68", 1) && table->size - end >= 6) {
		uint32_t index = word_at(table, end + 1);

		*size = end + 5 - at;
		return table->bytes[end + 5] == 0xe9 ||
				       table->bytes[end + 5] == 0xf2 ?
			       slot_of_index(reader, index) :
			       NULL;
	}
	if (starts_with(table, end, "\xf2", 1))
		end++;
	if (!starts_with(table, end, "\xff\x25", 2) || table->size - end < 6)
		return NULL;
	end += 6;
	*size = end - at;
	return slot_at(reader, table->address + end +
				       (uint64_t)(int64_t)(int32_t)word_at(
					       table, end - 4));
}

/* Recognizes a stub of arm64: [bti c] adrp x16, page; ldr x17, [x16, #offset];
 * ...
 */
static const struct slot *find_arm64(const struct stub_reader *reader,
				     const struct table *table, size_t at,
				     size_t *size)
{
	size_t first = at;
	uint64_t page;
	uint32_t adrp;
	uint32_t ldr;
	uint32_t pages;

	if (at % 4)
		return NULL;
	if (starts_with(table, at, "\x5f\x24\x03\xd5", 4))
		first += 4;
	if (table->size - first < 8)
		return NULL;
	adrp = word_at(table, first);
	ldr = word_at(table, first + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 ||
	    (ldr & 0xffc003ff) != 0xf9400211)
		return NULL;
	*size = first + 8 - at;
	pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	page = ((table->address + first) & ~UINT64_C(0xfff)) +
	       ((uint64_t)(int64_t)((int32_t)(pages << 11) >> 11) << 12);
	return slot_at(reader, page + (ldr >> 10 & 0xfff) * 8);
}

static uint32_t add_name(const struct stub_reader *reader,
			 const struct slot *slot)
{
	char own[48];
	const char *name = *slot->name ? slot->name : own;
	uint32_t number = FUNCTION_NONE;
	char *stub;

	if (name == own)
		snprintf(own, sizeof(own), "*ABS*+0x%" PRIx64, slot->addend);
	stub = malloc(strlen(name) + sizeof("@plt"));
	if (!stub)
		return number;
	strcpy(stpcpy(stub, name), "@plt");
	number = function_table_add(reader->functions, stub, strlen(stub),
				    reader->module, 'u');
	free(stub);
	return number;
}

static int add_stub(const struct stub_reader *reader, const struct slot *slot,
		    uint64_t offset, uint64_t end)
{
	struct symbol symbol = {
		.start = offset,
		.end = end,
		.role = CODE_INDIRECT_THUNK,
		.function = add_name(reader, slot),
	};

	return symbol.function == FUNCTION_NONE ?
		       -ERROR_MEMORY :
		       address_map_add(reader->map, &symbol, STUB_RANK);
}

/* Adds the stubs of @table, which is at @offset in the file. Each has the end
 * of @table: the address map ends it where the next one starts.
 */
static int add_stubs(const struct stub_reader *reader,
		     const struct table *table, uint64_t offset)
{
	stub_finder *find = reader->machine == EM_X86_64  ? find_x86 :
			    reader->machine == EM_AARCH64 ? find_arm64 :
							    NULL;
	uint64_t last = 0; /* the slot of the previous stub */
	int status = 0;
	size_t size;

	for (size_t at = 0; find && at < table->size && !status; at += size) {
		const struct slot *slot;

		size = 1;
		slot = find(reader, table, at, &size);
		/* On x86-64 the lazy half of a stub refers to the same slot by
		 * index.
		 */
		if (slot && slot->address != last)
			status = add_stub(reader, slot, offset + at,
					  offset + table->size);
		if (slot)
			last = slot->address;
	}
	return status;
}

static int add_section(const struct stub_reader *reader, Elf_Scn *section,
		       const GElf_Shdr *header)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	const struct table table = {
		.bytes = data ? data->d_buf : NULL,
		.size = data && data->d_buf ? data->d_size : 0,
		.address = header->sh_addr,
	};
	struct symbol symbol = {
		.start = header->sh_offset,
		.end = header->sh_offset + header->sh_size,
		.role = CODE_INDIRECT_THUNK,
	};
	int status;

	symbol.function = function_table_add(reader->functions, "[plt]", 5,
					     reader->module, 'u');
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	status = address_map_add(reader->map, &symbol, TABLE_RANK);
	return status ? status : add_stubs(reader, &table, header->sh_offset);
}

static int add_sections(struct stub_reader *reader)
{
	Elf_Scn *section = NULL;
	int status = 0;

	while (!status && (section = elf_nextscn(reader->elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    !is_stubs(&header, section_name(reader, &header)))
			continue;
		if (!reader->slots.items)
			status = list_slots(reader);
		if (!status)
			status = add_section(reader, section, &header);
	}
	return status;
}

/* Adds the stubs of the procedure linkage tables of @elf (.plt, .plt.sec,
 * .plt.got, .iplt) to @map, by offset in the file, as thunks: a call of a stub
 * counts as a call of the function that the stub jumps to. With lazy binding,
 * the first call jumps to the dynamic linker's resolver.
 *
 * A stub jumps to the address in a slot of the global offset table; the
 * relocation of that slot names the function: "read@plt", or, for a function
 * that the program itself selects at its start, "*ABS*+0x1230@plt" with the
 * selecting function's address, like objdump. Stubs are recognized by their
 * instructions on x86-64 and arm64. Other code in the tables, such as the
 * common start of all stubs, is the function "[plt]".
 *
 * @module must be a text of @functions. Returns 0 or -ERROR_MEMORY.
 */
static int plt_stubs_add(Elf *elf, const char *module,
			 struct function_table *functions,
			 struct address_map *map)
{
	struct stub_reader reader = {
		.elf = elf,
		.module = module,
		.functions = functions,
		.map = map,
		.slots = ARRAY_OF(struct slot),
		.indexed = ARRAY_OF(struct slot),
	};
	GElf_Ehdr header;
	int status = 0;

	if (!gelf_getehdr(elf, &header) ||
	    elf_getshdrstrndx(elf, &reader.names) < 0)
		return 0;
	reader.machine = header.e_machine;
	status = add_sections(&reader);
	array_free(&reader.slots);
	array_free(&reader.indexed);
	return status;
}

struct elf_reader {
	struct elf_file *file;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
	bool is_arm; /* the lowest bit of a function's address marks T32 */
};

/* Ranks the names of one address: the name that programs use is highest, "read"
 * rather than "__read" or "__libc_read".
 */
static unsigned int rank_of(const GElf_Sym *entry, const char *name)
{
	return (entry->st_size ? 4 : 0) + (name[0] != '_' ? 2 : 0) +
	       (GELF_ST_BIND(entry->st_info) == STB_GLOBAL);
}

/* Returns the end of symbol @entry of @elf, whose start is the file offset
 * @start. A symbol without a size extends to the end of its section. Returns 0
 * if the section is unknown.
 */
static uint64_t end_of(const GElf_Sym *entry, Elf *elf, uint64_t start)
{
	Elf_Scn *section;
	GElf_Shdr header;

	if (entry->st_size)
		return start + entry->st_size;
	section = elf ? elf_getscn(elf, entry->st_shndx) : NULL;
	if (!section || !gelf_getshdr(section, &header) ||
	    entry->st_value < header.sh_addr ||
	    entry->st_value - header.sh_addr >= header.sh_size)
		return 0;
	return start + header.sh_size - (entry->st_value - header.sh_addr);
}

static int add_symbol(const struct elf_reader *reader, const GElf_Sym *entry,
		      Elf *elf, uint64_t address, const char *name)
{
	struct symbol symbol = { .role = CODE_FUNCTION };
	size_t length;

	symbol.is_t32 = reader->is_arm && address & 1;
	address -= symbol.is_t32;
	if (!elf_file_offset(reader->file, address, &symbol.start))
		return 0;
	symbol.end = end_of(entry, elf, symbol.start);
	/* "read@@GLIBC_2.2.5": the version is not part of the name. */
	length = strcspn(name, "@");
	symbol.is_cold = function_name_is_cold(name, length);
	symbol.function =
		symbol.is_cold ?
			function_table_add(reader->functions, name, length,
					   reader->module, 'u') :
			function_table_add_entry(reader->functions, name,
						 length, reader->module, 'u',
						 address);
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	return address_map_add(reader->map, &symbol, rank_of(entry, name));
}

static bool is_function(const GElf_Sym *entry)
{
	int type = GELF_ST_TYPE(entry->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       entry->st_shndx != SHN_UNDEF;
}

/* Adds all symbols of functions. libdwfl selects the most complete symbol table
 * and adds that of .gnu_debugdata.
 */
static int add_symbols(const struct elf_reader *reader)
{
	Dwfl_Module *module = elf_file_module(reader->file);
	uint64_t bias = elf_file_bias(reader->file);
	int count = dwfl_module_getsymtab(module);
	int status = 0;

	for (int i = 1; i < count && !status; i++) {
		GElf_Sym entry;
		GElf_Addr address;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(
			module, i, &entry, &address, NULL, &elf, NULL);

		if (name && *name && is_function(&entry))
			status = add_symbol(reader, &entry, elf, address - bias,
					    name);
	}
	return status;
}

static int elf_symbols_add_stubs(const struct elf_reader *reader)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(elf_file_module(reader->file), &bias);

	return elf ? plt_stubs_add(elf, reader->module, reader->functions,
				   reader->map) :
		     0;
}

static bool is_arm(const struct elf_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(elf_file_module(file), &bias);
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_ARM;
}

int elf_symbols_add(const char *path, struct function_table *functions,
		    struct address_map *map, const struct log *log)
{
	struct elf_reader reader = { .functions = functions, .map = map };
	int status = -ERROR_MEMORY;

	reader.module = function_table_module(functions, path, strlen(path));
	if (!reader.module)
		return status;
	reader.file = elf_file_open(path, log);
	if (reader.file)
		reader.is_arm = is_arm(reader.file);
	status = reader.file ? add_symbols(&reader) : -ERROR_NOT_FOUND;
	if (!status)
		status = elf_symbols_add_stubs(&reader);
	elf_file_close(reader.file);
	return status;
}
