/* SPDX-License-Identifier: MIT */
#include "collector/late_code.h"
#include "collector/code_pages.h"
#include "collector/dynamic_code.h"
#include "collector/kcore.h"
#include "collector/kcore_copy.h"
#include "collector/kernel_copy.h"
#include "collector/matching_lines.h"
#include "collector/module_list.h"
#include "collector/module_start.h"
#include "collector/start_records.h"
#include "collector/tracer.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct late_code {
	char *folder;
	const struct tracer *tracer;
	const struct perf_event_mmap_page *page;
	const struct log *log;
	struct kcore kcore;
	struct array modules; /* struct module: those copied already */
	size_t first_new;     /* of them: those before came with the copy */
	struct byte_buffer records;
	bool perf_is_full; /* the kernel's copy takes no more */
};

static int fill(struct late_code *late, const char *folder,
		const struct kernel_copy *copy)
{
	const struct module *modules = copy->modules.items;
	char path[4096];

	late->modules = ARRAY_OF(struct module);
	late->kcore.fd = -1;
	late->folder = strdup(folder);
	if (!late->folder)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < copy->modules.count; i++) {
		struct module *module = array_add(&late->modules);

		if (!module)
			return -ERROR_MEMORY;
		*module = modules[i];
	}
	late->first_new = late->modules.count;
	snprintf(path, sizeof(path), "%s/code", folder);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -ERROR_SYSTEM;
	return kcore_open(&late->kcore, "/proc/kcore");
}

int late_code_open(const char *folder, const struct kernel_copy *copy,
		   const struct tracer *tracer,
		   const struct perf_event_mmap_page *page,
		   const struct log *log, struct late_code **late)
{
	struct late_code *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->tracer = tracer;
	new->page = page;
	new->log = log;
	error = fill(new, folder, copy);
	if (error) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/code", folder);
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot prepare to copy new code: %s",
			    error == -ERROR_SYSTEM ? strerror(errno) :
						     error_text(error));
		late_code_close(new);
		return error;
	}
	*late = new;
	return 0;
}

void late_code_close(struct late_code *late)
{
	if (!late)
		return;
	kcore_close(&late->kcore);
	array_free(&late->modules);
	byte_buffer_free(&late->records);
	free(late->folder);
	free(late);
}

/* After the first refusal there is no room for any other. */
static void say_not_added(struct late_code *late,
			  const struct code_range *range, int error,
			  const char *path)
{
	late->perf_is_full = error == -ERROR_UNSUPPORTED;
	if (late->perf_is_full)
		log_message(late->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "no room for the new code at %" PRIx64
			    " and all after it: perf will not know it",
			    range->start);
	else
		log_message(late->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "new code at %" PRIx64 " cannot be added for perf",
			    range->start);
}

/* perf knows no code that comes later, and looks it up in the kernel's copy. */
static void add_for_perf(struct late_code *late, const struct code_range *range)
{
	char path[4096];
	int error;

	if (late->perf_is_full)
		return;
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore", late->folder);
	error = kcore_copy_add(&late->kcore, path, range);
	if (error < 0)
		say_not_added(late, range, error, path);
}

/* The time is that of the end of the copy: a change of code that the kernel
 * announced before is in it, or is undone for older times by its record, if
 * that has the old bytes (TEXT_POKE; arm64's text_patch does not).
 */
static int copy_range(struct late_code *late, const struct code_range *range)
{
	char path[4096];
	char final[4200];
	int error;

	snprintf(path, sizeof(path), "%s/code/unfinished", late->folder);
	error = kcore_copy_raw(&late->kcore, path, range);
	if (!error) {
		snprintf(final, sizeof(final),
			 "%s/code/%" PRIx64 "-%" PRIx64 "-%" PRIu64,
			 late->folder, range->start, range->end,
			 late->tracer->now_ns(late->page));
		if (rename(path, final) < 0)
			error = -ERROR_SYSTEM;
	}
	if (!error)
		return 0;
	log_message(
		late->log, LOG_WARNING, path, LOG_NO_OFFSET,
		"new code at %" PRIx64 " cannot be copied: %s", range->start,
		error == -ERROR_SYSTEM ? strerror(errno) : error_text(error));
	unlink(path);
	return error;
}

