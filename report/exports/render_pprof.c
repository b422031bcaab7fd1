/* SPDX-License-Identifier: MIT */
/* The profile as pprof's profile.proto, compressed with gzip: read by `go tool
 * pprof`, Pyroscope, Parca, Grafana and Polar Signals. Source:
 * proto/profile.proto of github.com/google/pprof.
 *
 * Each function is one Function and one Location, with the same number. Fields
 * may be in any order, and repeated ones keep theirs, so each is written when
 * it is first needed.
 */
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "common/packed_bytes.h"
#include "report/profile/profile_report.h"
#include "report/profile/stack_paths.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/perfetto_out.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* Fields of the messages. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};

enum value_type_field { VALUE_TYPE = 1, VALUE_UNIT = 2 };

enum sample_field {
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
};

enum label_field { LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3 };

enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
};

enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};

enum line_field { LINE_FUNCTION = 1, LINE_LINE = 2 };

enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYMBOL = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5,
};

/* The values of a sample. Without states, only the first three. */
enum sample_value {
	VALUE_CALLS,
	VALUE_CPU,
	VALUE_FAULTS,
	VALUE_WALL,
	VALUE_ASLEEP,
	VALUE_RUNNABLE,
	VALUES,
};

struct pprof {
	const struct profile_report *report;
	struct byte_buffer out;
	struct number_map functions; /* function: its id */
	struct number_map mappings;  /* module's text: its id */
	uint64_t strings;	     /* number written */
	uint64_t process_key;	     /* strings of label keys */
	uint64_t pid_key;
	uint64_t cgroup_key;
	int32_t tree; /* the last sample's process or group */
	uint64_t tree_string;
	const char *cgroup; /* of the last sample's process; NULL: unknown */
	uint64_t cgroup_string;
	bool has_tree;
	struct context_kinds *kinds;
	struct task_cgroups *cgroups; /* NULL: not recorded */
};

static void write_field(struct pprof *pprof, uint32_t field, const void *bytes,
			size_t size)
{
	uint8_t head[PROTOBUF_HEAD_MOST];

	byte_buffer_add(&pprof->out, head, protobuf_head(head, field, size));
	byte_buffer_add(&pprof->out, bytes, size);
}

static void write_message(struct pprof *pprof, uint32_t field,
			  const struct protobuf *message)
{
	write_field(pprof, field, message->bytes, message->size);
}

/* Adds @text to the strings, with bytes that are not UTF-8 escaped. Returns its
 * index.
 */
static uint64_t add_string(struct pprof *pprof, const char *text)
{
	char *made = name_made(NAME_UTF8, text);

	if (!made) {
		pprof->out.failed = true;
		return 0;
	}
	write_field(pprof, PROFILE_STRING, made, strlen(made));
	free(made);
	return pprof->strings++;
}

static void write_sample_type(struct pprof *pprof, const char *type,
			      const char *unit)
{
	struct protobuf message;

	protobuf_start(&message);
	protobuf_number(&message, VALUE_TYPE, add_string(pprof, type));
	protobuf_number(&message, VALUE_UNIT, add_string(pprof, unit));
	write_message(pprof, PROFILE_SAMPLE_TYPE, &message);
}

static void write_head(struct pprof *pprof)
{
	const struct profile_report *report = pprof->report;
	const struct time_unit *unit = time_unit_of(report->recording);
	const char *name = unit->is_time ? "nanoseconds" : unit->name;
	struct protobuf message;

	add_string(pprof, "");
	write_sample_type(pprof, "calls", "count");
	write_sample_type(pprof, "cpu", name);
	write_sample_type(pprof, "faults", "count");
	if (report->has_states) {
		write_sample_type(pprof, "wall", name);
		write_sample_type(pprof, "asleep", name);
		write_sample_type(pprof, "runnable", name);
	}
	pprof->process_key =
		add_string(pprof, report->groups ? "group" : "process");
	pprof->pid_key = add_string(pprof, "pid");
	pprof->cgroup_key = add_string(pprof, "cgroup");
	protobuf_start(&message);
	protobuf_number(&message, PROFILE_DEFAULT_TYPE,
			add_string(pprof, report->has_states ? "wall" : "cpu"));
	byte_buffer_add(&pprof->out, message.bytes, message.size);
}

