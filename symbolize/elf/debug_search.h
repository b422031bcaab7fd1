/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_DEBUG_SEARCH_H
#define KT_SYMBOLIZE_DEBUG_SEARCH_H

#include <elfutils/libdwfl.h>

/* Finds the file with a program's debug data: a callback of libdwfl, with the
 * same results as its dwfl_standard_find_debuginfo(). That function, when it
 * finds no file, loads debuginfod's client with curl and 17 other libraries,
 * only to find that no server is configured.
 */
int debug_search(Dwfl_Module *module, void **user_data, const char *module_name,
		 Dwarf_Addr base, const char *path, const char *link,
		 GElf_Word link_crc, char **found);

#endif
