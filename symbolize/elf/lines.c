/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/lines.h"

#include "common/array.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/functions/function_table.h"

#include <dwarf.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct named {
	const char *name; /* owned by libdwfl */
	uint64_t address;
};

/* The functions of an ELF file, by name. */
struct elf_names {
	struct array sorted; /* struct named */
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;

	return strcmp(x->name, y->name);
}

static bool add_all(struct elf_names *names, const struct elf_file *file)
{
	Dwfl_Module *module = elf_file_module(file);
	uint64_t bias = elf_file_bias(file);
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym entry;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(
			module, i, &entry, &address, NULL, NULL, NULL);

		if (!name || GELF_ST_TYPE(entry.st_info) != STT_FUNC)
			continue;
		if (array_append(&names->sorted,
				 &(struct named){ name, address - bias }) < 0)
			return false;
	}
	array_sort(&names->sorted, compare);
	return true;
}

static void elf_names_free(struct elf_names *names)
{
	if (names)
		array_free(&names->sorted);
	free(names);
}

/* Borrows @file. Returns NULL when out of memory. */
static struct elf_names *elf_names_new(const struct elf_file *file)
{
	struct elf_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->sorted = ARRAY_OF(struct named);
	if (!add_all(names, file)) {
		elf_names_free(names);
		return NULL;
	}
	return names;
}

/* Sets *@address to the start of function @name, in the file's own addresses.
 * Returns false if there is no such function, or more than one.
 */
static bool elf_names_find(const struct elf_names *names, const char *name,
			   uint64_t *address)
{
	const struct named key = { .name = name };
	const struct named *first = names->sorted.items;
	const struct named *end = first + names->sorted.count;
	const struct named *found;

	if (first == end)
		return false;
	found = bsearch(&key, first, names->sorted.count, sizeof(key), compare);
	if (!found || (found > first && !compare(found - 1, &key)) ||
	    (found + 1 < end && !compare(found + 1, &key)))
		return false;
	*address = found->address;
	return true;
}

/* Returns whether @text can be a kernel's release. A release must be the name
 * of one folder, not a path.
 */
static bool is_release(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

/* Returns a copy of @path, which the caller frees, if the file exists and has the
 * build id @wanted (struct elf_build_id), or one of both has none; else NULL.
 */
static char *fitting(char *path, const void *wanted)
{
	const struct elf_build_id *id = wanted;
	struct elf_build_id found;

	if (access(path, R_OK))
		return NULL;
	found = id->size ? elf_build_id_of_file(path) : *id;
	return found.size && !elf_build_id_is(&found, id) ? NULL : strdup(path);
}

/* Where debug data of the kernel @release may be: below the traced machine's
 * files in @root ("": none), then on this machine.
 */
struct debug_places {
	const char *root;
	const char *release;
};

static struct debug_places places_of(const struct recording *recording)
{
	return (struct debug_places){
		.root = recording_root(recording),
		.release = recording_info(recording)->os_release,
	};
}

/* Fills in the @count formats @places and passes them to @find(), in order, until
 * it returns a result. Returns that, or NULL.
 */
static char *search_places(const struct debug_places *debug,
			   const char *const *places, size_t count,
			   char *(*find)(char *path, const void *wanted),
			   const void *wanted)
{
	const char *const roots[] = { debug->root, "" };
	char *found = NULL;

	if (!is_release(debug->release))
		return NULL;
	for (size_t root = !*debug->root; root < 2 && !found; root++)
		for (size_t i = 0; i < count && !found; i++) {
			char place[PATH_MAX];
			char path[PATH_MAX];

			snprintf(place, sizeof(place), places[i],
				 debug->release);
			if (snprintf(path, sizeof(path), "%s%s", roots[root],
				     place) < PATH_MAX)
				found = find(path, wanted);
		}
	return found;
}

/* Returns the path of the vmlinux of the kernel with the build id @id, which the
 * caller frees; NULL if there is none. Searches where Debian and Fedora install
 * it, where a kernel built on this machine is, and in /boot; then, with the
 * user's consent, on debuginfod servers.
 */
static char *debug_file_of_kernel(const struct debug_places *debug,
				  const struct elf_build_id *id)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};
	char *found = search_places(
		debug, places, sizeof(places) / sizeof(*places), fitting, id);

	return found || !id->size ? found : elf_file_query_debug(id);
}

char *lines_kernel_path(const struct recording *recording)
{
	const struct debug_places debug = places_of(recording);
	struct elf_build_id id = recording_kernel_id(recording);

	return debug_file_of_kernel(&debug, &id);
}

