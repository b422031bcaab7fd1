/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"

#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/name_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_match(const char *line, const char (*marks)[80], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

static bool copy_lines(FILE *from, FILE *to, const char (*marks)[80],
		       size_t count)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, from) > 0)
		if (is_match(line, marks, count))
			fputs(line, to);
	free(line);
	return !ferror(from) && !ferror(to);
}

static FILE *open_target(const struct output_folder *folder, const char *name)
{
	int fd = output_folder_reopen(folder, name, O_WRONLY | O_APPEND);
	FILE *target = fd < 0 ? NULL : fdopen(fd, "a");

	if (!target && fd >= 0)
		close(fd);
	return target;
}

int matching_lines_append(const char *from, const struct output_folder *folder,
			  const char *name, const char (*marks)[80],
			  size_t count)
{
	FILE *source = fopen(from, "re");
	FILE *target = source ? open_target(folder, name) : NULL;
	bool done = target && copy_lines(source, target, marks, count);

	if (source)
		fclose(source);
	if (target && fclose(target))
		done = false;
	return done ? 0 : -ERROR_SYSTEM;
}

bool kernel_function_is(const struct kallsyms_line *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

static bool is_same_module(const struct kallsyms_line *a,
			   const struct kallsyms_line *b)
{
	return a->module_length == b->module_length &&
	       !memcmp(a->module, b->module, a->module_length);
}

/* Returns the distance of @function from the first one of its module. */
static uint64_t offset_of_function(const struct kernel_symbols *symbols,
				   const struct kallsyms_line *function)
{
	struct kallsyms walk = kernel_symbols_walk(symbols);
	struct kallsyms_line symbol;
	uint64_t first = function->address;

	while (kallsyms_next(&walk, &symbol))
		if (symbol.address < first && symbol.address &&
		    kernel_function_is(&symbol) &&
		    is_same_module(&symbol, function))
			first = symbol.address;
	return function->address - first;
}

/* Returns whether one of @functions has the same @address, as an alias. */
static bool has_address(const struct kernel_functions *functions,
			uint64_t address)
{
	for (size_t i = 0; i < functions->count && i < FUNCTIONS_KEPT; i++)
		if (functions->kept[i].address == address)
			return true;
	return false;
}

static void take(struct kernel_functions *functions, int fit,
		 const struct kallsyms_line *symbol)
{
	if (fit > functions->fit)
		*functions = (struct kernel_functions){ .fit = fit };
	if (has_address(functions, symbol->address))
		return;
	if (functions->count < FUNCTIONS_KEPT)
		functions->kept[functions->count] = *symbol;
	functions->count++;
}

struct kernel_functions
kernel_functions_find(const struct kernel_symbols *symbols,
		      const struct placed_name *name,
		      int (*fit_of)(const struct kallsyms_line *symbol,
				    const char *name, size_t length))
{
	struct kernel_functions functions = { .count = 0 };
	struct kallsyms walk = kernel_symbols_walk(symbols);
	struct kallsyms_line symbol;

	while (kallsyms_next(&walk, &symbol)) {
		int fit = kernel_function_is(&symbol) ?
				  fit_of(&symbol, name->text, name->length) :
				  0;

		if (fit && fit >= functions.fit &&
		    (!name->has_offset ||
		     offset_of_function(symbols, &symbol) == name->offset))
			take(&functions, fit, &symbol);
	}
	return functions;
}

static size_t write_one(const struct kernel_symbols *symbols,
			const struct kallsyms_line *function, char *text,
			size_t size)
{
	uint64_t offset = offset_of_function(symbols, function);

	if (!function->module_length)
		return (size_t)snprintf(text, size, "%.*s@0x%" PRIx64,
					(int)function->name_length,
					function->name, offset);
	return (size_t)snprintf(text, size, "%.*s@0x%" PRIx64 " [%.*s]",
				(int)function->name_length, function->name,
				offset, (int)function->module_length,
				function->module);
}

void kernel_functions_list(const struct kernel_symbols *symbols,
			   const struct kernel_functions *functions, char *list,
			   size_t size)
{
	size_t count = functions->count < FUNCTIONS_KEPT ? functions->count :
							   FUNCTIONS_KEPT;
	size_t length = 0;

	*list = '\0';
	for (size_t i = 0; i < count && length < size; i++) {
		if (i)
			length += (size_t)snprintf(list + length, size - length,
						   ", ");
		if (length < size)
			length += write_one(symbols, &functions->kept[i],
					    list + length, size - length);
	}
	if (functions->count > count && length < size)
		snprintf(list + length, size - length, ", ...");
}

/* KSYM_NAME_LEN (include/linux/kallsyms.h) and the text around a name. */
enum { KERNEL_SYMBOL_LENGTH = 512 + 8 };

int kernel_symbols_read(struct kernel_symbols *symbols, const char *path)
{
	int error;

	*symbols = (struct kernel_symbols){ 0 };
	error = byte_buffer_file(&symbols->text, path);
	return !error && symbols->text.failed ? -ERROR_MEMORY : error;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	byte_buffer_free(&symbols->text);
}

struct kallsyms kernel_symbols_walk(const struct kernel_symbols *symbols)
{
	return kallsyms_of((const char *)symbols->text.bytes,
			   symbols->text.size);
}

/* Returns a walk over the lines from the one that contains @at. */
static struct kallsyms walk_from(const struct kernel_symbols *symbols,
				 const char *at)
{
	const char *text = (const char *)symbols->text.bytes;
	const char *before = memrchr(text, '\n', (size_t)(at - text));
	const char *line = before ? before + 1 : text;

	return kallsyms_of(line, symbols->text.size - (size_t)(line - text));
}

struct kallsyms
kernel_symbols_walk_modules(const struct kernel_symbols *symbols)
{
	const char *text = (const char *)symbols->text.bytes;
	const char *at = symbols->text.size ?
				 memchr(text, '\t', symbols->text.size) :
				 NULL;

	return at ? walk_from(symbols, at) : kallsyms_of(text, 0);
}

/* Parses only lines that end with the name, for speed. */
uint64_t kernel_symbols_address(const struct kernel_symbols *symbols,
				const char *name)
{
	struct kallsyms rest = kernel_symbols_walk(symbols);
	struct kallsyms_line line;
	char end[KERNEL_SYMBOL_LENGTH];
	int length = snprintf(end, sizeof(end), " %s\n", name);
	const char *at;

	if (length < 0 || (size_t)length >= sizeof(end))
		return 0;
	while ((at = memmem(rest.text, (size_t)(rest.end - rest.text), end,
			    (size_t)length))) {
		rest = walk_from(symbols, at);
		if (kallsyms_next(&rest, &line) &&
		    kallsyms_line_is_kernels(&line, name))
			return line.address;
	}
	return 0;
}

/* Searches the @size bytes at @text for a kernel symbol among the first @count
 * of @names. Returns its index in @names; @count if none is found.
 */
static size_t position_among(const char *text, size_t size,
			     const char *const *names, size_t count,
			     uint64_t *address)
{
	struct kallsyms lines = kallsyms_of(text, size);
	struct kallsyms_line line;
	size_t position = 0;

	if (!kallsyms_next(&lines, &line))
		return count;
	while (position < count &&
	       !kallsyms_line_is_kernels(&line, names[position]))
		position++;
	if (position < count)
		*address = line.address;
	return position;
}

int kernel_symbols_search(const char *path, const char *const *names,
			  uint64_t *address)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t count = 0;
	size_t room = 0;
	ssize_t size;
	int error = 0;

	*address = 0;
	if (!file)
		return -ERROR_SYSTEM;
	while (names[count])
		count++;
	while (count && (size = getline(&line, &room, file)) > 0)
		count = position_among(line, (size_t)size, names, count,
				       address);
	if (count && !feof(file))
		error = -ERROR_SYSTEM;

	int saved = errno;

	free(line);
	fclose(file);
	errno = saved;
	return error;
}

/* Looks at every symbol, because kallsyms sorts neither aliases nor modules. */
uint64_t kernel_symbols_size(const struct kernel_symbols *symbols,
			     uint64_t address)
{
	struct kallsyms lines = kernel_symbols_walk(symbols);
	struct kallsyms_line line;
	uint64_t next = 0;

	while (kallsyms_next(&lines, &line))
		if (kernel_function_is(&line) && line.address > address &&
		    (!next || line.address < next))
			next = line.address;
	return next ? next - address : 1;
}
