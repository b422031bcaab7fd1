/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_copy.h"

#include "collector/events/rights.h"
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/modules.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/formats/kernel_types.h"
#include "common/log.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <zstd.h>

/* Ranges of code nearer than this share a segment, so that there are fewer
 * segments.
 */
enum { NEAR = 1 << 16, CODE_PAGE = 4096 };

static int add_range(struct array *ranges, uint64_t start, uint64_t end)
{
	struct code_range *last =
		ranges->count ? array_at(ranges, ranges->count - 1) : NULL;

	start -= start % CODE_PAGE;
	end += (CODE_PAGE - end % CODE_PAGE) % CODE_PAGE;
	if (last && start >= last->start && start <= last->end + NEAR) {
		if (end > last->end)
			last->end = end;
		return 0;
	}
	last = array_add(ranges);
	if (!last)
		return -ERROR_MEMORY;
	*last = (struct code_range){ start, end };
	return 0;
}

/* Returns whether @kcore has the last byte of @range. dynamic_code_find()
 * returns an upper bound for the end of a range, so kcore may lack that byte.
 */
static bool is_held(const struct kcore *kcore, const struct code_range *range)
{
	uint8_t byte;

	return range->end > range->start &&
	       !kcore_read(kcore, range->end - 1, &byte, 1);
}

/* Appends the ranges of the kernel's text, of the modules and of other code to
 * @code, sorted by address: on arm64, the text is after the modules.
 */
static int list_code(const struct kernel_copy *copy, const struct kcore *kcore,
		     struct array *code)
{
	const struct module *modules = copy->modules.items;
	int error = dynamic_code_find(&copy->symbols, code);
	struct code_range *items = code->items;
	size_t kept = 0;

	for (size_t i = 0; i < code->count; i++)
		if (is_held(kcore, &items[i]))
			items[kept++] = items[i];
	code->count = kept;
	if (!error)
		error = executable_pages_find(kcore, &copy->symbols, code);
	/* Without page tables, uses only kallsyms and /proc/modules. */
	if (error == -ERROR_NOT_FOUND)
		error = 0;
	for (size_t i = 0; i < copy->modules.count && !error; i++) {
		struct code_range *range = array_add(code);

		if (!range)
			return -ERROR_MEMORY;
		range->start = modules[i].address;
		range->end = modules[i].address + modules[i].size_bytes;
	}
	if (!error)
		error = array_append(code, &copy->text);
	array_sort_by(code, KEYS(RISING(struct code_range, start)));
	return error;
}

static int list_near(const struct kernel_copy *copy, const struct kcore *kcore,
		     struct array *near)
{
	struct array code = ARRAY_OF(struct code_range);
	int error = list_code(copy, kcore, &code);
	const struct code_range *items = code.items;

	for (size_t i = 0; i < code.count && !error; i++)
		error = add_range(near, items[i].start, items[i].end);
	array_free(&code);
	return error;
}

int kernel_ranges_find(const struct kernel_copy *copy,
		       const struct kcore *kcore, struct array *ranges)
{
	struct array near = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = list_near(copy, kcore, &near);

	items = near.items;
	for (size_t i = 0; i < near.count && !error; i++)
		error = items[i].start < copy->text.end &&
					copy->text.start < items[i].end ?
				code_pages_find(kcore, &items[i], ranges) :
				code_pages_find_made(kcore, &items[i], ranges);
	array_free(&near);
	return error;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the size of the vdso's image, all of which is in memory, with its
 * section headers at the end.
 */
static size_t size_of(const uint8_t *image)
{
	const ElfW(Ehdr) *header = (const void *)image;
	const ElfW(Phdr) *segments = (const void *)(image + header->e_phoff);
	size_t size =
		header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (int i = 0; i < header->e_phnum; i++)
		size = larger(size,
			      segments[i].p_offset + segments[i].p_filesz);
	return size;
}

int vdso_copy_make(const struct output_folder *folder, const struct log *log)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	if (!image || memcmp(image, ELFMAG, SELFMAG))
		return 0;
	return output_folder_save(folder, "vdso", image, size_of(image), log);
}

