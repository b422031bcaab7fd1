/* SPDX-License-Identifier: MIT */
/* A trace.dat file, version 6: read by trace-cmd and KernelShark. Source:
 * trace-cmd's trace-cmd.dat.v6(5); the layout of pages: the kernel's
 * kernel/trace/ring_buffer.c.
 *
 *  functions, switches, gaps, wake-ups, system calls
 *      --> struct entry, in any order --> sorted at the end
 *      --> by CPU: pages as of the kernel's ring buffer --> the file
 *
 * Events that the kernel has too have its names and fields, which KernelShark
 * and trace-cmd's plugins look for. Addresses of functions are artificial: the
 * file's list of symbols has a name for each.
 *
 * Invariants:
 * 1. Events of a CPU are in order of time.
 * 2. A record is not split between pages: texts are cut to fit.
 *
 * Memory: 32 bytes an event and its fields, twice while the file is written.
 */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE_BYTES = 4096,
	PAGE_HEAD_BYTES = 16, /* time, size of the data */
	COMM_BYTES = 16,
	DELTA_BITS = 27,
	/* type_len of a record's first word; others: the size in words */
	TYPE_LONG = 0,
	TYPE_EXTEND = 30,
	MOST_WORDS = 28,
};

/* Formats of events; the formats of system calls follow in pairs. */
enum trace_event {
	FUNC_ENTRY,
	FUNC_EXIT,
	TRACE_PAUSE,
	TRACE_RESUME,
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP_NEW,
	FIRST_CALL,
	FIRST_ID = 10, /* of events in the file */
};

#define FIELD(type, offset, size, is_signed) \
	"\tfield:" type ";\toffset:" #offset ";\tsize:" #size \
	";\tsigned:" #is_signed ";\n"

#define WAKEUP_FIELDS \
	FIELD("char comm[16]", 8, 16, 0) \
	FIELD("pid_t pid", 24, 4, 1) \
	FIELD("int prio", 28, 4, 1) \
	"\nprint fmt: \"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, " \
	"REC->prio\n"

static const struct {
	const char *system;
	const char *name;
	const char *fields; /* and how they are printed */
} events[FIRST_CALL] = {
	[FUNC_ENTRY] = { "ftrace", "funcgraph_entry",
			 FIELD("unsigned long func", 8, 8, 0) FIELD(
				 "int depth", 16, 4,
				 1) "\nprint fmt: \"--> %ps (%d)\", (void *)REC->func, "
				    "REC->depth\n" },
	[FUNC_EXIT] = { "ftrace", "funcgraph_exit",
			FIELD("unsigned long func", 8, 8, 0) FIELD(
				"int depth", 16, 4,
				1) FIELD("unsigned int overrun", 20, 4,
					 0) FIELD("unsigned long long calltime",
						  24, 8, 0)
				FIELD("unsigned long long rettime", 32, 8,
				      0) "\nprint fmt: \"<-- %ps (%d) (start: %llx  end: %llx) "
					 "over: %d\", (void *)REC->func, REC->depth, "
					 "REC->calltime, REC->rettime, REC->overrun\n" },
	[TRACE_PAUSE] = { "ktrace_hw", "trace_pause",
			  FIELD("unsigned long lost_bytes", 8, 8, 0) FIELD(
				  "__data_loc char[] reason", 16, 4,
				  0) "\nprint fmt: \"%s, %lu bytes lost\", "
				     "__get_str(reason), REC->lost_bytes\n" },
	[TRACE_RESUME] = { "ktrace_hw", "trace_resume", "\nprint fmt: \"\"\n" },
	[SCHED_SWITCH] = { "sched", "sched_switch",
			   FIELD("char prev_comm[16]", 8, 16,
				 0) FIELD("pid_t prev_pid", 24, 4,
					  1) FIELD("int prev_prio", 28, 4, 1)
				   FIELD("long prev_state", 32, 8, 1) FIELD(
					   "char next_comm[16]", 40, 16,
					   0) FIELD("pid_t next_pid", 56, 4, 1)
					   FIELD("int next_prio", 60, 4,
						 1) "\nprint fmt: \"prev_comm=%s prev_pid=%d "
						    "prev_prio=%d prev_state=%ld ==> next_comm=%s "
						    "next_pid=%d next_prio=%d\", REC->prev_comm, "
						    "REC->prev_pid, REC->prev_prio, REC->prev_state, "
						    "REC->next_comm, REC->next_pid, REC->next_prio\n" },
	[SCHED_WAKING] = { "sched", "sched_waking", WAKEUP_FIELDS },
	[SCHED_WAKEUP_NEW] = { "sched", "sched_wakeup_new", WAKEUP_FIELDS },
};

