/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_DEBUG_SEARCH_H
#define KT_SYMBOLIZE_DEBUG_SEARCH_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* The environment variable by which a user consents to queries of debuginfod
 * servers, which learn from them what programs the user runs.
 */
#define DEBUG_SEARCH_CONSENT "KTRACE_DEBUGINFOD"

/* Returns whether the user consents: the variable is set, and not to 0. */
bool debug_search_has_consent(void);

/* Finds the file with a program's debug data: a callback of libdwfl, with the
 * same results as its dwfl_standard_find_debuginfo(). That function, when it
 * finds no file, loads debuginfod's client with curl and 17 other libraries: it
 * is called only if it will find a file, or may query servers.
 */
int debug_search(Dwfl_Module *module, void **user_data, const char *module_name,
		 Dwarf_Addr base, const char *path, const char *link,
		 GElf_Word link_crc, char **found);

#endif
