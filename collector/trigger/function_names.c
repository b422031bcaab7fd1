/* SPDX-License-Identifier: MIT */
#include "collector/trigger/function_names_internal.h"

#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/name_choice.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(const struct placed_name *wanted, const char *name,
		      const GElf_Sym *symbol)
{
	return name && strlen(name) == wanted->length &&
	       !memcmp(name, wanted->text, wanted->length) &&
	       GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       symbol->st_shndx != SHN_UNDEF &&
	       (!wanted->has_offset || symbol->st_value == wanted->offset);
}

/* Adds an address, unless it is among those that are stored: a function may be
 * in both symbol tables, and have several symbols there.
 */
static void take(struct user_functions *found, uint64_t address)
{
	for (size_t i = 0; i < found->count && i < USER_FUNCTIONS_KEPT; i++)
		if (found->addresses[i] == address)
			return;
	if (found->count < USER_FUNCTIONS_KEPT)
		found->addresses[found->count] = address;
	found->count++;
}

static void find_in(Elf *elf, Elf_Scn *section,
		    const struct placed_name *wanted,
		    struct user_functions *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
		return;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++)
		if (is_wanted(wanted,
			      elf_strptr(elf, header.sh_link, symbol.st_name),
			      &symbol))
			take(found, symbol.st_value);
}

/* Sets *@offset to the file offset of @address. Returns whether a segment
 * contains it.
 */
static bool offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr segment;

	for (int i = 0; gelf_getphdr(elf, i, &segment); i++) {
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static int find(Elf *elf, const char *name, struct user_functions *found)
{
	struct placed_name wanted;
	Elf_Scn *section = NULL;

	*found = (struct user_functions){ .count = 0 };
	if (!placed_name_read(name, strlen(name), &wanted))
		return -ERROR_NOT_FOUND;
	while ((section = elf_nextscn(elf, section)))
		find_in(elf, section, &wanted, found);
	return found->count > 1 || (found->count &&
				    offset_of(elf, found->addresses[0],
					      &found->offset)) ?
		       0 :
		       -ERROR_NOT_FOUND;
}

int user_functions_find(const char *path, const char *name,
			struct user_functions *found)
{
	int error = -ERROR_FORMAT;
	int fd = regular_file_open(path);
	Elf *elf;

	/* EINVAL: no regular file */
	if (fd < 0)
		return errno == EINVAL ? -ERROR_FORMAT : -ERROR_SYSTEM;
	elf_version(EV_CURRENT);
	/* Not mapped: its owner may shorten the file. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		error = find(elf, name, found);
	elf_end(elf);
	close(fd);
	return error;
}

enum { SUGGESTIONS = 3, LONGEST = 64 };

/* How well a symbol matches the name. */
enum fit { FITS_NOT, FITS_PART, FITS_FUNCTION, FITS_CALL };

/* Returns whether @symbol is a clone that the compiler made of the function
 * whose name is the first @length bytes. A cold part is not a clone, since it
 * is only jumped to.
 */
static bool is_clone(const struct kallsyms_line *symbol, size_t length)
{
	const char *rest = symbol->name + length;
	size_t size = symbol->name_length - length;

	return ((size > 6 && !memcmp(rest, ".isra.", 6)) ||
		(size > 11 && !memcmp(rest, ".constprop.", 11))) &&
	       !memmem(rest, size, ".cold", 5);
}

static int fit_of(const struct kallsyms_line *symbol, const char *name,
		  size_t length)
{
	const size_t prefix = strlen(SYSTEM_CALL_PREFIX);

	if (symbol->name_length == prefix + length &&
	    !memcmp(symbol->name, SYSTEM_CALL_PREFIX, prefix) &&
	    !memcmp(symbol->name + prefix, name, length))
		return FITS_CALL;
	if (symbol->name_length < length || memcmp(symbol->name, name, length))
		return FITS_NOT;
	if (symbol->name_length == length)
		return FITS_FUNCTION;
	return is_clone(symbol, length) ? FITS_PART : FITS_NOT;
}

size_t function_name_find(const struct kernel_symbols *symbols,
			  const char *name, char *function, size_t size)
{
	struct kernel_functions functions = { .count = 0 };
	const struct kallsyms_line *found = &functions.kept[0];
	struct placed_name wanted;

	if (placed_name_read(name, strlen(name), &wanted))
		functions = kernel_functions_find(symbols, &wanted, fit_of);
	if (functions.count > 1)
		kernel_functions_list(symbols, &functions, function, size);
	else if (functions.count && wanted.has_offset)
		snprintf(function, size, "0x%" PRIx64, found->address);
	else if (functions.count)
		snprintf(function, size, "%.*s", (int)found->name_length,
			 found->name);
	return functions.count;
}

/* Returns how many letters must be inserted, deleted or changed to turn one
 * name into the other (Levenshtein distance).
 */
static size_t distance(const char *a, size_t a_length, const char *b,
		       size_t b_length)
{
	size_t row[LONGEST + 1];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			size_t other = row[j] < row[j - 1] ? row[j] :
							     row[j - 1];

			diagonal = row[j];
			row[j] = change <= other ? change : other + 1;
		}
	}
	return row[b_length];
}

struct suggestion {
	char name[LONGEST + 1];
	size_t distance;
};

/* Inserts @one into @best, which is sorted by distance, if it is near enough.
 */
static void consider(struct suggestion *best, struct suggestion one)
{
	for (int i = 0; i < SUGGESTIONS; i++) {
		struct suggestion other = best[i];

		if (!strcmp(one.name, other.name))
			return;
		if (other.distance <= one.distance)
			continue;
		best[i] = one;
		one = other;
	}
}

static void look_at(struct suggestion *best, const struct kallsyms_line *symbol,
		    const char *name)
{
	const size_t prefix = strlen(SYSTEM_CALL_PREFIX);
	struct suggestion one;
	const char *text = symbol->name;
	size_t length = symbol->name_length;
	size_t wanted = strlen(name);
	size_t difference;

	if (length > prefix && !memcmp(text, SYSTEM_CALL_PREFIX, prefix)) {
		text += prefix;
		length -= prefix;
	}
	difference = length > wanted ? length - wanted : wanted - length;
	if (!kernel_function_is(symbol) || length > LONGEST ||
	    wanted > LONGEST || difference >= best[SUGGESTIONS - 1].distance)
		return;
	snprintf(one.name, sizeof(one.name), "%.*s", (int)length, text);
	one.distance = distance(name, wanted, text, length);
	if (one.distance < best[SUGGESTIONS - 1].distance)
		consider(best, one);
}

void function_name_suggest(const struct kernel_symbols *symbols,
			   const char *name, char *list, size_t size)
{
	struct suggestion best[SUGGESTIONS];
	struct kallsyms_line symbol;
	struct kallsyms walk = kernel_symbols_walk(symbols);
	size_t length = 0;

	/* A third of the letters plus one may be wrong. */
	for (int i = 0; i < SUGGESTIONS; i++)
		best[i] = (struct suggestion){ "", strlen(name) / 3 + 2 };
	while (kallsyms_next(&walk, &symbol))
		look_at(best, &symbol, name);
	*list = '\0';
	for (int i = 0; i < SUGGESTIONS && best[i].name[0]; i++)
		if (length < size)
			length += (size_t)snprintf(list + length, size - length,
						   "%s%s", i ? ", " : "",
						   best[i].name);
}
