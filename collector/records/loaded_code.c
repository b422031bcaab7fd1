/* SPDX-License-Identifier: MIT */
#include "collector/records/loaded_code.h"
#include "collector/bytes/kcore_folder.h"
#include "collector/kernel_code/code_pages.h"
#include "collector/kernel_code/dynamic_code.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kcore_copy.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/matching_lines.h"
#include "collector/kernel_code/module_list.h"
#include "collector/kernel_code/module_start.h"
#include "collector/records/start_records.h"
#include "collector/trace_unit/tracer.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded_code {
	struct output_folder code;	/* where the copies are */
	struct output_folder kcore_dir; /* what perf reads */
	const struct tracer *tracer;
	const struct perf_event_mmap_page *page;
	const struct log *log;
	struct kcore kcore;
	struct array modules; /* struct module: those copied already */
	size_t first_new;     /* of them: those before came with the copy */
	struct byte_buffer records;
	bool perf_is_full; /* the kernel's copy takes no more */
};

static int open_folders(struct loaded_code *loaded,
			const struct output_folder *folder)
{
	int error =
		output_folder_sub(&loaded->code, folder, "code", loaded->log);

	return error ? error :
		       kcore_folder_open(&loaded->kcore_dir, folder,
					 loaded->log);
}

static int fill(struct loaded_code *loaded, const struct output_folder *folder,
		const struct kernel_copy *copy)
{
	const struct module *modules = copy->modules.items;
	int error;

	loaded->modules = ARRAY_OF(struct module);
	loaded->kcore.fd = -1;
	error = open_folders(loaded, folder);
	if (error)
		return error;
	for (size_t i = 0; i < copy->modules.count; i++)
		if (array_append(&loaded->modules, &modules[i]) < 0)
			return -ERROR_MEMORY;
	loaded->first_new = loaded->modules.count;
	return kcore_open(&loaded->kcore, "/proc/kcore");
}

int loaded_code_open(const struct output_folder *folder,
		     const struct kernel_copy *copy,
		     const struct tracer *tracer,
		     const struct perf_event_mmap_page *page,
		     const struct log *log, struct loaded_code **loaded)
{
	struct loaded_code *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->tracer = tracer;
	new->page = page;
	new->log = log;
	error = fill(new, folder, copy);
	if (error) {
		log_message(log, LOG_ERROR, folder->path, LOG_NO_OFFSET,
			    "cannot prepare to copy new code: %s",
			    error == -ERROR_SYSTEM ? strerror(errno) :
						     error_text(error));
		loaded_code_close(new);
		return error;
	}
	*loaded = new;
	return 0;
}

void loaded_code_close(struct loaded_code *loaded)
{
	if (!loaded)
		return;
	kcore_close(&loaded->kcore);
	array_free(&loaded->modules);
	byte_buffer_free(&loaded->records);
	output_folder_close(&loaded->code);
	output_folder_close(&loaded->kcore_dir);
	free(loaded);
}

/* After the first refusal there is no room for any other. */
static void say_not_added(struct loaded_code *loaded,
			  const struct code_range *range, int error,
			  const char *path)
{
	loaded->perf_is_full = error == -ERROR_UNSUPPORTED;
	if (loaded->perf_is_full)
		log_message(loaded->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "no room for the new code at %" PRIx64
			    " and all after it: perf will not know it",
			    range->start);
	else
		log_message(loaded->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "new code at %" PRIx64 " cannot be added for perf",
			    range->start);
}

/* perf knows no code that comes later, and looks it up in the kernel's copy. */
static void add_for_perf(struct loaded_code *loaded,
			 const struct code_range *range)
{
	int error;

	if (loaded->perf_is_full)
		return;
	error = kcore_copy_add(&loaded->kcore, &loaded->kcore_dir, "kcore",
			       range);
	if (error < 0)
		say_not_added(loaded, range, error, loaded->kcore_dir.path);
}

/* The time is that of the end of the copy: a change of code that the kernel
 * announced before is in it, or is undone for older times by its record, if
 * that has the old bytes (TEXT_POKE; arm64's text_poke_breakpoint does not).
 */