/* Returns the id of @module, the kernel's for "". */
static uint64_t mapping_of(struct pprof *pprof, const char *module)
{
	uint64_t *id = number_map_add(&pprof->mappings, (uintptr_t)module);
	struct protobuf message;

	if (!id) {
		pprof->out.failed = true;
		return 0;
	}
	if (*id)
		return *id;
	*id = number_map_count(&pprof->mappings);
	protobuf_start(&message);
	protobuf_number(&message, MAPPING_ID, *id);
	protobuf_number(&message, MAPPING_FILE,
			add_string(pprof, *module ? module : "[kernel]"));
	protobuf_number(&message, MAPPING_HAS_FUNCTIONS, 1);
	write_message(pprof, PROFILE_MAPPING, &message);
	return *id;
}

static void write_function(struct pprof *pprof, uint64_t id, uint32_t number,
			   const struct function *function)
{
	struct protobuf message;
	struct source_line line;

	protobuf_start(&message);
	protobuf_number(&message, FUNCTION_ID, id);
	protobuf_number(
		&message, FUNCTION_NAME,
		add_string(pprof,
			   function_text(pprof->report->functions, number)));
	if (function)
		protobuf_number(&message, FUNCTION_SYMBOL,
				add_string(pprof, function_symbol(function)));
	if (function && pprof->report->lines &&
	    lines_find(pprof->report->lines, function, 0, &line)) {
		protobuf_number(&message, FUNCTION_FILE,
				add_string(pprof, line.file));
		protobuf_number(&message, FUNCTION_START, (uint64_t)line.line);
	}
	write_message(pprof, PROFILE_FUNCTION, &message);
}

static void write_location(struct pprof *pprof, uint64_t id,
			   const struct function *function)
{
	struct protobuf message;
	struct protobuf line;

	protobuf_start(&message);
	protobuf_start(&line);
	protobuf_number(&message, LOCATION_ID, id);
	if (function) {
		protobuf_number(&message, LOCATION_MAPPING,
				mapping_of(pprof, function->module));
		protobuf_number(&message, LOCATION_ADDRESS, function->address);
	}
	protobuf_number(&line, LINE_FUNCTION, id);
	protobuf_message(&message, LOCATION_LINE, &line);
	write_message(pprof, PROFILE_LOCATION, &message);
}

/* Returns the id of function or state @number. */
static uint64_t location_of(struct pprof *pprof, uint32_t number)
{
	uint64_t *id = number_map_add(&pprof->functions, number);
	enum frame_state state;
	const struct function *function = NULL;

	if (!id) {
		pprof->out.failed = true;
		return 0;
	}
	if (*id)
		return *id;
	*id = number_map_count(&pprof->functions);
	if (!frame_state_of(number, &state))
		function = function_at(pprof->report->functions, number);
	write_function(pprof, *id, number, function);
	write_location(pprof, *id, function);
	return *id;
}

/* Adds the texts of the labels of @tree. */
static void name_tree(struct pprof *pprof, int32_t tree)
{
	pprof->tree = tree;
	pprof->has_tree = true;
	pprof->tree_string =
		add_string(pprof, tree_label(pprof->report, tree).text);
	pprof->cgroup = NULL;
	if (pprof->cgroups && !pprof->report->groups && tree >= 0)
		pprof->cgroup = task_cgroups_path(pprof->cgroups, tree);
	if (pprof->cgroup)
		pprof->cgroup_string = add_string(pprof, pprof->cgroup);
}

static void write_label(struct pprof *pprof, int32_t tree,
			struct protobuf *sample)
{
	struct protobuf label;

	if (!pprof->has_tree || pprof->tree != tree)
		name_tree(pprof, tree);
	protobuf_start(&label);
	protobuf_number(&label, LABEL_KEY, pprof->process_key);
	protobuf_number(&label, LABEL_STRING, pprof->tree_string);
	protobuf_message(sample, SAMPLE_LABEL, &label);
	if (pprof->report->groups || tree < 0)
		return;
	protobuf_start(&label);
	protobuf_number(&label, LABEL_KEY, pprof->pid_key);
	protobuf_number(&label, LABEL_NUMBER, (uint64_t)tree);
	protobuf_message(sample, SAMPLE_LABEL, &label);
	if (!pprof->cgroup)
		return;
	protobuf_start(&label);
	protobuf_number(&label, LABEL_KEY, pprof->cgroup_key);
	protobuf_number(&label, LABEL_STRING, pprof->cgroup_string);
	protobuf_message(sample, SAMPLE_LABEL, &label);
}

/* Returns whether the innermost function of @path is the entry of a page fault;
 * the functions that an entry calls may be entries, too.
 */