static int copy_for_all(struct late_code *late, const struct code_range *range)
{
	int error = copy_range(late, range);

	if (!error)
		add_for_perf(late, range);
	return error;
}

void late_code_symbol(struct late_code *late, uint64_t address, size_t size)
{
	struct code_range range = { address, address + size };

	if (size)
		copy_for_all(late, &range);
}

int late_code_existing(struct late_code *late,
		       const struct kernel_symbols *symbols)
{
	struct array ranges = ARRAY_OF(struct code_range);
	int error = dynamic_code_find(symbols, &ranges);
	const struct code_range *items = ranges.items;

	for (size_t i = 0; i < ranges.count && !error; i++)
		if (items[i].end > items[i].start)
			copy_range(late, &items[i]);
	array_free(&ranges);
	return error;
}

static bool is_known(const struct late_code *late, const struct module *module)
{
	const struct module *known = late->modules.items;

	for (size_t i = 0; i < late->modules.count; i++)
		if (known[i].address == module->address &&
		    !strcmp(known[i].name, module->name))
			return true;
	return false;
}

/* What a module is told to need is not all memory. */
static int copy_pages(struct late_code *late, const struct code_range *range)
{
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = code_pages_find(&late->kcore, range, &ranges);

	items = ranges.items;
	for (size_t i = 0; i < ranges.count && !error; i++)
		error = copy_for_all(late, &items[i]);
	array_free(&ranges);
	return error;
}

/* Appends the lines of /proc/@name that hold a mark to kcore_dir/@name. */
static void add_lines(struct late_code *late, const char *name,
		      const char (*marks)[80], size_t count)
{
	char from[40];
	char to[4096];

	snprintf(from, sizeof(from), "/proc/%s", name);
	snprintf(to, sizeof(to), "%s/kcore_dir/%s", late->folder, name);
	if (matching_lines_append(from, to, marks, count))
		log_message(late->log, LOG_WARNING, to, LOG_NO_OFFSET,
			    "the symbols of new modules are missing: %s",
			    strerror(errno));
}

void late_code_names(struct late_code *late)
{
	size_t count = late->modules.count - late->first_new;
	const struct module *modules = late->modules.items;
	char(*marks)[80] = calloc(count + 1, sizeof(*marks));

	for (size_t i = 0; marks && i < count; i++)
		snprintf(marks[i], sizeof(marks[i]), "[%s]",
			 modules[late->first_new + i].name);
	if (marks && count)
		add_lines(late, "kallsyms", (const char(*)[80])marks, count);
	free(marks);
}

static void add_module(struct late_code *late, const struct array *loaded,
		       const struct module *module)
{
	const struct code_range range = {
		module->address, module->address + module->size_bytes
	};
	struct module *known = array_add(&late->modules);
	struct code_range start;
	char mark[1][80];

	if (known)
		*known = *module;
	if (module_start_find(&late->kcore, loaded, module, &start))
		copy_for_all(late, &start);
	if (copy_pages(late, &range))
		return;
	snprintf(mark[0], sizeof(mark[0]), "0x%016" PRIx64, module->address);
	add_lines(late, "modules", (const char(*)[80])mark, 1);
	start_records_module(&late->records, module);
}

void late_code_modules(struct late_code *late)
{
	struct array now = ARRAY_OF(struct module);
	const struct module *modules;

	module_list_read(&now);
	modules = now.items;
	for (size_t i = 0; i < now.count; i++)
		if (!is_known(late, &modules[i]))
			add_module(late, &now, &modules[i]);
	array_free(&now);
}

void late_code_records(struct late_code *late, struct byte_buffer *bytes)
{
	byte_buffer_add(bytes, late->records.bytes, late->records.size);
	bytes->failed |= late->records.failed;
	byte_buffer_free(&late->records);
}
