/* SPDX-License-Identifier: MIT */
#include "collector/records/loaded_code.h"
#include "collector/bytes/recording_files.h"
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/kernel_code/modules.h"
#include "collector/records/record_bytes.h"
#include "collector/records/start_records.h"
#include "collector/trace_unit/tracer.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How code that the kernel adds is copied, from its announcement to a file:
 *
 *	announced (KSYMBOL, bpf_text_copy, module_load) ─► struct piece
 *	complete: the kernel has finished writing it ────► copy_piece()
 *	loss of records before the copy ─────────────────► struct loss
 *
 * A piece is announced before its bytes are written, so it waits until a later
 * record of the same thread shows that they are (complete()). A loss of records
 * may have hidden a change: a piece that was announced before the loss and read
 * after it counts as lost (check_piece()). Pieces and losses are compared only
 * with those of the last seconds (struct period), since a machine with containers
 * may load filters all the time. Ranges that were copied are covered; at
 * module_load all executable pages outside of them are copied
 * (copy_new_pages()).
 */

/* More than any JIT compiler writes at once. */
#define BPF_CODE_LIMIT (64u << 20)

/* Records are read at most this long after their time: rings are read one after
 * the other, and a virtual CPU may be stopped while it writes one.
 */
#define LATE_NS UINT64_C(1000000000)

/* A period of at least LATE_NS, after which all pieces were copied. */
struct period {
	size_t pieces; /* their number at the end */
	size_t losses;
	uint64_t end_ns;
};

struct loaded_code {
	struct output_folder code;	/* contains the copies */
	struct output_folder kcore_dir; /* read by perf */
	const struct tracer *tracer;
	const struct perf_event_mmap_page *page;
	const struct log *log;
	struct kcore kcore;
	/* struct module: the copied ones; address 0: removed */
	struct array modules;
	/* index in modules of the first that is not in the kernel's copy */
	size_t first_new;
	struct byte_buffer records;
	bool perf_is_full; /* the kernel's copy has no room left */
	const struct event_list *events;
	const struct kernel_symbols *symbols;
	struct array covered; /* struct code_range: ranges with copies */
	struct array pieces;  /* struct piece: of JIT code and symbols */
	struct array losses;  /* struct loss */
	/* the period before @last; no record concerns pieces that are older */
	struct period recent;
	struct period last;
	size_t lost;
	size_t late; /* see loaded_code_late() */
};

/* Code announced by a record. */
struct piece {
	struct code_range range;
	uint64_t announced_ns;
	/* 0: not copied yet; UINT64_MAX: not copied, and will not be */
	uint64_t read_ns;
	uint32_t writer; /* the thread that writes it */
	bool is_complete;
	bool has_symbol;
	bool is_lost;
};

/* The time from which a range contains other code, or none. */
struct loss {
	struct code_range range;
	uint64_t time_ns;
	/* from a KSYMBOL record: names a piece, and does not replace it */
	bool is_symbol;
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

/* Lists the ranges of the kernel's copy. */
static int read_covered(struct loaded_code *loaded)
{
	const Elf64_Phdr *segments;
	struct kcore copy;
	int error = 0;

	if (kcore_open_fd(&copy, output_folder_reopen(&loaded->kcore_dir,
						      "kcore", O_RDONLY)))
		return 0;
	segments = copy.segments.items;
	for (size_t i = 0; i < copy.segments.count && !error; i++)
		error = array_append(
			&loaded->covered,
			&(struct code_range){ segments[i].p_vaddr,
					      segments[i].p_vaddr +
						      segments[i].p_memsz });
	kcore_close(&copy);
	return error;
}

static int fill(struct loaded_code *loaded, const struct output_folder *folder,
		const struct kernel_copy *copy)
{
	const struct module *modules = copy->modules.items;
	int error;

	loaded->modules = ARRAY_OF(struct module);
	loaded->covered = ARRAY_OF(struct code_range);
	loaded->pieces = ARRAY_OF(struct piece);
	loaded->losses = ARRAY_OF(struct loss);
	loaded->symbols = &copy->symbols;
	loaded->kcore.fd = -1;
	error = open_folders(loaded, folder);
	if (error)
		return error;
	for (size_t i = 0; i < copy->modules.count; i++)
		if (array_append(&loaded->modules, &modules[i]) < 0)
			return -ERROR_MEMORY;
	loaded->first_new = loaded->modules.count;
	if (read_covered(loaded) < 0)
		return -ERROR_MEMORY;
	return kcore_open(&loaded->kcore, "/proc/kcore");
}

int loaded_code_open(const struct output_folder *folder,
		     const struct kernel_copy *copy,
		     const struct tracer *tracer,
		     const struct perf_event_mmap_page *page,
		     const struct event_list *events, const struct log *log,
		     struct loaded_code **loaded)
{
	struct loaded_code *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->tracer = tracer;
	new->page = page;
	new->events = events;
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
	array_free(&loaded->covered);
	array_free(&loaded->pieces);
	array_free(&loaded->losses);
	byte_buffer_free(&loaded->records);
	output_folder_close(&loaded->code);
	output_folder_close(&loaded->kcore_dir);
	free(loaded);
}

/* Logs that @range cannot be added to perf's copy. -ERROR_UNSUPPORTED means
 * that there is no room: no other range will fit either, so none is tried.
 */
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
			    "new code at %" PRIx64
			    " cannot be added for perf: %s",
			    range->start,
			    error == -ERROR_SYSTEM ? strerror(errno) :
						     error_text(error));
}