static const char common_fields[] = FIELD("unsigned short common_type", 0, 2, 0)
	FIELD("unsigned char common_flags", 2, 1, 0)
		FIELD("unsigned char common_preempt_count", 3, 1, 0)
			FIELD("int common_pid", 4, 4, 1) "\n";

static const char call_entry_fields[] =
	FIELD("__data_loc char[] arguments", 8, 4,
	      0) "\nprint fmt: \"%s\", __get_str(arguments)\n";

static const char call_exit_fields[] = FIELD("long ret", 8, 8, 1)
	FIELD("__data_loc char[] result", 16, 4,
	      0) "\nprint fmt: \"%s\", __get_str(result)\n";

static const char page_fields[] = FIELD("u64 timestamp", 0, 8, 0)
	FIELD("local_t commit", 8, 8, 1) FIELD("int overwrite", 8, 1, 1)
		FIELD("char data", 16, 4080, 1);

static const char record_fields[] = "# compressed entry header\n"
				    "\ttype_len    :    5 bits\n"
				    "\ttime_delta  :   27 bits\n"
				    "\tarray       :   32 bits\n\n"
				    "\tpadding     : type == 29\n"
				    "\ttime_extend : type == 30\n"
				    "\ttime_stamp : type == 31\n"
				    "\tdata max type_len  == 28\n";

/* An event, or the end of a system call that is open. */
struct entry {
	uint64_t time_ns; /* first: number_sort() */
	uint32_t cpu;	  /* UINT32_MAX: the CPU of its thread */
	int32_t tid;
	uint32_t id;	/* enum trace_event */
	uint32_t size;	/* of the fields after the common ones */
	size_t payload; /* their offset */
};

/* The pages of a CPU. */
struct cpu_pages {
	struct byte_buffer bytes;
	size_t page;	  /* start of the last one */
	uint64_t last_ns; /* of its last record */
};

/* The calls and states that are open on a track: times of functions' starts,
 * ends of calls.
 */
struct open_track {
	struct array times; /* uint64_t */
	struct array ends;  /* struct entry */
};

struct trace_dat {
	struct span_writer writer;
	struct timeline_context context;
	struct array entries; /* struct entry */
	struct byte_buffer fields;
	struct array open;	   /* struct open_track by track number */
	struct string_pool *calls; /* names of system calls */
	bool has_failed;	   /* out of memory */
};

static struct trace_dat *of_writer(struct span_writer *writer)
{
	return (struct trace_dat *)writer;
}

static void add_entry(struct trace_dat *dat, struct entry *entry)
{
	entry->size = (uint32_t)(dat->fields.size - entry->payload);
	if (array_append(&dat->entries, entry) < 0)
		dat->has_failed = true;
}

static struct open_track *open_track(struct trace_dat *dat,
				     const struct span_track *track)
{
	struct open_track *open = array_reach_like(
		&dat->open, track->number,
		&(struct open_track){ .times = ARRAY_OF(uint64_t),
				      .ends = ARRAY_OF(struct entry) });

	if (!open)
		dat->has_failed = true;
	return open;
}

/* Starts the fields of an event. */
static struct entry entry_at(const struct trace_dat *dat, uint64_t time_ns,
			     uint32_t cpu, int32_t tid, uint32_t id)
{
	return (struct entry){ .time_ns = time_ns,
			       .cpu = cpu,
			       .tid = tid,
			       .id = id,
			       .payload = dat->fields.size };
}

