/* SPDX-License-Identifier: MIT */
#include "decoder/recording/program_files_internal.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/build_id_cache.h"
#include "common/formats/perf_data.h"
#include "common/formats/program_key.h"
#include "common/log.h"
#include "common/maps.h"
#include "common/memory.h"
#include "decoder/recording/record_parse_internal.h"

#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cached_program {
	struct program_key key;
	char *path;
};

struct cached_programs {
	struct array files; /* struct cached_program, by key */
};

/* Returns a text with the path @folder/@name, NULL if it is too long or when
 * out of memory.
 */
static char *join(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return length < 0 || (size_t)length >= sizeof(path) ? NULL :
							      strdup(path);
}

static bool is_file(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISREG(stat.st_mode);
}

static bool is_folder(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISDIR(stat.st_mode);
}

/* Returns the path of the first regular file in @folder, or NULL. */
static char *first_file(const char *folder)
{
	DIR *listing = opendir(folder);
	char *found = NULL;
	struct dirent *entry;

	while (listing && !found && (entry = readdir(listing))) {
		found = join(folder, entry->d_name);
		if (found && !is_file(found)) {
			free(found);
			found = NULL;
		}
	}
	if (listing)
		closedir(listing);
	return found;
}

/* Adds the file in the folder @key of @root. Returns 0, even if there is none,
 * or -ERROR_MEMORY.
 */
static int add(struct cached_programs *programs, const char *root,
	       const char *key)
{
	struct cached_program program = { .path = NULL };
	char *folder;
	int status = 0;

	if (*key == '.' || strlen(key) >= sizeof(program.key.text))
		return 0;
	strcpy(program.key.text, key);
	folder = join(root, key);
	if (folder && is_folder(folder))
		program.path = first_file(folder);
	if (program.path)
		status = array_append(&programs->files, &program);
	if (status)
		free(program.path);
	free(folder);
	return status;
}

static int compare_key(const void *a, const void *b)
{
	const struct cached_program *x = a;
	const struct cached_program *y = b;

	return strcmp(x->key.text, y->key.text);
}

static int list(struct cached_programs *programs, const char *root)
{
	DIR *listing = opendir(root);
	struct dirent *entry;
	int status = 0;

	while (listing && !status &&
	       programs->files.count < BUDGET_KEPT_PROGRAMS &&
	       (entry = readdir(listing)))
		status = add(programs, root, entry->d_name);
	if (listing)
		closedir(listing);
	array_sort(&programs->files, compare_key);
	return status;
}

struct cached_programs *cached_programs_new(const char *recording)
{
	struct cached_programs *programs = calloc(1, sizeof(*programs));
	char *root = join(recording, "programs");
	char absolute[PATH_MAX];
	int status = 0;

	if (programs)
		programs->files = ARRAY_OF(struct cached_program);
	if (programs && root && is_folder(root) && realpath(root, absolute))
		status = list(programs, absolute);
	free(root);
	if (!status)
		return programs;
	cached_programs_free(programs);
	return NULL;
}

void cached_programs_free(struct cached_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->files.count; i++) {
		struct cached_program *program = array_at(&programs->files, i);

		free(program->path);
	}
	array_free(&programs->files);
	free(programs);
}

const char *cached_programs_find(const struct cached_programs *programs,
				 const struct sideband_mmap *map)
{
	struct cached_program wanted = { .path = NULL };
	const struct cached_program *found;

	if (!programs->files.count)
		return NULL;
	if (map->build_id)
		wanted.key =
			program_key_of_id(map->build_id, map->build_id_size);
	else if (map->inode)
		wanted.key = program_key_of_inode(map->inode);
	found = bsearch(&wanted, programs->files.items, programs->files.count,
			sizeof(wanted), compare_key);
	return found ? found->path : NULL;
}

/* A file name of the traced machine, or of this machine for is_logged. */
struct program {
	/* build ID of that name in perf's header */
	struct elf_build_id recorded;
	bool is_logged; /* a mismatch was logged */
};

struct program_ids {
	pthread_mutex_t lock; /* protects the following fields */
	struct string_pool *names;
	struct array programs; /* struct program, by the number of its name */
	struct build_id_cache *found; /* of local files */
};

struct program_ids *program_ids_new(void)
{
	struct program_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	pthread_mutex_init(&ids->lock, NULL);
	ids->programs = ARRAY_OF(struct program);
	ids->names = string_pool_new();
	ids->found = build_id_cache_new();
	if (ids->names && ids->found)
		return ids;
	program_ids_free(ids);
	return NULL;
}

void program_ids_free(struct program_ids *ids)
{
	if (!ids)
		return;
	string_pool_free(ids->names);
	build_id_cache_free(ids->found);
	array_free(&ids->programs);
	pthread_mutex_destroy(&ids->lock);
	free(ids);
}

/* Returns the program named @name; NULL when out of memory. */
static struct program *program_of(struct program_ids *ids, const char *name)
{
	uint32_t number = string_pool_add(ids->names, name, strlen(name));

	return number == STRING_POOL_NONE ? NULL :
					    array_reach(&ids->programs, number);
}

