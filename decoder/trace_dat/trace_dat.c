/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/trace_dat.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/regular_file.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/tracepoint_format.h"
#include "decoder/trace_dat/graph_formats.h"
#include "decoder/trace_dat/graph_record.h"
#include "decoder/trace_dat/loose_pages.h"
#include "decoder/trace_dat/ring_page.h"
#include "decoder/trace_dat/trace_dat_head.h"
#include "decoder/trace_dat/trace_dat_streams.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = "\x17\x08\x44tracing";

enum { MAGIC_BYTES = sizeof(magic) - 1 };

/* Sub-buffers are pages, or of the size in KiB set in the kernel. */
enum { PAGE_LEAST = 1 << 12, PAGE_MOST = 1 << 20 };

bool trace_dat_is(const char *path)
{
	char bytes[MAGIC_BYTES];
	int fd = regular_file_open(path);
	bool is_it = fd >= 0 && read(fd, bytes, MAGIC_BYTES) == MAGIC_BYTES &&
		     !memcmp(bytes, magic, MAGIC_BYTES);

	if (fd >= 0)
		close(fd);
	return is_it;
}

static int refuse(const struct trace_dat *dat, uint64_t offset,
		  const char *reason)
{
	log_message(dat->log, LOG_ERROR, dat->path, offset, "%s", reason);
	return -ERROR_FORMAT;
}

static int read_head(struct trace_dat *dat)
{
	struct byte_reader reader =
		byte_reader_of(dat->map.bytes, dat->map.size);
	const uint8_t *start = byte_reader_bytes(&reader, MAGIC_BYTES);
	const char *version = byte_reader_text(&reader);
	uint8_t is_big = byte_reader_u8(&reader);
	int error;

	if (!start || memcmp(start, magic, MAGIC_BYTES))
		return refuse(dat, 0, "is not a trace.dat of trace-cmd");
	byte_reader_u8(&reader); /* size of a long, in user space */
	dat->page_bytes = byte_reader_u32(&reader);
	if (is_big)
		return refuse(dat, 0,
			      "is of a big-endian machine, which are "
			      "not read");
	if (!strcmp(version, "6"))
		error = trace_dat_read_6(dat, &reader);
	else if (!strcmp(version, "7"))
		error = trace_dat_read_7(dat, &reader);
	else
		return refuse(dat, MAGIC_BYTES,
			      "is a trace.dat of a version that is not known "
			      "(6 and 7 are): convert it with trace-cmd "
			      "convert --file-version 6");
	if (!error && reader.failed)
		error = refuse(dat, reader.position,
			       "is cut off or damaged in its head");
	return error;
}

/* Returns the selected clock: the one in brackets, or the only one. */
static struct text_part chosen_clock(struct text_part clock)
{
	const char *open = memchr(clock.text, '[', clock.size_bytes);
	const char *end =
		open ? memchr(open, ']',
			      clock.size_bytes - (size_t)(open - clock.text)) :
		       NULL;

	if (end)
		return (struct text_part){ open + 1, (size_t)(end - open - 1) };
	clock.size_bytes = strnlen(clock.text, clock.size_bytes);
	return clock;
}

/* The others of kernel/trace/trace.c count nanoseconds. */
static int check_clock(const struct trace_dat *dat)
{
	static const char *const others[] = { "counter", "uptime", "x86-tsc",
					      "ppc-tb" };
	struct text_part clock;

	if (!dat->clock.text)
		return 0;
	clock = chosen_clock(dat->clock);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (clock.size_bytes != strlen(others[i]) ||
		    memcmp(clock.text, others[i], clock.size_bytes) != 0)
			continue;
		log_message(dat->log, LOG_ERROR, dat->path, LOG_NO_OFFSET,
			    "its clock, %s, does not count nanoseconds: "
			    "record with trace-cmd record -C perf",
			    others[i]);
		return -ERROR_UNSUPPORTED;
	}
	return 0;
}

static int check_formats(const struct trace_dat *dat,
			 const struct graph_trace *graph)
{
	if (dat->page_bytes < PAGE_LEAST || dat->page_bytes > PAGE_MOST ||
	    dat->page_bytes % sizeof(uint64_t))
		return refuse(dat, MAGIC_BYTES,
			      "the size of its pages is none "
			      "that Linux has");
	if (graph->page_bytes)
		return 0;
	log_message(dat->log, LOG_ERROR, dat->path, LOG_NO_OFFSET,
		    "does not describe the events of the function_graph "
		    "tracer, or not as Linux does: record with trace-cmd "
		    "record -p function_graph");
	return -ERROR_UNSUPPORTED;
}

