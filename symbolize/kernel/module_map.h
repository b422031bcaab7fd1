/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_MODULE_MAP_H
#define KT_SYMBOLIZE_MODULE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* One line of /proc/modules: the location of a module's code. */
struct module_line {
	const char *name; /* not NUL-terminated; part of the caller's text */
	size_t name_length;
	uint64_t address;
	uint64_t size_bytes;
};

/* An iterator over the text of /proc/modules. */
struct module_map {
	const char *text; /* borrowed */
	const char *end;
};

struct module_map module_map_of(const char *text, size_t size);

/* Returns 1 and sets @line, or returns 0 at the end. Skips invalid lines. */
int module_map_next(struct module_map *map, struct module_line *line);

#endif