static bool is_fault(const struct pprof *pprof, const struct stack_path *path)
{
	const uint32_t *last = &path->functions[path->depth - 1];

	return context_kind_of(pprof->kinds, *last) == CONTEXT_FAULT &&
	       (path->depth == 1 ||
		context_kind_of(pprof->kinds, last[-1]) != CONTEXT_FAULT);
}

/* Sets @values to those of @path; returns their number. */
static size_t set_values(const struct pprof *pprof,
			 const struct stack_path *path,
			 uint64_t values[static VALUES])
{
	enum frame_state state;
	bool is_state =
		frame_state_of(path->functions[path->depth - 1], &state);

	memset(values, 0, VALUES * sizeof(*values));
	values[VALUE_CALLS] = path->calls;
	if (!is_state && is_fault(pprof, path))
		values[VALUE_FAULTS] = path->calls + path->starts;
	values[VALUE_WALL] = path->self_ns;
	if (!is_state || state == FRAME_USER)
		values[VALUE_CPU] = path->self_ns;
	else if (state == FRAME_ASLEEP)
		values[VALUE_ASLEEP] = path->self_ns;
	else if (state == FRAME_RUNNABLE)
		values[VALUE_RUNNABLE] = path->self_ns;
	return pprof->report->has_states ? VALUES : VALUE_FAULTS + 1;
}

/* Writes a repeated number field in its packed form. */
static void add_packed(struct byte_buffer *message, uint32_t field,
		       const struct byte_buffer *numbers)
{
	uint8_t head[PROTOBUF_HEAD_MOST];

	byte_buffer_add(message, head,
			protobuf_head(head, field, numbers->size));
	byte_buffer_add(message, numbers->bytes, numbers->size);
	message->failed |= numbers->failed;
}

static void add_number(struct byte_buffer *numbers, uint64_t value)
{
	uint8_t bytes[PROTOBUF_VARINT_MOST];

	byte_buffer_add(numbers, bytes, protobuf_varint(bytes, value));
}

static int write_sample(void *ctx, const struct stack_path *path)
{
	struct pprof *pprof = ctx;
	struct byte_buffer message = { 0 };
	struct byte_buffer numbers = { 0 };
	struct protobuf labels;
	uint64_t values[VALUES];
	size_t count = set_values(pprof, path, values);

	/* The innermost location is first. */
	for (size_t i = path->depth; i > 0; i--)
		add_number(&numbers,
			   location_of(pprof, path->functions[i - 1]));
	add_packed(&message, SAMPLE_LOCATIONS, &numbers);
	numbers.size = 0;
	for (size_t i = 0; i < count; i++)
		add_number(&numbers, values[i]);
	add_packed(&message, SAMPLE_VALUES, &numbers);
	protobuf_start(&labels);
	write_label(pprof, path->tree, &labels);
	byte_buffer_add(&message, labels.bytes, labels.size);
	write_field(pprof, PROFILE_SAMPLE, message.bytes, message.size);
	pprof->out.failed |= message.failed;
	byte_buffer_free(&message);
	byte_buffer_free(&numbers);
	return pprof->out.failed ? -ERROR_MEMORY : 0;
}

/* Writes @bytes compressed. Write errors are recorded in @out (ferror). */
static int compress(const struct byte_buffer *bytes, FILE *out)
{
	struct byte_buffer packed = { 0 };
	int status;

	byte_buffer_gzip(&packed, bytes->bytes, bytes->size);
	status = packed.failed ? -ERROR_MEMORY : 0;
	fwrite(packed.bytes, 1, packed.size, out);
	byte_buffer_free(&packed);
	return status;
}

int render_pprof(const struct profile_report *report, FILE *out)
{
	struct pprof pprof = { .report = report };
	int status;

	pprof.kinds = context_kinds_new(
		report->functions, arch_for(recording_arch(report->recording)));
	if (!pprof.kinds)
		return -ERROR_MEMORY;
	status = task_cgroups_open(report->recording, NULL, &pprof.cgroups);
	if (status < 0 && status != -ERROR_NOT_FOUND)
		goto out;
	write_head(&pprof);
	status = stack_paths_visit(report->tree, report->has_states,
				   write_sample, &pprof);
	if (!status && pprof.out.failed)
		status = -ERROR_MEMORY;
	if (!status)
		status = compress(&pprof.out, out);
out:
	byte_buffer_free(&pprof.out);
	number_map_free(&pprof.functions);
	number_map_free(&pprof.mappings);
	context_kinds_free(pprof.kinds);
	task_cgroups_close(pprof.cgroups);
	return status;
}
