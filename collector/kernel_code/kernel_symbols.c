/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kernel_symbols_read(struct kernel_symbols *symbols, const char *path)
{
	int error;

	*symbols = (struct kernel_symbols){ 0 };
	error = byte_buffer_file(&symbols->text, path);
	byte_buffer_zeros(&symbols->text, 1);
	return !error && symbols->text.failed ? -ERROR_MEMORY : error;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	byte_buffer_free(&symbols->text);
}

/* A line is "<address> <type> <name>", then "\t[<module>]" if it is one's.
 * Returns where the next one begins, or NULL if @line is none.
 */
static const char *parse_line(const char *line, struct kernel_symbol *symbol)
{
	const char *module;
	char *at;

	symbol->address = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return NULL;
	symbol->type = at[1];
	symbol->name = at + 3;
	symbol->name_length = (unsigned int)strcspn(symbol->name, "\t\n ");
	module = symbol->name + symbol->name_length;
	module += strspn(module, "\t ");
	symbol->module = *module == '[' ? module + 1 : NULL;
	symbol->module_length =
		symbol->module ? (unsigned int)strcspn(symbol->module, "]\n") :
				 0;
	module += strcspn(module, "\n");
	return module + (*module == '\n');
}

int kernel_symbols_next(const struct kernel_symbols *symbols, size_t *place,
			struct kernel_symbol *symbol)
{
	const char *line = (const char *)symbols->text.bytes + *place;
	const char *next;

	if (*place >= symbols->text.size || !*line)
		return 0;
	next = parse_line(line, symbol);
	if (!next)
		return 0;
	*place += (size_t)(next - line);
	return 1;
}

static bool is_called(const struct kernel_symbol *symbol, const char *name)
{
	return strlen(name) == symbol->name_length &&
	       !memcmp(symbol->name, name, symbol->name_length);
}

uint64_t kernel_symbols_address(const struct kernel_symbols *symbols,
				const char *name)
{
	struct kernel_symbol symbol;
	size_t place = 0;

	while (kernel_symbols_next(symbols, &place, &symbol))
		if (!symbol.module && is_called(&symbol, name))
			return symbol.address;
	return 0;
}

/* Returns the place of the kernel's symbol that @line is in @names, of which
 * only the first @count matter; @count if it is none of these.
 */
static size_t place_among(const char *line, const char *const *names,
			  size_t count, uint64_t *address)
{
	struct kernel_symbol symbol;
	size_t place = 0;

	if (!parse_line(line, &symbol) || symbol.module)
		return count;
	while (place < count && !is_called(&symbol, names[place]))
		place++;
	if (place < count)
		*address = symbol.address;
	return place;
}

int kernel_symbols_search(const char *path, const char *const *names,
			  uint64_t *address)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t count = 0;
	size_t room = 0;
	int error = 0;

	*address = 0;
	if (!file)
		return -ERROR_SYSTEM;
	while (names[count])
		count++;
	while (count && getline(&line, &room, file) > 0)
		count = place_among(line, names, count, address);
	if (count && !feof(file))
		error = -ERROR_SYSTEM;

	int saved = errno;

	free(line);
	fclose(file);
	errno = saved;
	return error;
}

static bool is_function(const struct kernel_symbol *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* kallsyms sorts neither aliases nor modules: look at every symbol. */
static uint64_t next_function(const struct kernel_symbols *symbols,
			      uint64_t address)
{
	struct kernel_symbol symbol;
	uint64_t next = 0;
	size_t place = 0;

	while (kernel_symbols_next(symbols, &place, &symbol))
		if (is_function(&symbol) && symbol.address > address &&
		    (!next || symbol.address < next))
			next = symbol.address;
	return next;
}

int kernel_symbols_function(const struct kernel_symbols *symbols,
			    const char *name, uint64_t *address, uint64_t *size)
{
	struct kernel_symbol symbol;
	size_t place = 0;

	while (kernel_symbols_next(symbols, &place, &symbol)) {
		uint64_t next;

		if (!is_function(&symbol) || !is_called(&symbol, name) ||
		    !symbol.address)
			continue;
		next = next_function(symbols, symbol.address);
		*address = symbol.address;
		*size = next ? next - symbol.address : 1;
		return 0;
	}
	return -ERROR_NOT_FOUND;
}