/* Appends a field __data_loc, the last of its event, and its text. */
static void put_text(struct byte_buffer *out, const struct entry *entry,
		     const char *text)
{
	enum { COMMON_BYTES = 8 };
	char bytes[SPAN_NAME_BYTES * NAME_GROWTH + 1];
	uint32_t size = (uint32_t)name_text(bytes, NAME_UTF8, text,
					    strnlen(text, SPAN_NAME_BYTES));
	uint32_t offset = COMMON_BYTES + (uint32_t)sizeof(uint32_t) +
			  (uint32_t)(out->size - entry->payload);

	bytes[size++] = '\0';
	byte_buffer_u32(out, size << 16 | offset);
	byte_buffer_add(out, bytes, size);
}

static void put_comm(struct byte_buffer *out, const struct trace_dat *dat,
		     int32_t tid, uint64_t time_ns)
{
	const char *comm = task_names_comm(dat->context.names, tid, time_ns);
	char bytes[COMM_BYTES * NAME_GROWTH];
	size_t size = name_text(bytes, NAME_UTF8, comm,
				strnlen(comm, COMM_BYTES - 1));

	if (size > COMM_BYTES - 1)
		size = COMM_BYTES - 1;
	byte_buffer_add(out, bytes, size);
	byte_buffer_zeros(out, COMM_BYTES - size);
}

/* Returns an address for each function, like an address of the kernel's text.
 */
static uint64_t address_of(uint32_t function)
{
	return 0xffffffff81000000u + 16 * (uint64_t)function;
}

/* Adds a function's entry or exit. */
static void change(struct span_writer *writer, const struct span_track *track,
		   const struct call_step *step)
{
	struct trace_dat *dat = of_writer(writer);
	bool is_entry = step->kind == STEP_ENTER;
	struct entry entry = entry_at(dat, step->time_ns, step->cpu,
				      step->task->tid,
				      is_entry ? FUNC_ENTRY : FUNC_EXIT);
	struct open_track *open = open_track(dat, track);
	uint64_t begin_ns = step->time_ns;

	if (!open)
		return;
	if (is_entry && array_append(&open->times, &step->time_ns) < 0)
		dat->has_failed = true;
	if (!is_entry && open->times.count) {
		begin_ns = *(uint64_t *)array_at(&open->times,
						 open->times.count - 1);
		open->times.count--;
	}
	byte_buffer_u64(&dat->fields, address_of(step->function));
	byte_buffer_u32(&dat->fields, step->depth);
	byte_buffer_u32(&dat->fields, 0);
	if (!is_entry) {
		byte_buffer_u64(&dat->fields, begin_ns);
		byte_buffer_u64(&dat->fields, step->time_ns);
	}
	add_entry(dat, &entry);
}

/* include/linux/sched.h: TASK_INTERRUPTIBLE, and the priority of threads
 * without a nice value. The trace has neither.
 */
enum { STATE_ASLEEP = 1, USUAL_PRIORITY = 120 };

static void put_task(struct byte_buffer *out, const struct trace_dat *dat,
		     int32_t tid, uint64_t time_ns)
{
	put_comm(out, dat, tid, time_ns);
	byte_buffer_u32(out, (uint32_t)tid);
	byte_buffer_u32(out, USUAL_PRIORITY);
}

static void switched(struct span_writer *writer, const struct span_switch *how)
{
	struct trace_dat *dat = of_writer(writer);
	struct entry entry = entry_at(dat, how->time_ns, how->cpu,
				      how->prev_tid, SCHED_SWITCH);
	bool is_asleep = !how->is_preempted && how->prev_tid;

	put_task(&dat->fields, dat, how->prev_tid, how->time_ns);
	byte_buffer_u64(&dat->fields, is_asleep ? STATE_ASLEEP : 0);
	put_task(&dat->fields, dat, how->next_tid, how->time_ns);
	add_entry(dat, &entry);
}

static void waking(struct span_writer *writer,
		   const struct track_waking *waking)
{
	struct trace_dat *dat = of_writer(writer);
	struct entry entry =
		entry_at(dat, waking->time_ns, waking->cpu, waking->waker_tid,
			 waking->is_new ? SCHED_WAKEUP_NEW : SCHED_WAKING);

	put_task(&dat->fields, dat, waking->tid, waking->time_ns);
	add_entry(dat, &entry);
}

