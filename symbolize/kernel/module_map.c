/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/module_map.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct module_map module_map_of(const char *text, size_t size)
{
	return (struct module_map){ .text = text, .end = text + size };
}

/* "name size references users state address", see m_show() in
 * kernel/module/procfs.c.
 */
static bool read_line(const char *text, size_t length, struct module_line *line)
{
	char copy[512];
	const char *blank = memchr(text, ' ', length);
	unsigned long long size;
	unsigned long long address;

	if (!blank || length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (sscanf(copy, "%*s %llu %*s %*s %*s 0x%llx", &size, &address) != 2)
		return false;
	line->name = text;
	line->name_length = (size_t)(blank - text);
	line->address = address;
	line->size_bytes = size;
	return address != 0;
}

int module_map_next(struct module_map *map, struct module_line *line)
{
	while (map->text < map->end) {
		const char *at = map->text;
		size_t left = (size_t)(map->end - at);
		const char *end = memchr(at, '\n', left);

		if (!end)
			end = map->end;
		map->text = end + (end < map->end);
		if (read_line(at, (size_t)(end - at), line))
			return 1;
	}
	return 0;
}