/* Parses one entry after its record's head: the process that it was seen in,
 * the ID in 24 bytes with its size in the byte after the first 20, and the
 * file's name.
 */
static int add_entry(struct program_ids *ids, uint16_t misc,
		     const uint8_t *bytes, size_t size)
{
	struct byte_reader entry = byte_reader_of(bytes, size);
	struct elf_build_id id = { .size = ELF_BUILD_ID_SIZE };
	const uint8_t *id_bytes;
	struct program *program;
	const char *name;

	byte_reader_u32(&entry);
	id_bytes = byte_reader_bytes(&entry, 24);
	name = byte_reader_text(&entry);
	if (entry.failed)
		return 0;
	if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE &&
	    id_bytes[20] <= ELF_BUILD_ID_SIZE)
		id.size = id_bytes[20];
	memcpy(id.bytes, id_bytes, id.size);
	program = program_of(ids, name);
	if (!program)
		return -ERROR_MEMORY;
	program->recorded = id;
	return 0;
}

int program_ids_add_table(struct program_ids *ids, const uint8_t *bytes,
			  size_t size)
{
	enum { HEAD = 8 };
	struct byte_reader table = byte_reader_of(bytes, size);
	int status = 0;

	while (!status && byte_reader_left(&table) >= HEAD) {
		uint16_t misc;
		uint16_t record_size;
		const uint8_t *entry;

		byte_reader_u32(&table);
		misc = byte_reader_u16(&table);
		record_size = byte_reader_u16(&table);
		entry = record_size < HEAD ?
				NULL :
				byte_reader_bytes(&table, record_size - HEAD);
		if (!entry)
			break;
		status = add_entry(ids, misc, entry, record_size - HEAD);
	}
	return status;
}

static struct elf_build_id id_of_map(struct program_ids *ids,
				     const struct sideband_mmap *map)
{
	const struct program *program;
	struct elf_build_id id = { 0 };

	if (map->build_id_size && map->build_id_size <= ELF_BUILD_ID_SIZE) {
		id.size = map->build_id_size;
		memcpy(id.bytes, map->build_id, id.size);
		return id;
	}
	program = program_of(ids, map->path);
	return program ? program->recorded : id;
}

static const char *text_of(const struct elf_build_id *id,
			   char text[2 * ELF_BUILD_ID_SIZE + 1])
{
	for (size_t i = 0; i < id->size; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
	return text;
}

static void log_mismatch(struct program_ids *ids, const char *path,
			 const struct elf_build_id *found,
			 const struct elf_build_id *recorded,
			 const struct log *log)
{
	struct program *program = program_of(ids, path);
	char now[2 * ELF_BUILD_ID_SIZE + 1];
	char then[2 * ELF_BUILD_ID_SIZE + 1];

	if (!program || program->is_logged)
		return;
	program->is_logged = true;
	log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
		    "not the file that was recorded (its build id is "
		    "%s, then %s): its code and names are left out; "
		    "name a folder with the right one by --symfs, or "
		    "archive recordings before programs change",
		    text_of(found, now), text_of(recorded, then));
}

/* Implements program_ids_fit(); the lock must be held. */
static bool fits(struct program_ids *ids, const struct sideband_mmap *map,
		 const char *path, const struct log *log)
{
	const struct elf_build_id recorded = id_of_map(ids, map);
	struct elf_build_id found;

	if (!recorded.size)
		return true;
	found = build_id_cache_of(ids->found, path);
	if (!found.size || elf_build_id_is(&found, &recorded))
		return true;
	log_mismatch(ids, path, &found, &recorded, log);
	return false;
}

bool program_ids_fit(struct program_ids *ids, const struct sideband_mmap *map,
		     const char *path, const struct log *log)
{
	bool is_fitting;

	pthread_mutex_lock(&ids->lock);
	is_fitting = fits(ids, map, path, log);
	pthread_mutex_unlock(&ids->lock);
	return is_fitting;
}

struct elf_build_id program_ids_recorded(struct program_ids *ids,
					 const char *name)
{
	struct elf_build_id id = { 0 };
	const struct program *program;

	pthread_mutex_lock(&ids->lock);
	program = program_of(ids, name);
	if (program)
		id = program->recorded;
	pthread_mutex_unlock(&ids->lock);
	return id;
}

const char *program_ids_find_cached(struct program_ids *ids,
				    const struct sideband_mmap *map,
				    struct arena *arena)
{
	const char *home = getenv("HOME");
	char text[2 * ELF_BUILD_ID_SIZE + 1] = "";
	char path[PATH_MAX];
	struct elf_build_id id;
	int length;

	pthread_mutex_lock(&ids->lock);
	id = id_of_map(ids, map);
	pthread_mutex_unlock(&ids->lock);
	text_of(&id, text);
	length = snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/elf",
			  home ? home : "", text, text + 2 * !!id.size);
	if (!home || !id.size || length < 0 || (size_t)length >= sizeof(path) ||
	    access(path, R_OK))
		return "";
	return arena_text(arena, path, (size_t)length);
}