static const struct span_note *find_note(const struct span *span, uint8_t name)
{
	static const struct span_note none = { .text = "" };

	for (size_t i = 0; i < span->note_count; i++)
		if (span->notes[i].name == name)
			return &span->notes[i];
	return &none;
}

static const char *name_of(const struct trace_dat *dat, const struct span *span)
{
	return span->name ? span->name : span_name(&dat->writer, span->number);
}

/* Adds the start of a system call; its end, whose result is known already,
 * waits for its time.
 */
static void begin_call(struct trace_dat *dat, const struct span_track *track,
		       const struct span *span)
{
	const struct span_note *result = find_note(span, NOTE_RESULT);
	struct open_track *open = open_track(dat, track);
	const char *name = name_of(dat, span);
	uint32_t number = string_pool_add(dat->calls, name,
					  strnlen(name, SPAN_NAME_BYTES));
	struct entry entry = entry_at(dat, span->time_ns, UINT32_MAX,
				      track->task->tid,
				      FIRST_CALL + 2 * number);

	if (!open || number == STRING_POOL_NONE) {
		dat->has_failed = true;
		return;
	}
	put_text(&dat->fields, &entry, find_note(span, NOTE_ARGUMENTS)->text);
	add_entry(dat, &entry);
	entry = entry_at(dat, 0, UINT32_MAX, track->task->tid, entry.id + 1);
	byte_buffer_u64(&dat->fields, result->number);
	put_text(&dat->fields, &entry, result->text ? result->text : "");
	entry.size = (uint32_t)(dat->fields.size - entry.payload);
	if (array_append(&open->ends, &entry) < 0)
		dat->has_failed = true;
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  const struct span *span)
{
	struct trace_dat *dat = of_writer(writer);
	struct entry entry =
		entry_at(dat, span->time_ns, track->cpu, 0, TRACE_PAUSE);

	if (track->kind == SPAN_CALLS) {
		begin_call(dat, track, span);
	} else if (track->kind == SPAN_CPU_TRACE) {
		byte_buffer_u64(&dat->fields,
				find_note(span, NOTE_LOST_BYTES)->number);
		put_text(&dat->fields, &entry, name_of(dat, span));
		add_entry(dat, &entry);
	}
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct trace_dat *dat = of_writer(writer);
	struct entry resume =
		entry_at(dat, time_ns, track->cpu, 0, TRACE_RESUME);
	struct open_track *open =
		track->kind == SPAN_CALLS ? open_track(dat, track) : NULL;
	struct entry *entry;

	if (track->kind == SPAN_CPU_TRACE) {
		add_entry(dat, &resume);
	} else if (open && open->ends.count) {
		entry = array_at(&open->ends, open->ends.count - 1);
		entry->time_ns = time_ns;
		if (array_append(&dat->entries, entry) < 0)
			dat->has_failed = true;
		open->ends.count--;
	}
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	(void)writer;
	(void)track;
	(void)time_ns;
}

/* Ends the last page: writes the size of its data to its head. */
static void end_page(struct cpu_pages *pages)
{
	uint64_t used = pages->bytes.size - pages->page - PAGE_HEAD_BYTES;

	if (!pages->bytes.size || pages->bytes.failed)
		return;
	memcpy(pages->bytes.bytes + pages->page + sizeof(uint64_t), &used,
	       sizeof(used));
	byte_buffer_align(&pages->bytes, PAGE_BYTES);
}

/* Starts a page, unless the last one has room for @size bytes. */
static void reserve(struct cpu_pages *pages, size_t size, uint64_t time_ns)
{
	if (pages->bytes.size &&
	    pages->bytes.size - pages->page + size <= PAGE_BYTES)
		return;
	end_page(pages);
	pages->page = pages->bytes.size;
	pages->last_ns = time_ns;
	byte_buffer_u64(&pages->bytes, time_ns);
	byte_buffer_zeros(&pages->bytes, sizeof(uint64_t));
}