/* Adds @range of @kcore to kcore_dir/kcore; perf looks up kernel code in no
 * other file.
 */
static void add_for_perf(struct loaded_code *loaded, const struct kcore *kcore,
			 const struct code_range *range)
{
	int error;

	if (loaded->perf_is_full)
		return;
	error = kcore_copy_add(kcore, &loaded->kcore_dir, "kcore", range);
	if (error < 0)
		say_not_added(loaded, range, error, loaded->kcore_dir.path);
}

/* The name of a file of code/. */
struct copy_name {
	char text[96];
};

static struct copy_name name_of(const struct code_range *range,
				uint64_t time_ns, uint64_t since_ns)
{
	struct copy_name name;
	char since[32] = "";

	if (since_ns)
		snprintf(since, sizeof(since), "-%" PRIu64, since_ns);
	snprintf(name.text, sizeof(name.text),
		 "%" PRIx64 "-%" PRIx64 "-%" PRIu64 "%s", range->start,
		 range->end, time_ns, since);
	return name;
}

/* Copies a range. The time of a copy is the end of copying. The copy contains
 * all code changes reported earlier. For older times readers undo them with the
 * old bytes in their records (TEXT_POKE; records of arm64's
 * text_poke_breakpoint have none).
 */
static int copy_range(struct loaded_code *loaded,
		      const struct code_range *range, uint64_t since_ns,
		      uint64_t *read_ns)
{
	static const char unfinished[] = "unfinished";
	struct copy_name name;
	int error = kcore_copy_raw(&loaded->kcore, &loaded->code, unfinished,
				   range);

	if (!error) {
		*read_ns = loaded->tracer->now_ns(loaded->page);
		name = name_of(range, *read_ns, since_ns);
		error = output_folder_rename(&loaded->code, unfinished,
					     name.text);
	}
	if (!error)
		return array_append(&loaded->covered, range);
	loaded->lost++;
	log_message(
		loaded->log, LOG_WARNING, loaded->code.path, LOG_NO_OFFSET,
		"new code at %" PRIx64 " cannot be copied: %s", range->start,
		error == -ERROR_SYSTEM ? strerror(errno) : error_text(error));
	output_folder_remove(&loaded->code, unfinished);
	return error;
}

static int copy_for_all(struct loaded_code *loaded,
			const struct code_range *range, uint64_t since_ns,
			uint64_t *read_ns)
{
	int error = copy_range(loaded, range, since_ns, read_ns);

	if (!error)
		add_for_perf(loaded, &loaded->kcore, range);
	return error;
}

/* Writes the empty file that ends the validity of all copies of @range at
 * @time_ns.
 */
static void mark_end(struct loaded_code *loaded, const struct code_range *range,
		     uint64_t time_ns)
{
	const struct copy_name name = name_of(range, time_ns, 0);
	int fd = output_folder_create(&loaded->code, name.text);

	if (fd < 0)
		output_folder_fail(&loaded->code, name.text, loaded->log);
	else
		close(fd);
}