static int copy_range(struct loaded_code *loaded,
		      const struct code_range *range)
{
	static const char unfinished[] = "unfinished";
	char name[64];
	int error = kcore_copy_raw(&loaded->kcore, &loaded->code, unfinished,
				   range);

	if (!error) {
		snprintf(name, sizeof(name), "%" PRIx64 "-%" PRIx64 "-%" PRIu64,
			 range->start, range->end,
			 loaded->tracer->now_ns(loaded->page));
		error = output_folder_rename(&loaded->code, unfinished, name);
	}
	if (!error)
		return 0;
	log_message(
		loaded->log, LOG_WARNING, loaded->code.path, LOG_NO_OFFSET,
		"new code at %" PRIx64 " cannot be copied: %s", range->start,
		error == -ERROR_SYSTEM ? strerror(errno) : error_text(error));
	output_folder_remove(&loaded->code, unfinished);
	return error;
}

static int copy_for_all(struct loaded_code *loaded,
			const struct code_range *range)
{
	int error = copy_range(loaded, range);

	if (!error)
		add_for_perf(loaded, range);
	return error;
}

void loaded_code_symbol(struct loaded_code *loaded, uint64_t address,
			size_t size)
{
	struct code_range range = { address, address + size };

	if (size)
		copy_for_all(loaded, &range);
}

int loaded_code_existing(struct loaded_code *loaded,
			 const struct kernel_symbols *symbols)
{
	struct array ranges = ARRAY_OF(struct code_range);
	int error = dynamic_code_find(symbols, &ranges);
	const struct code_range *items = ranges.items;

	for (size_t i = 0; i < ranges.count && !error; i++)
		if (items[i].end > items[i].start)
			copy_range(loaded, &items[i]);
	array_free(&ranges);
	return error;
}

static bool is_known(const struct loaded_code *loaded,
		     const struct module *module)
{
	const struct module *known = loaded->modules.items;

	for (size_t i = 0; i < loaded->modules.count; i++)
		if (known[i].address == module->address &&
		    !strcmp(known[i].name, module->name))
			return true;
	return false;
}

/* What a module is told to need is not all memory. */
static int copy_pages(struct loaded_code *loaded,
		      const struct code_range *range)
{
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = code_pages_find(&loaded->kcore, range, &ranges);

	items = ranges.items;
	for (size_t i = 0; i < ranges.count && !error; i++)
		error = copy_for_all(loaded, &items[i]);
	array_free(&ranges);
	return error;
}

/* Appends the lines of /proc/@name that hold a mark to kcore_dir/@name. */
static void add_lines(struct loaded_code *loaded, const char *name,
		      const char (*marks)[80], size_t count)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/%s", name);
	if (matching_lines_append(from, &loaded->kcore_dir, name, marks, count))
		log_message(loaded->log, LOG_WARNING, from, LOG_NO_OFFSET,
			    "the symbols of new modules are missing: %s",
			    strerror(errno));
}

void loaded_code_names(struct loaded_code *loaded)
{
	size_t count = loaded->modules.count - loaded->first_new;
	const struct module *modules = loaded->modules.items;
	char(*marks)[80] = calloc(count + 1, sizeof(*marks));

	for (size_t i = 0; marks && i < count; i++)
		snprintf(marks[i], sizeof(marks[i]), "[%s]",
			 modules[loaded->first_new + i].name);
	if (marks && count)
		add_lines(loaded, "kallsyms", (const char(*)[80])marks, count);
	free(marks);
}

static void add_module(struct loaded_code *loaded, const struct array *modules,
		       const struct module *module)
{
	const struct code_range range = {
		module->address, module->address + module->size_bytes
	};
	struct module *known = array_add(&loaded->modules);
	struct code_range start;
	char mark[1][80];

	if (known)
		*known = *module;
	if (module_start_find(&loaded->kcore, modules, module, &start))
		copy_for_all(loaded, &start);
	if (copy_pages(loaded, &range))
		return;
	snprintf(mark[0], sizeof(mark[0]), "0x%016" PRIx64, module->address);
	add_lines(loaded, "modules", (const char(*)[80])mark, 1);
	start_records_module(&loaded->records, module);
}

void loaded_code_modules(struct loaded_code *loaded)
{
	struct array now = ARRAY_OF(struct module);
	const struct module *modules;

	module_list_read(&now);
	modules = now.items;
	for (size_t i = 0; i < now.count; i++)
		if (!is_known(loaded, &modules[i]))
			add_module(loaded, &now, &modules[i]);
	array_free(&now);
}

void loaded_code_records(struct loaded_code *loaded, struct byte_buffer *bytes)
{
	byte_buffer_add(bytes, loaded->records.bytes, loaded->records.size);
	bytes->failed |= loaded->records.failed;
	byte_buffer_free(&loaded->records);
}