static void put_record(struct cpu_pages *pages, const struct trace_dat *dat,
		       const struct entry *entry)
{
	enum { WORD = 4, COMMON_WORDS = 2, EXTRA_BYTES = 4 * WORD };
	const uint32_t words = COMMON_WORDS + (entry->size + WORD - 1) / WORD;
	struct byte_buffer *out = &pages->bytes;
	uint64_t delta;

	reserve(pages, (size_t)words * WORD + EXTRA_BYTES, entry->time_ns);
	delta = entry->time_ns - pages->last_ns;
	pages->last_ns = entry->time_ns;
	if (delta >> DELTA_BITS) {
		byte_buffer_u32(out, (uint32_t)(delta << 5) | TYPE_EXTEND);
		byte_buffer_u32(out, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	byte_buffer_u32(out, (uint32_t)(delta << 5) |
				     (words > MOST_WORDS ? TYPE_LONG : words));
	if (words > MOST_WORDS)
		byte_buffer_u32(out, (words + 1) * WORD);
	byte_buffer_u32(out, FIRST_ID + entry->id);
	byte_buffer_u32(out, (uint32_t)entry->tid);
	byte_buffer_add(out, dat->fields.bytes + entry->payload, entry->size);
	byte_buffer_align(out, WORD);
}

/* Makes the pages of all CPUs, in @cpus by cpu_slot(). A system call is on the
 * CPU on which its thread ran last.
 */
static void make_pages(struct trace_dat *dat, struct array *cpus)
{
	struct number_map places = { 0 }; /* by thread: its CPU's slot */

	if (dat->fields.failed || number_sort(&dat->entries) < 0)
		dat->has_failed = true;
	for (size_t i = 0; !dat->has_failed && i < dat->entries.count; i++) {
		const struct entry *entry = array_at(&dat->entries, i);
		uint64_t *place = number_map_add(&places, (uint32_t)entry->tid);
		uint32_t slot = cpu_slot(entry->cpu);
		struct cpu_pages *pages;

		if (place && entry->id >= FIRST_CALL)
			slot = (uint32_t)*place;
		else if (place && entry->id < TRACE_PAUSE)
			*place = slot;
		pages = array_reach(cpus, slot);
		if (place && pages)
			put_record(pages, dat, entry);
		else
			dat->has_failed = true;
	}
	number_map_free(&places);
	for (size_t i = 0; i < cpus->count; i++) {
		struct cpu_pages *pages = array_at(cpus, i);

		end_page(pages);
		dat->has_failed |= pages->bytes.failed;
	}
}

/* Appends a part of the file: its size, as a number of @size_bytes, then its
 * bytes.
 */
static void put_part(struct byte_buffer *out, size_t size_bytes,
		     const void *bytes, size_t size)
{
	byte_buffer_u32(out, (uint32_t)size);
	byte_buffer_zeros(out, size_bytes - sizeof(uint32_t));
	byte_buffer_add(out, bytes, size);
}

/* Like put_part(), and frees @part. */
static void put_buffer(struct byte_buffer *out, size_t size_bytes,
		       struct byte_buffer *part)
{
	put_part(out, size_bytes, part->bytes, part->size);
	out->failed |= part->failed;
	byte_buffer_free(part);
}

/* Appends a text without its NUL. */
static void put_plain(struct byte_buffer *out, const char *text)
{
	byte_buffer_add(out, text, strlen(text));
}

static void put_format(struct byte_buffer *out, uint32_t id, const char *prefix,
		       const char *name, const char *fields)
{
	struct byte_buffer part = { 0 };
	char head[SPAN_NAME_BYTES + 128];

	snprintf(head, sizeof(head), "name: %s%s\nID: %" PRIu32 "\nformat:\n",
		 prefix, name, FIRST_ID + id);
	put_plain(&part, head);
	put_plain(&part, common_fields);
	put_plain(&part, fields);
	put_buffer(out, sizeof(uint64_t), &part);
}

/* Appends the formats of one system's events, with their number. */
static void put_system(struct byte_buffer *out, const char *system)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < FIRST_CALL; i++)
		count += !strcmp(events[i].system, system);
	byte_buffer_u32(out, count);
	for (uint32_t i = 0; i < FIRST_CALL; i++)
		if (!strcmp(events[i].system, system))
			put_format(out, i, "", events[i].name,
				   events[i].fields);
}

