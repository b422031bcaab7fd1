/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/address_filter.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"
#include "common/log.h"
#include "common/name_choice.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses "address/size" or "first-end". */
static int parse_range(const char *text, uint64_t *address, uint64_t *size)
{
	char *end;
	char sign;

	*address = strtoull(text, &end, 0);
	sign = *end;
	if (end == text || (sign != '/' && sign != '-'))
		return -ERROR_FORMAT;
	text = end + 1;
	*size = strtoull(text, &end, 0);
	if (end == text || *end)
		return -ERROR_FORMAT;
	if (sign == '-')
		*size = *size > *address ? *size - *address : 0;
	return *size ? 0 : -ERROR_FORMAT;
}

static int fits(const struct kallsyms_line *symbol, const char *name,
		size_t length)
{
	return symbol->address && symbol->name_length == length &&
	       !memcmp(symbol->name, name, length);
}

static int parse_function(const char *text,
			  const struct kernel_symbols *symbols,
			  const struct log *log, uint64_t *address,
			  uint64_t *size)
{
	struct kernel_functions functions = { .count = 0 };
	struct placed_name name;
	char list[256];

	if (placed_name_read(text, strlen(text), &name))
		functions = kernel_functions_find(symbols, &name, fits);
	*address = functions.kept[0].address;
	if (functions.count == 1) {
		*size = kernel_symbols_size(symbols, *address);
		return 0;
	}
	kernel_functions_list(symbols, &functions, list, sizeof(list));
	if (functions.count)
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "filter '%s': the kernel has %zu functions of that "
			    "name: give one of %s",
			    text, functions.count, list);
	else
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "filter '%s': the kernel has no such function",
			    text);
	return -ERROR_NOT_FOUND;
}

static int parse_one(const char *text, const struct kernel_symbols *symbols,
		     const struct log *log, struct byte_buffer *filter)
{
	uint64_t address;
	uint64_t size;
	char part[80];
	int error;

	if (isdigit((unsigned char)*text)) {
		error = parse_range(text, &address, &size);
		if (error)
			log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
				    "filter '%s' is neither ADDRESS/SIZE nor "
				    "FIRST-END",
				    text);
	} else {
		error = parse_function(text, symbols, log, &address, &size);
	}
	if (error)
		return error;
	snprintf(part, sizeof(part), "%sfilter 0x%" PRIx64 "/0x%" PRIx64,
		 filter->size ? "," : "", address, size);
	byte_buffer_add(filter, part, strlen(part));
	return 0;
}

int address_filter_parse(const char *text, const struct kernel_symbols *symbols,
			 unsigned int limit, const struct log *log,
			 struct byte_buffer *filter)
{
	char *copy = strdup(text);
	char *rest = copy;
	unsigned int count = 0;
	int error = copy ? 0 : -ERROR_MEMORY;
	const char *one;

	while (!error && (one = strsep(&rest, ","))) {
		if (++count > limit) {
			log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
				    "the trace unit supports at most %u "
				    "address ranges",
				    limit);
			error = -ERROR_UNSUPPORTED;
			break;
		}
		error = parse_one(one, symbols, log, filter);
	}
	free(copy);
	byte_buffer_zeros(filter, 1);
	return !error && filter->failed ? -ERROR_MEMORY : error;
}