/* Adds the types of @name, vmlinux or a module, to @copy. Returns 0, even if
 * they cannot be read, or -ERROR_MEMORY.
 */
static int add_types(struct byte_buffer *copy, const char *name)
{
	struct kernel_types_entry entry = { .stored_bytes = 0 };
	struct byte_buffer types = { 0 };
	size_t room;
	size_t stored;
	char path[300];
	uint8_t *at;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (strlen(name) >= sizeof(entry.name) ||
	    byte_buffer_file(&types, path) < 0 || !types.size ||
	    types.size > UINT32_MAX) {
		byte_buffer_free(&types);
		return 0;
	}
	strcpy(entry.name, name);
	room = ZSTD_compressBound(types.size);
	at = byte_buffer_reserve(copy, sizeof(entry) + room);
	stored = at ? ZSTD_compress(at + sizeof(entry), room, types.bytes,
				    types.size, 1) :
		      0;
	if (at && !ZSTD_isError(stored)) {
		entry.stored_bytes = (uint32_t)stored;
		entry.size_bytes = (uint32_t)types.size;
		memcpy(at, &entry, sizeof(entry));
		copy->size += sizeof(entry) + stored;
	}
	byte_buffer_free(&types);
	return at ? 0 : -ERROR_MEMORY;
}

int types_copy_make(const struct output_folder *folder, const struct log *log)
{
	struct byte_buffer copy = { 0 };
	DIR *types = opendir("/sys/kernel/btf");
	const struct dirent *file;
	int error = types ? add_types(&copy, "vmlinux") : 0;

	while (types && !error && (file = readdir(types)))
		if (file->d_name[0] != '.' && strcmp(file->d_name, "vmlinux"))
			error = add_types(&copy, file->d_name);
	if (!error && copy.size)
		error = output_folder_save(folder, "types", copy.bytes,
					   copy.size, log);
	if (types)
		closedir(types);
	byte_buffer_free(&copy);
	return error;
}

static int explain(const struct log *log, const char *path, int error)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error));
	return error;
}

/* Logs @error for the file @name of @folder. */
static void explain_file(const struct log *log,
			 const struct output_folder *folder, const char *name,
			 int error)
{
	char path[4096];
	int cause = errno;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	errno = cause;
	explain(log, path, error);
}

/* Logs why /proc/kcore cannot be used. In a container it may be a file without
 * content.
 */
static int explain_kcore(const struct log *log, int error)
{
	struct rights_advice advice;

	if (error == -ERROR_MEMORY ||
	    (error == -ERROR_SYSTEM && errno != EACCES && errno != EPERM))
		return explain(log, "/proc/kcore", error);
	rights_advise(RIGHT_CODE, errno, 0, &advice);
	log_message(log, LOG_ERROR, "/proc/kcore", LOG_NO_OFFSET,
		    "the kernel's code, which decoding needs, may not be read: "
		    "%s: %s",
		    advice.missing, advice.command);
	return error;
}

static int copy_kcore(const struct kernel_copy *copy,
		      const struct output_folder *folder, const struct log *log)
{
	struct array ranges = ARRAY_OF(struct code_range);
	struct kcore kcore;
	int error = kcore_open(&kcore, "/proc/kcore");

	if (error)
		return explain_kcore(log, error);
	error = kernel_ranges_find(copy, &kcore, &ranges);
	if (!error)
		error = kcore_copy(&kcore, folder, "kcore", ranges.items,
				   ranges.count);
	if (error)
		explain_file(log, folder, "kcore", error);
	kcore_close(&kcore);
	array_free(&ranges);
	return error;
}

/* Returns the address of the first of @names that the kernel has. */
static uint64_t first_of(const struct kernel_symbols *symbols,
			 const char *const names[2])
{
	uint64_t address = kernel_symbols_address(symbols, names[0]);

	return address ? address : kernel_symbols_address(symbols, names[1]);
}