static void put_formats(struct byte_buffer *out, const struct trace_dat *dat)
{
	const uint32_t calls = string_pool_count(dat->calls);

	put_system(out, "ftrace");
	byte_buffer_u32(out, 3);
	byte_buffer_text(out, "sched");
	put_system(out, "sched");
	byte_buffer_text(out, "ktrace_hw");
	put_system(out, "ktrace_hw");
	byte_buffer_text(out, "syscalls");
	byte_buffer_u32(out, 2 * calls);
	for (uint32_t i = 0; i < calls; i++) {
		const char *name = string_pool_text(dat->calls, i);

		/* Readers skip events whose name is not an identifier. */
		if (!strcmp(name, "?"))
			name = "unknown";
		put_format(out, FIRST_CALL + 2 * i, "sys_enter_", name,
			   call_entry_fields);
		put_format(out, FIRST_CALL + 2 * i + 1, "sys_exit_", name,
			   call_exit_fields);
	}
}

/* Appends a line of the list of symbols, whose names end at white space. */
static void put_symbol(struct byte_buffer *out, uint32_t function,
		       const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];
	char address[32];
	size_t size = name_text(text, NAME_UTF8, name,
				strnlen(name, SPAN_NAME_BYTES));

	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] <= ' ')
			text[i] = '_';
	snprintf(address, sizeof(address), "%016" PRIx64 " T ",
		 address_of(function));
	put_plain(out, address);
	byte_buffer_add(out, text, size);
	put_plain(out, "\n");
}

/* Appends the names of functions, and the last names of tasks. */
static void put_names(struct byte_buffer *out, const struct trace_dat *dat)
{
	const struct task_names *names = dat->context.names;
	struct byte_buffer symbols = { 0 };
	struct byte_buffer tasks = { 0 };
	int32_t tid;
	int32_t pid;

	for (uint32_t i = 0; i < function_count(dat->writer.functions); i++)
		put_symbol(&symbols, i, span_name(&dat->writer, i));
	put_buffer(out, sizeof(uint32_t), &symbols);
	byte_buffer_u32(out, 0); /* no formats of printk() */
	for (size_t i = 0; task_names_at(names, i, &tid, &pid); i++) {
		char text[COMM_BYTES * NAME_GROWTH];
		const char *comm = task_names_last(names, tid);

		snprintf(text, sizeof(text), "%" PRId32 " ", tid);
		put_plain(&tasks, text);
		byte_buffer_add(&tasks, text,
				name_text(text, NAME_UTF8, comm,
					  strnlen(comm, COMM_BYTES)));
		put_plain(&tasks, "\n");
	}
	put_buffer(out, sizeof(uint64_t), &tasks);
}

static void put_head(struct byte_buffer *out, const struct trace_dat *dat)
{
	/* Version 6, little endian, 8 bytes for a long. */
	static const char magic[] = "\x17\x08\x44tracing6\0\0\x08";

	byte_buffer_add(out, magic, sizeof(magic) - 1);
	byte_buffer_u32(out, PAGE_BYTES);
	byte_buffer_text(out, "header_page");
	put_part(out, sizeof(uint64_t), page_fields, sizeof(page_fields) - 1);
	byte_buffer_text(out, "header_event");
	put_part(out, sizeof(uint64_t), record_fields,
		 sizeof(record_fields) - 1);
	put_formats(out, dat);
	put_names(out, dat);
}

/* Appends the machine, "Linux HOST RELEASE MACHINE", if its architecture is
 * known: by it our reader finds where interrupts and system calls start.
 */
static void put_options(struct byte_buffer *out,
			const struct recording_info *info)
{
	const uint16_t uname = 5; /* TRACECMD_OPTION_UNAME */
	struct byte_buffer text = { 0 };

	byte_buffer_text(out, "options  ");
	if (info && *info->arch) {
		put_plain(&text, "Linux ");
		put_plain(&text, info->hostname);
		put_plain(&text, " ");
		put_plain(&text, info->os_release);
		put_plain(&text, " ");
		byte_buffer_text(&text, info->arch);
		byte_buffer_add(out, &uname, sizeof(uname));
		put_buffer(out, sizeof(uint32_t), &text);
	}
	byte_buffer_zeros(out, sizeof(uint16_t));
}