static bool overlap(const struct code_range *a, const struct code_range *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Counts @piece as lost if @loss is between its announcement and its reading,
 * because its copy may then have other code. A loss from a KSYMBOL record only
 * gives the piece a symbol.
 */
static void check_piece(struct loaded_code *loaded, struct piece *piece,
			const struct loss *loss)
{
	if (piece->is_lost || !overlap(&piece->range, &loss->range) ||
	    loss->time_ns <= piece->announced_ns ||
	    (piece->read_ns && loss->time_ns >= piece->read_ns))
		return;
	if (loss->is_symbol) {
		piece->has_symbol = true;
		return;
	}
	/* This piece has no bytes that a loss can make wrong: either its code
	 * is in the piece of its KSYMBOL record, which is checked instead, or
	 * its copy failed and was counted.
	 */
	if (piece->read_ns == UINT64_MAX)
		return;
	piece->is_lost = true;
	loaded->lost++;
}

/* Adds a loss. The rings of the CPUs are read one after the other, so the
 * announcement of the lost code may be read later: losses are kept for
 * check_losses().
 */
static void add_loss(struct loaded_code *loaded, const struct loss *loss)
{
	struct piece *pieces = loaded->pieces.items;

	for (size_t i = loaded->recent.pieces; i < loaded->pieces.count; i++)
		check_piece(loaded, &pieces[i], loss);
	if (array_append(&loaded->losses, loss))
		loaded->lost++;
}

static void check_losses(struct loaded_code *loaded, struct piece *piece)
{
	const struct loss *losses = loaded->losses.items;

	for (size_t i = loaded->recent.losses; i < loaded->losses.count; i++)
		check_piece(loaded, piece, &losses[i]);
}

void loaded_code_symbol(struct loaded_code *loaded,
			const struct loaded_symbol *symbol)
{
	struct piece piece = {
		.range = { symbol->address, symbol->address + symbol->size },
		.announced_ns = symbol->time_ns,
		.has_symbol = true,
	};
	const struct loss loss = { piece.range, symbol->time_ns,
				   !symbol->is_removed };

	if (!symbol->size)
		return;
	add_loss(loaded, &loss);
	if (symbol->is_removed)
		return;
	if (copy_for_all(loaded, &piece.range, 0, &piece.read_ns))
		return;
	check_losses(loaded, &piece);
	if (array_append(&loaded->pieces, &piece))
		loaded->lost++;
}

/* Returns whether a KSYMBOL record later announced the code of @wanted; its
 * piece is number @first or a later one.
 */
static bool has_symbol(const struct loaded_code *loaded,
		       const struct piece *wanted, size_t first)
{
	const struct piece *pieces = loaded->pieces.items;

	for (size_t i = first; i < loaded->pieces.count; i++)
		if (pieces[i].has_symbol &&
		    pieces[i].announced_ns >= wanted->announced_ns &&
		    overlap(&pieces[i].range, &wanted->range))
			return true;
	return false;
}

/* Copies @piece, which the kernel has finished writing. Does not add it for
 * perf: a program's later KSYMBOL record has a smaller range, and perf names a
 * program at the start of its segment. name_filters() adds filters, which have
 * no such record.
 */
static void copy_piece(struct loaded_code *loaded, struct piece *piece)
{
	piece->read_ns = UINT64_MAX;
	if (has_symbol(loaded, piece, loaded->recent.pieces))
		piece->has_symbol = true;
	else if (!copy_range(loaded, &piece->range, 0, &piece->read_ns))
		check_losses(loaded, piece);
}

/* Copies all complete pieces. Returns whether incomplete ones are left. */
static bool copy_complete(struct loaded_code *loaded)
{
	struct piece *pieces = loaded->pieces.items;
	bool is_waiting = false;

	for (size_t i = loaded->recent.pieces; i < loaded->pieces.count; i++) {
		if (pieces[i].read_ns)
			continue;
		if (pieces[i].is_complete)
			copy_piece(loaded, &pieces[i]);
		else
			is_waiting = true;
	}
	return is_waiting;
}

/* Marks everything announced by the thread of @sample before it as completely
 * written.
 */
static void complete(struct loaded_code *loaded,
		     const struct code_sample *sample)
{
	struct piece *pieces = loaded->pieces.items;

	for (size_t i = loaded->recent.pieces; i < loaded->pieces.count; i++)
		if (pieces[i].writer == sample->tid &&
		    pieces[i].announced_ns <= sample->time_ns)
			pieces[i].is_complete = true;
	copy_complete(loaded);
}

/* Ends a period after LATE_NS. */
static void advance(struct loaded_code *loaded)
{
	uint64_t now_ns = loaded->tracer->now_ns(loaded->page);

	if (now_ns - loaded->last.end_ns < LATE_NS)
		return;
	loaded->recent = loaded->last;
	loaded->last = (struct period){
		.pieces = loaded->pieces.count,
		.losses = loaded->losses.count,
		.end_ns = now_ns,
	};
}

void loaded_code_flush(struct loaded_code *loaded)
{
	static const struct timespec wait = { .tv_nsec = 1000000 };
	struct piece *pieces = loaded->pieces.items;

	if (copy_complete(loaded)) {
		nanosleep(&wait, NULL);
		for (size_t i = loaded->recent.pieces; i < loaded->pieces.count;
		     i++)
			pieces[i].is_complete = true;
		copy_complete(loaded);
	}
	advance(loaded);
}

static void consume_bpf(struct loaded_code *loaded,
			const struct code_sample *sample)
{
	const struct piece piece = {
		.range = { sample->address, sample->address + sample->size },
		.announced_ns = sample->time_ns,
		.writer = sample->tid,
	};
	const struct loss loss = { piece.range, sample->time_ns, false };

	if (!sample->size || sample->size > BPF_CODE_LIMIT)
		return;
	add_loss(loaded, &loss);
	if (sample->kind == CODE_SAMPLE_BPF_COPY &&
	    array_append(&loaded->pieces, &piece))
		loaded->lost++;
}

int loaded_code_existing(struct loaded_code *loaded,
			 const struct kernel_symbols *symbols)
{
	struct array ranges = ARRAY_OF(struct code_range);
	int error = dynamic_code_find(symbols, &ranges);
	const struct code_range *items = ranges.items;
	uint64_t read_ns;

	for (size_t i = 0; i < ranges.count && !error; i++)
		if (items[i].end > items[i].start)
			copy_range(loaded, &items[i], 0, &read_ns);
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

/* Copies the pages of @range that have content. */
static int copy_pages(struct loaded_code *loaded,
		      const struct code_range *range, uint64_t since_ns)
{
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error = code_pages_find_made(&loaded->kcore, range, &ranges);
	uint64_t read_ns;

	items = ranges.items;
	for (size_t i = 0; i < ranges.count && !error; i++)
		error = copy_for_all(loaded, &items[i], since_ns, &read_ns);
	array_free(&ranges);
	return error;
}

/* Returns the chunks that contain @range. No other program shares a program's
 * first or last chunk.
 */
static struct code_range chunks_of(const struct code_range *range)
{
	return (struct code_range){
		range->start / CODE_PAGES_CHUNK * CODE_PAGES_CHUNK,
		(range->end + CODE_PAGES_CHUNK - 1) / CODE_PAGES_CHUNK *
			CODE_PAGES_CHUNK,
	};
}

/* Returns the end of the uncovered range at @at: the next covered range's
 * start, or @end. *@next is the next address to check.
 */
static uint64_t uncovered_end(const struct loaded_code *loaded, uint64_t at,
			      uint64_t end, uint64_t *next)
{
	const struct code_range *items = loaded->covered.items;

	*next = end;
	for (size_t i = 0; i < loaded->covered.count; i++) {
		const struct code_range covered = chunks_of(&items[i]);

		if (covered.start <= at && covered.end > at) {
			*next = covered.end;
			return at;
		}
		if (covered.start > at && covered.start < end)
			end = *next = covered.start;
	}
	return end;
}

/* Copies the executable pages outside of all covered ranges. */
static int copy_new_pages(struct loaded_code *loaded)
{
	struct array found = ARRAY_OF(struct code_range);
	int error =
		executable_pages_find(&loaded->kcore, loaded->symbols, &found);
	const struct code_range *items = found.items;

	for (size_t i = 0; i < found.count && !error; i++) {
		uint64_t at = items[i].start;
		uint64_t next;

		for (; at < items[i].end && !error; at = next) {
			const struct code_range range = {
				at,
				uncovered_end(loaded, at, items[i].end, &next)
			};

			if (range.end > range.start)
				error = copy_pages(loaded, &range, 0);
		}
	}
	array_free(&found);
	return error;
}

/* Appends the lines of /proc/@name that contain a mark to kcore_dir/@name. */
static void add_lines(struct loaded_code *loaded, const char *name,
		      const char (*marks)[80], size_t count)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/%s", name);
	if (matching_lines_append(from, &loaded->kcore_dir, name, marks, count))
		log_message(loaded->log, LOG_WARNING, from, LOG_NO_OFFSET,
			    "the symbols of new modules are missing in %s/%s: "
			    "%s",
			    loaded->kcore_dir.path, name, strerror(errno));
}

/* Names @range in a record without a time, like perf for code that existed
 * before the recording.
 */
static void add_name(struct loaded_code *loaded, const struct code_range *range,
		     const char *name)
{
	size_t position =
		record_begin(&loaded->records, PERF_RECORD_KSYMBOL, 0);

	byte_buffer_u64(&loaded->records, range->start);
	byte_buffer_u32(&loaded->records,
			(uint32_t)(range->end - range->start));
	byte_buffer_u32(&loaded->records, PERF_RECORD_KSYMBOL_TYPE_UNKNOWN);
	byte_buffer_text(&loaded->records, name);
	record_end_sample_id(&loaded->records, position);
}

/* Opens the copy of @piece; the kernel may no longer have the code. Returns 0
 * or a negative enum error.
 */
static int open_copy(struct loaded_code *loaded, const struct piece *piece,
		     struct kcore *copy)
{
	const struct copy_name name = name_of(&piece->range, piece->read_ns, 0);
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_vaddr = piece->range.start,
		.p_memsz = piece->range.end - piece->range.start,
	};

	*copy = (struct kcore){
		.fd = output_folder_reopen(&loaded->code, name.text, O_RDONLY),
		.header = loaded->kcore.header,
		.segments = ARRAY_OF(Elf64_Phdr),
	};
	return copy->fd < 0 ? -ERROR_SYSTEM :
			      array_append(&copy->segments, &segment);
}