/* Returns whether @file is the file name of @module, as foo-bar.ko or
 * foo_bar.ko.debug of foo_bar.
 */
static bool is_of(const char *file, const char *module)
{
	for (; *module; module++, file++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return strcmp(file, ".ko") == 0 || strcmp(file, ".ko.debug") == 0;
}

/* Returns the path, which the caller frees, of the file of module @wanted (a
 * string) below @folder; NULL if there is none.
 */
static char *find_below(char *folder, const void *wanted)
{
	char *const roots[] = { folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_F && is_of(entry->fts_name, wanted))
			found = strdup(entry->fts_path);
	if (tree)
		fts_close(tree);
	return found;
}

/* Like debug_file_of_kernel(), for a file of @module, whose name is spelled as
 * in kallsyms ("snd_hda" for snd-hda.ko).
 */
static char *debug_file_of_module(const struct debug_places *debug,
				  const char *module)
{
	static const char *const places[] = {
		"/usr/lib/debug/lib/modules/%s",
		"/lib/modules/%s",
	};

	return search_places(debug, places, sizeof(places) / sizeof(*places),
			     find_below, module);
}

char *lines_module_path(const struct recording *recording, const char *module)
{
	const struct debug_places debug = places_of(recording);

	return debug_file_of_module(&debug, module);
}

enum { CACHE_BITS = 12 };

/* A generated function with lines. */
struct listed {
	const char *name;
	const struct generated_name *generated;
};

/* The debug information of one module. */
struct line_file {
	const char *module; /* as in struct function; borrowed */
	char space;
	struct elf_file *elf;	 /* NULL: none was found */
	struct elf_names *names; /* NULL before they are needed */
};

struct cached_line {
	const struct line_file *file; /* NULL: free */
	uint64_t address;
	bool is_entry;		 /* the line of the function's declaration */
	struct source_line line; /* file NULL: unknown */
};

struct lines {
	struct debug_places debug;
	struct elf_build_id kernel_id;
	const struct generated_code *generated; /* NULL: none */
	struct array listed;			/* struct listed, by name */
	bool is_listed;				/* listed was filled */
	/* struct line_file *: their addresses must stay valid */
	struct array files;
	struct cached_line *cache; /* NULL before the first line */
};

struct lines *lines_new(const struct recording *recording)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->debug = (struct debug_places){ "", "" };
	if (recording) {
		lines->debug = places_of(recording);
		lines->kernel_id = recording_kernel_id(recording);
		lines->generated = recording_generated_code(recording);
	}
	lines->listed = ARRAY_OF(struct listed);
	lines->files = ARRAY_OF(struct line_file *);
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->files.count; i++) {
		struct line_file *file =
			*(struct line_file **)array_at(&lines->files, i);

		elf_names_free(file->names);
		elf_file_close(file->elf);
		free(file);
	}
	array_free(&lines->files);
	array_free(&lines->listed);
	free(lines->cache);
	free(lines);
}

static struct elf_file *open_kernel(const struct lines *lines,
				    const char *module)
{
	char *path = *module ? debug_file_of_module(&lines->debug, module) :
			       debug_file_of_kernel(&lines->debug,
						    &lines->kernel_id);
	struct elf_file *elf = path ? elf_file_open(path, NULL) : NULL;

	free(path);
	return elf;
}

static struct line_file *add_file(struct lines *lines, const char *module,
				  char space)
{
	struct line_file *file = calloc(1, sizeof(*file));
	struct line_file **slot = file ? array_add(&lines->files) : NULL;

	if (!slot) {
		free(file);
		return NULL;
	}
	*slot = file;
	file->module = module;
	file->space = space;
	file->elf = space == 'u' ? elf_file_open(module, NULL) :
				   open_kernel(lines, module);
	return file;
}

/* Returns NULL when out of memory. */
static struct line_file *file_of(struct lines *lines, const char *module,
				 char space)
{
	for (size_t i = lines->files.count; i-- > 0;) {
		struct line_file *file =
			*(struct line_file **)array_at(&lines->files, i);

		if (file->space == space && !strcmp(file->module, module))
			return file;
	}
	return add_file(lines, module, space);
}

/* Finds the scopes around the code at *@address, innermost first, up to the
 * unit: each is nested in the next one. (dwarf_getscopes() continues with the
 * definition of an inlined function instead.) Changes *@address to the address
 * in the debug information.
 *
 * Returns their number and sets *@scopes, which the caller frees.
 */
