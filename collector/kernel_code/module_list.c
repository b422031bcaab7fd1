/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/module_list.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct module *x = a;
	const struct module *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* "name size users dependencies state address [taints]" */
static int parse_line(const char *line, struct module *module)
{
	return sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64,
		      module->name, &module->size_bytes,
		      &module->address) == 3 &&
	       module->address;
}

int module_list_parse(const char *text, struct array *modules)
{
	while (*text) {
		struct module module;

		if (parse_line(text, &module) &&
		    array_append(modules, &module) < 0)
			return -ERROR_MEMORY;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	array_sort(modules, compare);
	return 0;
}

int module_list_read(struct array *modules)
{
	struct byte_buffer text = { 0 };
	int error = byte_buffer_file(&text, "/proc/modules");

	if (error && errno == ENOENT)
		error = 0;
	byte_buffer_zeros(&text, 1);
	if (!error && text.failed)
		error = -ERROR_MEMORY;
	if (!error)
		error = module_list_parse((const char *)text.bytes, modules);
	byte_buffer_free(&text);
	return error;
}