static int find_text(struct kernel_copy *copy, const struct log *log)
{
	static const char *const starts[] = { "_stext", "_text" };
	static const char *const references[] = { "_text", "_stext" };
	static const char *const ends[] = { "_etext", "_etext" };
	struct rights_advice advice;

	copy->text.start = first_of(&copy->symbols, starts);
	copy->reference = first_of(&copy->symbols, references);
	copy->text.end = first_of(&copy->symbols, ends);
	if (copy->text.start && copy->text.end > copy->text.start)
		return 0;
	rights_advise(RIGHT_SYMBOLS, 0, 0, &advice);
	log_message(log, LOG_ERROR, "/proc/kallsyms", LOG_NO_OFFSET,
		    "the kernel hides its addresses: %s: %s", advice.missing,
		    advice.command);
	return -ERROR_NOT_FOUND;
}

static int read_text(const char *path, struct byte_buffer *text,
		     const struct log *log)
{
	int error = byte_buffer_file(text, path);

	/* A kernel without modules has no such file. */
	if (error && errno == ENOENT)
		error = 0;
	byte_buffer_zeros(text, 1);
	if (!error && text->failed)
		error = -ERROR_MEMORY;
	return error ? explain(log, path, error) : 0;
}

/* Copies modules and code once. Returns 0; 1 if modules were loaded or removed
 * meanwhile; or a negative enum error.
 */
static int try_copy(struct kernel_copy *copy,
		    const struct output_folder *folder, const struct log *log)
{
	struct byte_buffer before = { 0 };
	struct byte_buffer after = { 0 };
	int error = read_text("/proc/modules", &before, log);

	if (!error)
		error = module_list_parse((const char *)before.bytes,
					  &copy->modules);
	if (!error)
		error = copy_kcore(copy, folder, log);
	if (!error)
		/* Without the NUL that terminates the text in memory. */
		error = output_folder_save(folder, "modules", before.bytes,
					   before.size - 1, log);
	if (!error)
		error = read_text("/proc/modules", &after, log);
	if (!error && (before.size != after.size ||
		       memcmp(before.bytes, after.bytes, after.size)))
		error = 1;
	byte_buffer_free(&before);
	byte_buffer_free(&after);
	return error;
}

int kernel_copy_make(struct kernel_copy *copy,
		     const struct output_folder *folder, const struct log *log)
{
	enum { TRIES = 5 };
	int error = 1;

	*copy = (struct kernel_copy){ .modules = ARRAY_OF(struct module) };
	for (int i = 0; i < TRIES && error == 1; i++) {
		kernel_copy_free(copy);
		error = kernel_symbols_read(&copy->symbols, "/proc/kallsyms");
		if (error)
			return explain(log, "/proc/kallsyms", error);
		error = find_text(copy, log);
		if (!error)
			error = try_copy(copy, folder, log);
	}
	if (error >= 0)
		error = output_folder_save(folder, "kallsyms",
					   copy->symbols.text.bytes,
					   copy->symbols.text.size, log);
	return error;
}

static int read_modules(struct kernel_copy *copy, const char *folder,
			const struct log *log)
{
	struct byte_buffer text = { 0 };
	char path[4096];
	int error;

	snprintf(path, sizeof(path), "%s/modules", folder);
	error = read_text(path, &text, log);
	if (!error)
		error = module_list_parse((const char *)text.bytes,
					  &copy->modules);
	byte_buffer_free(&text);
	return error;
}

int kernel_copy_read(struct kernel_copy *copy, const char *folder,
		     const struct log *log)
{
	char path[4096];
	int error;

	*copy = (struct kernel_copy){ .modules = ARRAY_OF(struct module) };
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	error = kernel_symbols_read(&copy->symbols, path);
	if (error)
		return explain(log, path, error);
	error = find_text(copy, log);
	return error ? error : read_modules(copy, folder, log);
}

void kernel_copy_free(struct kernel_copy *copy)
{
	kernel_symbols_free(&copy->symbols);
	array_free(&copy->modules);
}
