/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/elf_file.h"

#include "common/files/regular_file.h"
#include "common/formats/build_id_cache.h"
#include "common/log.h"

#include <dlfcn.h>
#include <errno.h>
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

/* Returns whether the file @name exists in the folder whose path is @root,
 * @folder and @below, joined; true if the path is too long to check.
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

/* Returns whether a file exists that may contain the debug data of the file at
 * @path: it has the name @link, or if that is NULL, the name of @path with
 * ".debug".
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

/* Like has_named(), for @path and, if it is a symbolic link, its target.
 * Returns true if @path is NULL or cannot be resolved.
 */
static bool has_any(const char *path, const char *link)
{
	char *real = path ? realpath(path, NULL) : NULL;
	bool has = !real || has_named(real, link) ||
		   (strcmp(real, path) != 0 && has_named(path, link));

	free(real);
	return has;
}

/* Finds the file with a program's debug data: a callback of libdwfl, with the
 * same results as its dwfl_standard_find_debuginfo(). That function, when it
 * finds no file, loads debuginfod's client with curl and 17 other libraries. So
 * it is called only if it will find a file or may query servers.
 */
static int debug_search(Dwfl_Module *module, void **user_data,
			const char *module_name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word link_crc,
			char **found)
{
	bool finds = has_server() || has_any(path, link);

	return (finds ? dwfl_standard_find_debuginfo :
			dwfl_build_id_find_debuginfo)(module, user_data,
						      module_name, base, path,
						      link, link_crc, found);
}

struct elf_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf; /* of the module */
	GElf_Addr bias;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = debug_search,
	.section_address = dwfl_offline_section_address,
};

/* Opens the file @fd as libdwfl's only module. libdwfl owns @fd once it has
 * accepted the file.
 */
static bool open_module(struct elf_file *file, const char *path, int fd)
{
	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl)
		file->module = dwfl_report_offline(file->dwfl, path, path, fd);
	if (!file->module) {
		close(fd);
		return false;
	}
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->elf = dwfl_module_getelf(file->module, &file->bias);
	return file->elf;
}

struct elf_file *elf_file_open(const char *path, const struct log *log)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int fd = file ? regular_file_open(path) : -1;

	if (!file || (fd >= 0 && open_module(file, path, fd)))
		return file;
	log_message(log, LOG_WARNING, path, LOG_NO_OFFSET, "no symbols: %s",
		    fd < 0 ? regular_file_error(errno) : dwfl_errmsg(-1));
	elf_file_close(file);
	return NULL;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	if (file->dwfl)
		dwfl_end(file->dwfl);
	free(file);
}

char *elf_file_debug_path(const char *path)
{
	struct elf_file *file = elf_file_open(path, NULL);
	const char *debug = NULL;
	char *found = NULL;
	GElf_Addr bias;

	if (!file)
		return NULL;
	dwfl_module_getdwarf(file->module, &bias);
	dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, NULL,
			 &debug);
	if (debug && *debug == '/' && strcmp(debug, path))
		found = strdup(debug);
	elf_file_close(file);
	return found;
}

/* The functions of libdebuginfod (elfutils/debuginfod.h). */
struct debuginfod_library {
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *id, int size,
			      char **path);
	void (*end)(void *client);
};

/* Loads the library, as libdwfl does, for the lifetime of the process. */
static bool load_debuginfod(struct debuginfod_library *library)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	void *const found[] = {
		handle ? dlsym(handle, "debuginfod_begin") : NULL,
		handle ? dlsym(handle, "debuginfod_find_debuginfo") : NULL,
		handle ? dlsym(handle, "debuginfod_end") : NULL,
	};

	memcpy(library, found, sizeof(found));
	return found[0] && found[1] && found[2];
}

char *elf_file_query_debug(const struct elf_build_id *id)
{
	struct debuginfod_library library;
	char *path = NULL;
	void *client;
	int fd;

	if (!has_server() || !load_debuginfod(&library))
		return NULL;
	client = library.begin();
	if (!client)
		return NULL;
	fd = library.find_debuginfo(client, id->bytes, (int)id->size, &path);
	if (fd >= 0)
		close(fd);
	library.end(client);
	return fd >= 0 ? path : NULL;
}

Dwfl_Module *elf_file_module(const struct elf_file *file)
{
	return file->module;
}

uint64_t elf_file_bias(const struct elf_file *file)
{
	return file->bias;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t *offset)
{
	size_t count = 0;

	if (elf_getphdrnum(file->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}
