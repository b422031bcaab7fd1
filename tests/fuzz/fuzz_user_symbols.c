/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "symbolize/elf/called_functions.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/elf/inlined_ranges.h"
#include "symbolize/elf/unwind_functions.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The symbols and inlined calls of a user program's file. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	struct array ranges = ARRAY_OF(struct inlined_range);
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (functions && map && fd >= 0 &&
	    write(fd, bytes, size) == (ssize_t)size &&
	    !elf_symbols_add(path, functions, map, NULL) &&
	    !address_map_finish(map) &&
	    !same_names_tell_apart(functions, map) &&
	    !unwind_functions_add(
		    path, function_table_module(functions, path, strlen(path)),
		    functions, map) &&
	    !called_functions_add(
		    path, function_table_module(functions, path, strlen(path)),
		    functions, map) &&
	    !inlined_ranges_add(
		    path, function_table_module(functions, path, strlen(path)),
		    functions, &ranges))
		address_map_find(map, 0x1000);
	if (fd >= 0)
		close(fd);
	array_free(&ranges);
	address_map_free(map);
	function_table_free(functions);
	return 0;
}
