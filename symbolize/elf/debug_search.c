/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/debug_search.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool debug_search_has_consent(void)
{
	const char *consent = getenv(DEBUG_SEARCH_CONSENT);

	return consent && *consent && strcmp(consent, "0") != 0;
}

static bool has_server(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && debug_search_has_consent();
}

/* Returns whether the file @name exists in the folder @root, @folder, @below;
 * true if the path is too long to check.
 */
static bool is_in(const char *root, const char *folder, const char *below,
		  const char *name)
{
	char path[PATH_MAX];
	int size = snprintf(path, sizeof(path), "%s%s%s%s", root, folder, below,
			    name);

	return size < 0 || (size_t)size >= sizeof(path) ||
	       access(path, F_OK) == 0;
}

/* Returns whether @name exists where libdwfl searches the debug data of a
 * program in @folder, which ends with a slash: there, in .debug, and below
 * /usr/lib/debug in a folder of that path or of a suffix of it (libdwfl.h,
 * debuginfo_path).
 */
static bool is_found(const char *folder, const char *name)
{
	if (is_in("", folder, "", name) || is_in("", folder, ".debug/", name))
		return true;
	for (const char *end = strchr(folder, '/'); end;
	     end = strchr(end + 1, '/'))
		if (is_in("/usr/lib/debug", end, "", name))
			return true;
	return false;
}

/* Returns whether there is a file that may have the debug data of the file at
 * @path, by its name or by the name in its @link (may be NULL).
 */
static bool has_named(const char *path, const char *link)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : NULL;
	char own[NAME_MAX + sizeof(".debug")] = "";
	bool has;

	if (folder)
		snprintf(own, sizeof(own), "%s.debug", slash + 1);
	has = !folder || is_found(folder, link ? link : own);
	free(folder);
	return has;
}

/* If @path is a symbolic link, also checks its target. */
static bool has_any(const char *path, const char *link)
{
	char *real = path ? realpath(path, NULL) : NULL;
	bool has = !real || has_named(real, link) ||
		   (strcmp(real, path) != 0 && has_named(path, link));

	free(real);
	return has;
}

int debug_search(Dwfl_Module *module, void **user_data, const char *module_name,
		 Dwarf_Addr base, const char *path, const char *link,
		 GElf_Word link_crc, char **found)
{
	bool finds = has_server() || has_any(path, link);

	return (finds ? dwfl_standard_find_debuginfo :
			dwfl_build_id_find_debuginfo)(module, user_data,
						      module_name, base, path,
						      link, link_crc, found);
}