/* "Linux HOST RELEASE MACHINE" */
static int read_system(const struct trace_dat *dat, struct recording_info *info)
{
	const char *words[4] = { "", "", "", "" };
	struct text_part rest = dat->system;

	for (int i = 0; i < 4 && rest.text; i++) {
		const char *end =
			memchr(rest.text, i < 3 ? ' ' : '\0', rest.size_bytes);
		size_t size = end ? (size_t)(end - rest.text) : rest.size_bytes;

		words[i] = arena_text(dat->arena, rest.text, size);
		if (!words[i])
			return -ERROR_MEMORY;
		rest.text = end ? end + 1 : NULL;
		rest.size_bytes -= end ? size + 1 : 0;
	}
	info->hostname = words[1];
	info->os_release = words[2];
	info->arch = words[3];
	info->cpus_online = (uint32_t)dat->cpus.count;
	info->cpus_available = info->cpus_online;
	info->version = "trace-cmd";
	return 0;
}

/* Parses a line "PID NAME". */
static int add_name(struct recording_facts *facts, struct text_part line)
{
	const char *blank = memchr(line.text, ' ', line.size_bytes);
	size_t digits = blank ? (size_t)(blank - line.text) : 0;
	struct saved_name *name;

	if (!digits || digits > 9)
		return 0;
	name = array_add(&facts->saved_names);
	if (!name)
		return -ERROR_MEMORY;
	/* The space ends the number. */
	name->tid = (int32_t)strtol(line.text, NULL, 10);
	name->name = arena_text(facts->arena, blank + 1,
				line.size_bytes - digits - 1);
	return name->name ? 0 : -ERROR_MEMORY;
}

static int read_names(const struct trace_dat *dat,
		      struct recording_facts *facts)
{
	struct text_part rest = dat->comms;
	const char *end;
	int error = 0;

	while (!error && rest.size_bytes &&
	       (end = memchr(rest.text, '\n', rest.size_bytes))) {
		struct text_part line = { rest.text,
					  (size_t)(end - rest.text) };

		error = add_name(facts, line);
		rest.text += line.size_bytes + 1;
		rest.size_bytes -= line.size_bytes + 1;
	}
	return error;
}

/* From the first page of all CPUs to the last one. */
static void note_times(struct recording *recording)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct recording_info *info = &facts->info;

	for (size_t i = 0; i < recording_stream_count(recording); i++) {
		const struct aux_stream *stream =
			recording_stream(recording, i);
		uint64_t first_ns;
		uint64_t last_ns;

		if (!ring_pages_times(&facts->graph, stream, &first_ns,
				      &last_ns))
			continue;
		if (!info->first_time_ns || first_ns < info->first_time_ns)
			info->first_time_ns = first_ns;
		if (last_ns > info->last_time_ns)
			info->last_time_ns = last_ns;
	}
}

static int add_streams(struct trace_dat *dat, struct recording_facts *facts)
{
	int error = trace_dat_add_streams(dat, &facts->maps, &facts->streams,
					  &facts->is_cut);

	return error ? error :
		       stream_list_finish(&facts->streams, &facts->events,
					  false);
}

/* Stops at the first function; nearly all pages have one. */
static bool stream_has_functions(const struct graph_trace *graph,
				 const struct aux_stream *stream)
{
	struct ring_pages pages = ring_pages_of(graph, stream);
	struct graph_record record;

	while (graph_record_next(&pages, &record))
		if (record.event != GRAPH_SWITCH)
			return true;
	return false;
}

static void look_for_functions(const struct recording *recording,
			       struct graph_trace *graph)
{
	for (size_t i = 0;
	     i < recording_stream_count(recording) && !graph->has_functions;
	     i++)
		graph->has_functions = stream_has_functions(
			graph, recording_stream(recording, i));
}

static int read_all(struct trace_dat *dat, struct recording *recording,
		    bool stands_alone)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	int error = read_head(dat);

	if (!error)
		error = check_clock(dat);
	if (error)
		return error;
	graph_formats_find(&dat->formats, &dat->page, dat->page_bytes,
			   &facts->graph);
	error = check_formats(dat, &facts->graph);
	facts->kallsyms = dat->kallsyms;
	if (!error && stands_alone)
		error = read_system(dat, &facts->info);
	if (!error && stands_alone)
		error = read_names(dat, facts);
	if (!error && !stands_alone)
		error = loose_pages_add(dat, recording, &facts->streams);
	if (!error)
		error = add_streams(dat, facts);
	if (!error && stands_alone)
		note_times(recording);
	if (!error)
		look_for_functions(recording, &facts->graph);
	if (error)
		facts->graph.page_bytes = 0;
	return error;
}

int trace_dat_read(struct recording *recording, const char *path,
		   bool stands_alone)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct trace_dat dat = {
		.log = facts->log,
		.arena = facts->arena,
		.path = path,
		.formats = ARRAY_OF(struct tracepoint),
		.cpus = ARRAY_OF(struct trace_dat_cpu),
	};
	struct file_map *map = array_add(&facts->maps);
	int error;

	if (!map)
		return -ERROR_MEMORY;
	error = file_map_open(map, path, facts->log);
	dat.map = *map;
	if (!error)
		error = read_all(&dat, recording, stands_alone);
	array_free(&dat.formats);
	array_free(&dat.cpus);
	return error;
}
