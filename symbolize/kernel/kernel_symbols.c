/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_symbols.h"

#include "common/error.h"
#include "common/kallsyms.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/same_names.h"
#include "symbolize/kernel/module_map.h"

#include <string.h>

/* Which of two names for one address wins. */
enum {
	RANK_MARK,	/* of a section */
	RANK_ANNOUNCED, /* kallsyms has more to say */
	RANK_KALLSYMS,
	RANK_ROLE, /* a thunk is one by any name */
};

static bool is_code(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

/* Absolute symbols are offsets into per-CPU data, not addresses. */
static bool is_offset(char type)
{
	return type == 'A' || type == 'a';
}

/* Arm's "$x", "$d" … tell code from data (ELF for the Arm architecture). */
static bool is_mapping(const struct kallsyms_line *line)
{
	return line->name_length && line->name[0] == '$';
}

static unsigned int rank_of(const struct kallsyms_line *line, uint8_t role)
{
	if (role != CODE_FUNCTION)
		return RANK_ROLE;
	return function_name_is_mark(line->name, line->name_length) ?
		       RANK_MARK :
		       RANK_KALLSYMS;
}

/* Code that the kernel writes as it runs lies elsewhere each time, often the
 * same code several times: BPF programs, ftrace's and kprobes' trampolines.
 */
static bool is_generated(const struct kallsyms_line *line)
{
	static const char builtin[] = "__builtin__";
	size_t length = sizeof(builtin) - 1;

	return (line->module_length == 3 && !memcmp(line->module, "bpf", 3)) ||
	       (line->module_length > length &&
		!memcmp(line->module, builtin, length));
}

/* Returns the number of the function whose entry or piece @line is. */
static uint32_t function_of(const struct kernel_symbols *kernel,
			    const struct kallsyms_line *line,
			    const char *module, const struct symbol *symbol)
{
	const char *name = line->name;
	size_t length = line->name_length;
	uint32_t function;

	if (symbol->padding) {
		size_t padding = function_name_padding(name, length);

		return function_table_add(kernel->functions, name + padding,
					  length - padding, module, 'k');
	}
	if (!symbol->is_cold && !is_generated(line))
		return function_table_add_entry(kernel->functions, name, length,
						module, 'k', line->address);
	function = function_table_add(kernel->functions, name, length, module,
				      'k');
	if (function != FUNCTION_NONE && !symbol->is_cold)
		function_table_locate(kernel->functions, function,
				      line->address);
	return function;
}

static int add_code(const struct kernel_symbols *kernel,
		    const struct name_lookup *roles,
		    const struct kallsyms_line *line)
{
	struct symbol symbol = {
		.start = line->address,
		.padding = function_name_padding(line->name,
						 line->name_length) > 0,
		.is_cold = function_name_is_cold(line->name, line->name_length),
	};
	const char *module = function_table_module(
		kernel->functions, line->module, line->module_length);

	if (!module)
		return -ERROR_MEMORY;
	symbol.function = function_of(kernel, line, module, &symbol);
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	if (!symbol.padding)
		symbol.role = (uint8_t)arch_role(kernel->arch, roles,
						 line->name, line->name_length);
	return address_map_add(kernel->map, &symbol,
			       rank_of(line, symbol.role));
}

/* What there is room for need not be looked for: x86-64's kernel has 44 bytes a
 * line, 67 a function.
 */
static int reserve(const struct kernel_symbols *kernel, size_t size)
{
	int status = address_map_reserve(kernel->map, size / 40);

	return status ? status :
			function_table_reserve(kernel->functions, size / 64);
}

/* Functions end where data begins.  Of the kernel's own, which come in order, the
 * rest tells nothing more until there is code again.
 */
static int add_data(const struct kernel_symbols *kernel,
		    const struct kallsyms_line *line, uint64_t *data)
{
	uint64_t before = *data;

	*data = line->module_length ? 0 : line->address;
	if (before && before <= *data)
		return 0;
	return address_map_stop(kernel->map, line->address);
}

int kernel_symbols_add_kallsyms(const struct kernel_symbols *kernel,
				const char *text, size_t size)
{
	const struct name_lookup roles =
		name_lookup_of(kernel->arch->roles, kernel->arch->role_count);
	struct kallsyms kallsyms = kallsyms_of(text, size);
	struct kallsyms_line line;
	uint64_t data = 0; /* of the kernel's own: the line before is such */
	int status = reserve(kernel, size);

	while (!status && kallsyms_next(&kallsyms, &line) > 0) {
		/* kptr_restrict shows every address as zero. */
		if (!line.address || is_offset(line.type) ||
		    is_mapping(&line) ||
		    function_name_is_label(line.name, line.name_length))
			continue;
		if (!is_code(line.type)) {
			status = add_data(kernel, &line, &data);
			continue;
		}
		status = add_code(kernel, &roles, &line);
		data = 0;
	}
	return status;
}

int kernel_symbols_add_modules(const struct kernel_symbols *kernel,
			       const char *text, size_t size)
{
	struct module_map modules = module_map_of(text, size);
	struct module_line line;
	int status = 0;

	while (!status && module_map_next(&modules, &line) > 0) {
		status = address_map_stop(kernel->map, line.address);
		if (!status)
			status = address_map_stop(
				kernel->map, line.address + line.size_bytes);
	}
	return status;
}

int kernel_symbols_add_named(const struct kernel_symbols *kernel,
			     uint64_t address, uint64_t size_bytes,
			     const char *name)
{
	const char *module = function_table_module(kernel->functions, "", 0);
	struct symbol symbol = {
		.start = address,
		.end = address + size_bytes,
	};

	symbol.function = function_table_add(kernel->functions, name,
					     strlen(name), module, 'k');
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	function_table_locate(kernel->functions, symbol.function, address);
	return address_map_add(kernel->map, &symbol, RANK_ANNOUNCED);
}

int kernel_symbols_finish(const struct kernel_symbols *kernel)
{
	int status = address_map_finish(kernel->map);

	return status ? status :
			same_names_tell_apart(kernel->functions, kernel->map);
}

bool kernel_symbols_usable(const struct kernel_symbols *kernel)
{
	return function_count(kernel->functions) > 1;
}