/* Returns whether @piece, whose copy is @copy, is the first code at its
 * addresses and no different code followed there. perf does not choose code by
 * time: with this copy it would decode different code wrongly, without a copy
 * it reports an error.
 */
static bool is_only_code(struct loaded_code *loaded, const struct piece *piece,
			 const struct kcore *copy)
{
	const struct piece *end = array_at(&loaded->pieces, 0);
	const struct piece *other = end;
	bool is_only = true;

	for (end += loaded->pieces.count; other < end && is_only; other++) {
		struct kcore later;

		if (other == piece || !overlap(&other->range, &piece->range))
			continue;
		if (other < piece)
			return false;
		is_only = !open_copy(loaded, other, &later) &&
			  kcore_has_same(copy, &later, piece->range.start,
					 piece->range.end - piece->range.start);
		kcore_close(&later);
	}
	return is_only;
}

/* Names the code of @piece, and adds it for perf. A piece that could not be
 * copied was counted as lost.
 */
static void name_filter(struct loaded_code *loaded, const struct piece *piece)
{
	struct code_range code = piece->range;
	struct kcore copy;

	if (!open_copy(loaded, piece, &copy)) {
		code = jit_code_find(&copy, &piece->range);
		if (is_only_code(loaded, piece, &copy))
			add_for_perf(loaded, &copy, &code);
	}
	kcore_close(&copy);
	add_name(loaded, &code, "[classic BPF]");
}