/* Appends the offset and size of each CPU's pages. The unknown CPU, the first
 * slot, is the last one in the file, and is written only if it has events.
 */
static void put_places(struct byte_buffer *out, const struct trace_dat *dat,
		       const struct array *cpus)
{
	const struct cpu_pages *list = cpus->items;
	const bool has_unknown = cpus->count && list[0].bytes.size;
	const size_t known = cpus->count ? cpus->count - 1 : 0;
	const size_t count = known + has_unknown;
	uint64_t offset;

	byte_buffer_u32(out, (uint32_t)count);
	put_options(out, dat->context.info);
	byte_buffer_text(out, "flyrecord");
	offset = out->size + count * 2 * sizeof(uint64_t);
	offset = (offset + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	for (size_t i = 0; i < count; i++) {
		size_t size = list[i < known ? i + 1 : 0].bytes.size;

		byte_buffer_u64(out, offset);
		byte_buffer_u64(out, size);
		offset += size;
	}
	byte_buffer_align(out, PAGE_BYTES);
}

static void write_file(struct trace_dat *dat, struct array *cpus)
{
	FILE *file = dat->context.out;
	struct byte_buffer head = { 0 };
	uint64_t bytes;

	put_head(&head, dat);
	put_places(&head, dat, cpus);
	dat->has_failed |= head.failed;
	bytes = head.size;
	if (!dat->has_failed)
		fwrite(head.bytes, 1, head.size, file);
	for (size_t i = 0; !dat->has_failed && i < cpus->count; i++) {
		const struct cpu_pages *pages =
			array_at(cpus, (i + 1) % cpus->count);

		if (pages->bytes.size)
			fwrite(pages->bytes.bytes, 1, pages->bytes.size, file);
		bytes += pages->bytes.size;
	}
	if (dat->context.summary)
		*dat->context.summary =
			(struct timeline_summary){ .slices = dat->entries.count,
						   .bytes = bytes };
	byte_buffer_free(&head);
}

static void write_all(struct trace_dat *dat)
{
	struct array cpus = ARRAY_OF(struct cpu_pages);

	make_pages(dat, &cpus);
	if (!dat->has_failed)
		write_file(dat, &cpus);
	for (size_t i = 0; i < cpus.count; i++)
		byte_buffer_free(
			&((struct cpu_pages *)array_at(&cpus, i))->bytes);
	array_free(&cpus);
}

static int finish(struct span_writer *writer)
{
	struct trace_dat *dat = of_writer(writer);
	struct open_track *open = dat->open.items;
	bool has_failed;

	if (dat->calls)
		write_all(dat);
	has_failed = dat->has_failed;
	for (size_t i = 0; i < dat->open.count; i++) {
		array_free(&open[i].times);
		array_free(&open[i].ends);
	}
	array_free(&dat->open);
	array_free(&dat->entries);
	byte_buffer_free(&dat->fields);
	string_pool_free(dat->calls);
	free(dat);
	return has_failed ? -ERROR_MEMORY : 0;
}

static struct step_callback *open_dat(const struct timeline_context *context)
{
	struct trace_dat *dat = calloc(1, sizeof(*dat));

	if (!dat)
		return NULL;
	dat->writer = (struct span_writer){
		.announce = announce,
		.change = change,
		.begin = begin,
		.end = end,
		.switched = switched,
		.waking = waking,
		.finish = finish,
	};
	dat->context = *context;
	dat->entries = ARRAY_OF(struct entry);
	dat->open = ARRAY_OF(struct open_track);
	dat->calls = string_pool_new();
	if (dat->calls)
		return span_export_open(context, &dat->writer);
	finish(&dat->writer);
	return NULL;
}

const struct timeline_renderer export_trace_dat = {
	.command = "export",
	.format = "trace.dat",
	.needs_time = true,
	.default_min_ns = 1000,
	.open = open_dat,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