static int scopes_at(const struct line_file *file, uint64_t *address,
		     Dwarf_Die **scopes)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit =
		dwfl_module_addrdie(elf_file_module(file->elf),
				    *address + elf_file_bias(file->elf), &bias);
	Dwarf_Die *named = NULL;
	int count;

	*scopes = NULL;
	if (!unit)
		return 0;
	*address += elf_file_bias(file->elf) - bias;
	count = dwarf_getscopes(unit, *address, &named);
	if (count > 0)
		count = dwarf_getscopes_die(&named[0], scopes);
	free(named);
	return count > 0 ? count : 0;
}

/* Returns whether @die starts at @address. The entry of a function in several
 * parts is the start of its first range.
 */
static bool begins_at(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;

	return dwarf_tag(die) == DW_TAG_subprogram &&
	       dwarf_ranges(die, 0, &base, &start, &end) > 0 &&
	       start == address;
}

/* Returns the declaration of the function that starts at @address. Its first
 * line of code may belong to a function inlined into it.
 */
static struct source_line declaration_at(const struct line_file *file,
					 uint64_t address)
{
	struct source_line line = { 0 };
	Dwarf_Die *scopes;
	int count = scopes_at(file, &address, &scopes);

	for (int i = 0; i < count && !line.file; i++)
		if (begins_at(&scopes[i], address) &&
		    dwarf_decl_line(&scopes[i], &line.line) == 0)
			line.file = dwarf_decl_file(&scopes[i]);
	free(scopes);
	return line;
}

/* Returns the line of the call of @inlined; its file is NULL if unknown. */
static struct source_line call_of(Dwarf_Die *inlined)
{
	struct source_line line = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word place;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute),
			    &number) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute),
			    &place) ||
	    !dwarf_diecu(inlined, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) || place >= count)
		return line;
	line.file = dwarf_filesrc(files, place, NULL, NULL);
	line.line = (int)number;
	return line;
}

/* Returns the line of the code at @address, in the innermost function. */
static struct source_line own_line_at(const struct line_file *file,
				      uint64_t address)
{
	struct source_line line = { 0 };
	Dwfl_Line *found = dwfl_module_getsrc(
		elf_file_module(file->elf), address + elf_file_bias(file->elf));

	if (found)
		line.file = dwfl_lineinfo(found, NULL, &line.line, NULL, NULL,
					  NULL);
	return line;
}

/* Returns the line of the code at @address; for inlined code, the line of the
 * call in the function that contains it.
 */
