/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/kernel_code/kernel_functions.h"
#include "common/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* For speed, parses only lines that end with the name. */
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
static size_t place_among(const char *text, size_t size,
			  const char *const *names, size_t count,
			  uint64_t *address)
{
	struct kallsyms lines = kallsyms_of(text, size);
	struct kallsyms_line line;
	size_t place = 0;

	if (!kallsyms_next(&lines, &line))
		return count;
	while (place < count && !kallsyms_line_is_kernels(&line, names[place]))
		place++;
	if (place < count)
		*address = line.address;
	return place;
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
		count = place_among(line, (size_t)size, names, count, address);
	if (count && !feof(file))
		error = -ERROR_SYSTEM;

	int saved = errno;

	free(line);
	fclose(file);
	errno = saved;
	return error;
}

/* kallsyms sorts neither aliases nor modules: look at every symbol. */
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