/* Names JIT code without a KSYMBOL record. */
static void name_filters(struct loaded_code *loaded)
{
	const struct piece *pieces = loaded->pieces.items;

	for (size_t i = 0; i < loaded->pieces.count; i++)
		if (!pieces[i].has_symbol && !has_symbol(loaded, &pieces[i], 0))
			name_filter(loaded, &pieces[i]);
}

static void name_thunks(struct loaded_code *loaded)
{
	struct array found = ARRAY_OF(struct code_range);
	struct array thunks = ARRAY_OF(struct code_range);
	const struct code_range *items;
	int error =
		executable_pages_find(&loaded->kcore, loaded->symbols, &found);

	items = found.items;
	for (size_t i = 0; i < found.count && !error; i++)
		error = its_thunks_find(&loaded->kcore, &items[i], &thunks);
	items = thunks.items;
	for (size_t i = 0; i < thunks.count && !error; i++)
		add_name(loaded, &items[i], ITS_THUNK_NAME);
	array_free(&found);
	array_free(&thunks);
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
	name_filters(loaded);
	name_thunks(loaded);
}

/* Copies the code of @module, one of @modules, and adds it to the recording's
 * list of modules. @since_ns: the time since which the code is complete; 0:
 * unknown.
 */
static void add_module(struct loaded_code *loaded, const struct array *modules,
		       const struct module *module, uint64_t since_ns)
{
	const struct code_range range = {
		module->address, module->address + module->size_bytes
	};
	struct module *known = array_add(&loaded->modules);
	struct code_range start;
	uint64_t read_ns;
	char mark[1][80];

	if (known)
		*known = *module;
	if (module_start_find(&loaded->kcore, modules, module, &start))
		copy_for_all(loaded, &start, since_ns, &read_ns);
	if (copy_pages(loaded, &range, since_ns))
		return;
	snprintf(mark[0], sizeof(mark[0]), "0x%016" PRIx64, module->address);
	add_lines(loaded, "modules", (const char(*)[80])mark, 1);
	start_records_module(&loaded->records, module);
}

