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

#define SERVERS "DEBUGINFOD_URLS"

bool debug_search_has_consent(void)
{
	const char *consent = getenv(DEBUG_SEARCH_CONSENT);

	return consent && *consent && strcmp(consent, "0") != 0;
}

static bool has_server(void)
{
	const char *urls = getenv(SERVERS);

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

struct elf_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf; /* of the module */
	GElf_Addr bias;
	const struct log *log;
};

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

/* Reports why the servers sent no debug data of @path. Servers that cannot be
 * reached are not queried again: each query might wait for long.
 */
static void report_no_answer(const char *path, int error, const struct log *log)
{
	if (error == ENOENT) {
		log_message(log, LOG_NOTE, path, LOG_NO_OFFSET,
			    "no server has its debug data, or sent all of it");
		return;
	}
	log_message(log, LOG_NOTE, path, LOG_NO_OFFSET,
		    "no debug data from %s, which is not queried again: %s",
		    getenv(SERVERS), strerror(error));
	unsetenv(SERVERS);
}

/* Returns whether the file @fd at @path is an ELF file with the build id @id,
 * up to the table of its sections, which is at its end.
 */
static bool is_whole(int fd, const char *path, const struct elf_build_id *id)
{
	struct elf_build_id found = elf_build_id_of_file(path);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t sections = 0;
	bool is_readable = elf && !elf_getshdrnum(elf, &sections) && sections;

	elf_end(elf);
	return is_readable && elf_build_id_is(&found, id);
}

/* Opens the debug data of the file @path with the build id @id from the servers,
 * or from the cache of their client, and sets *@found to its path, which the
 * caller frees. Returns -1 if there is none.
 */
static int query(const char *path, const struct elf_build_id *id, char **found,
		 const struct log *log)
{
	struct debuginfod_library library;
	void *client;
	int fd;

	if (!has_server() || !id->size || !load_debuginfod(&library))
		return -1;
	client = library.begin();
	if (!client)
		return -1;
	fd = library.find_debuginfo(client, id->bytes, (int)id->size, found);
	library.end(client);
	if (fd < 0) {
		report_no_answer(path, -fd, log);
		return -1;
	}
	if (is_whole(fd, *found, id))
		return fd;
	log_message(log, LOG_NOTE, path, LOG_NO_OFFSET,
		    "a server sent debug data of another file, or damaged data "
		    "(%s)",
		    *found);
	close(fd);
	free(*found);
	*found = NULL;
	return -1;
}

char *elf_file_query_debug(const struct elf_build_id *id)
{
	char *path = NULL;
	int fd = query("the kernel", id, &path, NULL);

	if (fd >= 0)
		close(fd);
	return path;
}

static struct elf_build_id id_of(Dwfl_Module *module)
{
	struct elf_build_id id = { 0 };
	const unsigned char *bytes;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &bytes, &address);

	if (size > 0 && (size_t)size <= sizeof(id.bytes)) {
		id.size = (uint8_t)size;
		memcpy(id.bytes, bytes, (size_t)size);
	}
	return id;
}

/* Finds the file with a program's debug data: a callback of libdwfl, with the
 * same results as its dwfl_standard_find_debuginfo(). That function, when it
 * finds no file, loads debuginfod's client with curl and 17 other libraries, and
 * neither reports nor checks what servers send. So it is called only if it
 * may find a file.
 */
static int debug_search(Dwfl_Module *module, void **user_data,
			const char *module_name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word link_crc,
			char **found)
{
	const struct elf_file *file = *user_data;
	struct elf_build_id id = id_of(module);
	int fd = (has_any(path, link) ?
			  dwfl_standard_find_debuginfo :
			  dwfl_build_id_find_debuginfo)(module, user_data,
							module_name, base, path,
							link, link_crc, found);

	return fd >= 0 || *found || !file ?
		       fd :
		       query(path ? path : module_name, &id, found, file->log);
}

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
	void **user_data;

	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl)
		file->module = dwfl_report_offline(file->dwfl, path, path, fd);
	if (!file->module) {
		close(fd);
		return false;
	}
	dwfl_module_info(file->module, &user_data, NULL, NULL, NULL, NULL, NULL,
			 NULL);
	*user_data = file;
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->elf = dwfl_module_getelf(file->module, &file->bias);
	return file->elf;
}

struct elf_file *elf_file_open(const char *path, const struct log *log)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int fd = file ? regular_file_open(path) : -1;

	if (file)
		file->log = log;
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
