/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_ranges.h"
#include "collector/kernel_code/module_list.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int explain(const struct log *log, const char *path, int error)
{
	bool denied = error == -ERROR_SYSTEM &&
		      (errno == EACCES || errno == EPERM);

	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s%s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error),
		    denied ? ": the kernel's code is needed to decode its "
			     "trace; record as root" :
			     "");
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

static int copy_kcore(const struct kernel_copy *copy,
		      const struct output_folder *folder, const struct log *log)
{
	struct array ranges = ARRAY_OF(struct code_range);
	struct kcore kcore;
	int error = kcore_open(&kcore, "/proc/kcore");

	if (error)
		return explain(log, "/proc/kcore", error);
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

	copy->text.start = first_of(&copy->symbols, starts);
	copy->reference = first_of(&copy->symbols, references);
	copy->text.end = first_of(&copy->symbols, ends);
	if (copy->text.start && copy->text.end > copy->text.start)
		return 0;
	log_message(log, LOG_ERROR, "/proc/kallsyms", LOG_NO_OFFSET,
		    "the kernel hides its addresses: record as root with "
		    "`sysctl kernel.kptr_restrict=0`");
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

/* Copies once. Returns 1 if modules were loaded or removed meanwhile. */
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