static struct source_line line_at(const struct line_file *file,
				  uint64_t address)
{
	struct source_line line = { 0 };
	uint64_t unit_address = address;
	Dwarf_Die *inlined = NULL;
	Dwarf_Die *scopes;
	int count = scopes_at(file, &unit_address, &scopes);

	for (int i = 0; i < count; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			inlined = &scopes[i];
	if (inlined)
		line = call_of(inlined);
	free(scopes);
	return line.file ? line : own_line_at(file, address);
}

static struct source_line look_up(const struct line_file *file,
				  uint64_t address, bool is_entry)
{
	struct source_line line = { 0 };

	if (is_entry)
		line = declaration_at(file, address);
	return line.file ? line : line_at(file, address);
}

static struct source_line line_of(struct lines *lines,
				  const struct line_file *file,
				  uint64_t address, bool is_entry)
{
	uint64_t key = (address ^ (uint64_t)(uintptr_t)file) * 2 + is_entry;
	struct cached_line *cached;

	if (!lines->cache)
		lines->cache = calloc(1 << CACHE_BITS, sizeof(*lines->cache));
	if (!lines->cache)
		return look_up(file, address, is_entry);
	cached = &lines->cache[key * 0x9e3779b97f4a7c15 >> (64 - CACHE_BITS)];
	if (cached->file != file || cached->address != address ||
	    cached->is_entry != is_entry)
		*cached = (struct cached_line){
			.file = file,
			.address = address,
			.is_entry = is_entry,
			.line = look_up(file, address, is_entry),
		};
	return cached->line;
}

/* Sets *@line to the source line of @address. Returns whether there is one.
 * Line 0 marks code generated by the compiler.
 */
static bool find_in(struct lines *lines, const struct line_file *file,
		    uint64_t address, bool is_entry, struct source_line *line)
{
	*line = line_of(lines, file, address, is_entry);
	return line->file && line->line > 0;
}

/* Sets *@address to the address of the kernel function @name in the file. The
 * recording's addresses of kernel code differ from those in the kernel's files,
 * so functions are found by name. Returns false if the file has no such name,
 * or has it more than once.
 */
static bool find_kernel_function(struct line_file *file, const char *name,
				 uint64_t *address)
{
	if (!file->names)
		file->names = elf_names_new(file->elf);
	return file->names && elf_names_find(file->names, name, address);
}

/* Sets *@file to the file with the code at @offset bytes after @function's
 * entry, and *@address to the code's address in it. Returns false if they are
 * unknown.
 */
static bool locate(struct lines *lines, const struct function *function,
		   uint64_t offset, struct line_file **file, uint64_t *address)
{
	*file = file_of(lines, function->module, function->space);
	*address = function->address;
	if (!*file || !(*file)->elf || !*address)
		return false;
	if (function->space == 'k' &&
	    !find_kernel_function(*file, function->name, address))
		return false;
	*address += offset;
	return true;
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a;
	const struct listed *y = b;

	return strcmp(x->name, y->name);
}

/* Lists the generated functions that have lines. */
static bool list_generated(struct lines *lines)
{
	const struct generated_names *names;

	for (size_t at = 0;
	     (names = generated_code_names_at(lines->generated, at)); at++)
		for (size_t i = 0; i < names->names.count; i++) {
			const struct generated_name *name =
				array_at(&names->names, i);
			const struct listed listed = { name->name, name };

			if (name->lines &&
			    array_append(&lines->listed, &listed) < 0)
				return false;
		}
	array_sort(&lines->listed, compare_listed);
	lines->is_listed = true;
	return true;
}

static bool is_lower(const void *listed, const void *name)
{
	return strcmp(((const struct listed *)listed)->name, name) < 0;
}

/* Finds the line of a generated function. A function that was generated several
 * times has several lists of lines: the line is known if all of them agree.
 */
static bool find_generated(struct lines *lines, const struct function *function,
			   uint64_t offset, struct source_line *line)
{
	struct source_line other;

	line->file = NULL;
	if (!lines->is_listed && !list_generated(lines))
		return false;
	for (size_t at = array_partition_point(&lines->listed, function->name,
					       is_lower);
	     at < lines->listed.count; at++) {
		const struct listed *listed = array_at(&lines->listed, at);

		if (strcmp(listed->name, function->name) != 0)
			break;
		if (!generated_name_line(listed->generated, offset, &other.file,
					 &other.line))
			continue;
		if (line->file && (line->line != other.line ||
				   strcmp(line->file, other.file) != 0))
			return false;
		*line = other;
	}
	return line->file;
}

bool lines_find(struct lines *lines, const struct function *function,
		uint64_t offset, struct source_line *line)
{
	struct line_file *file;
	uint64_t address;

	if (lines->generated && !strcmp(function->module, GENERATED_CODE))
		return find_generated(lines, function, offset, line);
	return locate(lines, function, offset, &file, &address) &&
	       find_in(lines, file, address, !offset, line);
}

/* Returns the address of the first instruction of @inlined, UINT64_MAX if
 * unknown.
 */
static uint64_t entry_of(Dwarf_Die *inlined)
{
	Dwarf_Addr entry;
	Dwarf_Addr base;
	Dwarf_Addr end;

	if (dwarf_entrypc(inlined, &entry) == 0)
		return entry;
	if (dwarf_ranges(inlined, 0, &base, &entry, &end) > 0)
		return entry;
	return UINT64_MAX;
}

size_t lines_find_inlined(struct lines *lines, const struct function *function,
			  uint64_t offset,
			  struct inlined_call calls[INLINED_CALLS_MOST],
			  struct source_line *line)
{
	struct line_file *file;
	uint64_t address;
	uint64_t unit_address;
	Dwarf_Die *scopes;
	size_t found = 0;
	int count;

	if (!locate(lines, function, offset, &file, &address))
		return 0;
	unit_address = address;
	count = scopes_at(file, &unit_address, &scopes);
	for (int i = count; i-- > 0 && found < INLINED_CALLS_MOST;) {
		uint64_t entry;

		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		entry = entry_of(&scopes[i]);
		calls[found++] = (struct inlined_call){
			.name = dwarf_diename(&scopes[i]),
			.line = call_of(&scopes[i]),
			.identity = dwarf_dieoffset(&scopes[i]),
			.entry_offset = entry == UINT64_MAX ?
						entry :
						entry - unit_address + offset,
		};
	}
	free(scopes);
	if (found)
		*line = own_line_at(file, address);
	return found;
}