/* Handles a module that was loaded: copies all modules that are new. The code
 * of the sample's module is complete since the sample, the code of others since
 * an unknown time. Also copies other new pages, which have no announcement of
 * their own.
 */
static void consume_module(struct loaded_code *loaded,
			   const struct code_sample *sample)
{
	struct array now = ARRAY_OF(struct module);
	const struct module *modules;

	module_list_read(&now);
	modules = now.items;
	for (size_t i = 0; i < now.count; i++)
		if (!is_known(loaded, &modules[i]))
			add_module(loaded, &now, &modules[i],
				   strcmp(modules[i].name, sample->module) ?
					   0 :
					   sample->time_ns);
	array_free(&now);
	copy_new_pages(loaded);
}

/* Returns the range of @module, which ends no later than the next one starts:
 * its size includes its data, which is elsewhere since Linux 6.4.
 */
static struct code_range range_of(const struct loaded_code *loaded,
				  const struct module *module)
{
	const struct module *known = loaded->modules.items;
	struct code_range range = { module->address,
				    module->address + module->size_bytes };

	for (size_t i = 0; i < loaded->modules.count; i++)
		if (known[i].address > range.start &&
		    known[i].address < range.end)
			range.end = known[i].address;
	return range;
}

/* Handles a module that is removed: from now on its addresses may contain other
 * code.
 */
static void remove_module(struct loaded_code *loaded,
			  const struct code_sample *sample)
{
	struct module *known = loaded->modules.items;

	for (size_t i = 0; i < loaded->modules.count; i++) {
		struct code_range range;

		if (!known[i].address || strcmp(known[i].name, sample->module))
			continue;
		range = range_of(loaded, &known[i]);
		mark_end(loaded, &range, sample->time_ns);
		known[i].address = 0;
	}
}

void loaded_code_sample(struct loaded_code *loaded,
			const struct ring_bytes *records, size_t position,
			size_t size)
{
	const struct code_sample sample =
		code_sample_read(loaded->events, records, position, size);

	switch (sample.kind) {
	case CODE_SAMPLE_MODULE_LOAD:
		consume_module(loaded, &sample);
		break;
	case CODE_SAMPLE_MODULE_FREE:
		remove_module(loaded, &sample);
		break;
	case CODE_SAMPLE_BPF_COPY:
	case CODE_SAMPLE_BPF_WIPE:
		consume_bpf(loaded, &sample);
		break;
	case CODE_SAMPLE_BPF_DONE:
		complete(loaded, &sample);
		break;
	case CODE_SAMPLE_OTHER:
		break;
	}
}

static bool is_gone(const struct loaded_code *loaded, const struct piece *piece)
{
	const struct loss *losses = loaded->losses.items;

	for (size_t i = 0; i < loaded->losses.count; i++)
		if (losses[i].time_ns > piece->announced_ns &&
		    overlap(&losses[i].range, &piece->range))
			return true;
	return false;
}

void loaded_code_finish(struct loaded_code *loaded)
{
	struct piece *pieces = loaded->pieces.items;
	size_t covered;

	for (size_t i = 0; i < loaded->pieces.count; i++)
		if (!pieces[i].has_symbol && !is_gone(loaded, &pieces[i]))
			copy_range(loaded, &pieces[i].range, 0,
				   &pieces[i].read_ns);
	covered = loaded->covered.count;
	copy_new_pages(loaded);
	loaded->late += loaded->covered.count - covered;
}

size_t loaded_code_lost(const struct loaded_code *loaded)
{
	return loaded->lost;
}

size_t loaded_code_late(const struct loaded_code *loaded)
{
	return loaded->late;
}

void loaded_code_records(struct loaded_code *loaded, struct byte_buffer *bytes)
{
	byte_buffer_add(bytes, loaded->records.bytes, loaded->records.size);
	bytes->failed |= loaded->records.failed;
	byte_buffer_free(&loaded->records);
}
