/* SPDX-License-Identifier: MIT */
#include "report/annotate/annotate.h"

#include "common/error.h"
#include "common/files/file_map.h"
#include "report/annotate/annotation.h"
#include "report/annotate/disassembly_internal.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Prints how often each instruction ran, by function and source line.
 *
 *	annotation.h: counts of instructions and branches ─► rows by time of the
 *	function ─► rows of one source line ─► the line, then its instructions
 *
 * The source of a line is read when its first row is printed; an unreadable
 * file leaves the line empty. Instructions that never ran are printed only
 * between others of their line. Branches have their targets, most frequent
 * first.
 */

enum {
	LABEL_BYTES = 256,
	/* Runs of instructions that never ran are folded from this length on.
	 */
	FOLDED_LINES = 4,
	/* The targets of an indirect branch that are listed. */
	LISTED_TARGETS = 3,
};

/* An instruction of the output. */
struct row {
	uint32_t code; /* index in the annotation's codes */
	struct annotated_line line;
};

/* The source file that is open; path "": none. */
struct source_file {
	char path[512];
	struct file_map map;
};

struct output {
	const struct annotation *annotation;
	const struct annotate_options *options;
	const struct function_table *functions;
	const struct time_unit *unit;
	struct array rows; /* struct row: functions in order of output */
	/* the branches, sorted by code, offset and count */
	struct array branches;	    /* struct annotated_branch */
	struct source_file *source; /* owned */
};

static const struct annotated_code *code_at(const struct output *output,
					    uint32_t index)
{
	return array_at(&output->annotation->codes.items, index);
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct output *output = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	uint64_t x_ns = code_at(output, x)->time_ns;
	uint64_t y_ns = code_at(output, y)->time_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

static int add_rows(struct output *output, uint32_t code)
{
	struct array lines;
	int status = annotation_lines(output->annotation, code, &lines);
	const struct annotated_line *line = lines.items;

	for (size_t i = 0; i < lines.count && !status; i++)
		status = array_append(&output->rows,
				      &(struct row){ code, line[i] });
	array_free(&lines);
	return status;
}

static int add_all_rows(struct output *output)
{
	size_t count = output->annotation->codes.items.count;
	uint32_t *order = calloc(count + 1, sizeof(*order));
	int status = order ? 0 : -ERROR_MEMORY;

	for (uint32_t i = 0; i < count && !status; i++)
		order[i] = i;
	if (!status)
		qsort_r(order, count, sizeof(*order), by_time, output);
	for (size_t i = 0; i < count && i < output->options->top && !status;
	     i++)
		status = add_rows(output, order[i]);
	free(order);
	return status;
}

static int output_make(struct output *output,
		       const struct annotation *annotation,
		       const struct annotate_options *options)
{
	const struct array *branches = &annotation->branches.items;
	int status;

	*output = (struct output){
		.source = calloc(1, sizeof(*output->source)),
		.annotation = annotation,
		.options = options,
		.functions = symbols_functions(annotation->input.symbols),
		.unit = time_unit_of(annotation->input.recording),
		.rows = ARRAY_OF(struct row),
		.branches = ARRAY_OF(struct annotated_branch),
	};
	status = output->source ? add_all_rows(output) : -ERROR_MEMORY;
	for (size_t i = 0; i < branches->count && !status; i++)
		status = array_append(&output->branches, array_at(branches, i));
	array_sort_by(&output->branches,
		      KEYS(RISING(struct annotated_branch, code),
			   RISING(struct annotated_branch, from),
			   FALLING(struct annotated_branch, count),
			   RISING(struct annotated_branch, target),
			   RISING(struct annotated_branch, offset)));
	return status;
}

static void output_free(struct output *output)
{
	array_free(&output->rows);
	array_free(&output->branches);
	if (output->source)
		file_map_close(&output->source->map);
	free(output->source);
}

static bool is_before(const void *item, const void *key)
{
	const struct annotated_branch *branch = item;
	const struct annotated_branch *wanted = key;

	return branch->code != wanted->code ? branch->code < wanted->code :
					      branch->from < wanted->from;
}

/* Returns the branches of @row, most frequent first, and sets *@count. */
static const struct annotated_branch *
branches_of(const struct output *output, const struct row *row, size_t *count)
{
	struct annotated_branch key = {
		.code = row->code,
		.from = row->line.offset,
	};
	size_t first =
		array_partition_point(&output->branches, &key, is_before);
	const struct annotated_branch *branches = output->branches.items;
	size_t end = first;

	while (end < output->branches.count && branches[end].code == key.code &&
	       branches[end].from == key.from)
		end++;
	*count = end - first;
	return branches + first;
}

/* Writes a target, @offset in @function: "+0x40" if this is the function of
 * @code, otherwise "vfs_read+0x40".
 */
static void write_target(const struct output *output,
			 const struct annotated_code *code, uint32_t function,
			 uint32_t offset, char label[LABEL_BYTES])
{
	if (function == code->function)
		snprintf(label, LABEL_BYTES, "+0x%" PRIx32, offset);
	else if (function == FUNCTION_UNKNOWN)
		snprintf(label, LABEL_BYTES, "(unknown)");
	else if (offset)
		snprintf(label, LABEL_BYTES, "%s+0x%" PRIx32,
			 function_text(output->functions, function), offset);
	else
		snprintf(label, LABEL_BYTES, "%s",
			 function_text(output->functions, function));
}

/* The branch at the end of an instruction. */
struct branch_text {
	bool is_conditional;
	uint64_t taken;
	uint64_t not_taken;
	char target[LABEL_BYTES]; /* of a direct branch, else "" */
};

/* Writes the target @address of a direct branch, which need not have been
 * taken.
 */
static void write_address(const struct output *output,
			  const struct annotated_code *code, uint64_t address,
			  char label[LABEL_BYTES])
{
	const struct symbols *symbols = output->annotation->input.symbols;
	struct symbol symbol;

	if (address - code->address < code->size_bytes) {
		snprintf(label, LABEL_BYTES, "+0x%" PRIx64,
			 address - code->address);
		return;
	}
	symbols_find(symbols, -1, UINT64_MAX, address, &symbol);
	if (symbol.function != FUNCTION_UNKNOWN)
		write_target(output, code, symbol.function,
			     (uint32_t)(address - symbol.start), label);
	else
		snprintf(label, LABEL_BYTES, "0x%" PRIx64, address);
}

static void describe(const struct output *output, const struct row *row,
		     const struct disassembly *text, struct branch_text *branch)
{
	const struct annotated_code *code = code_at(output, row->code);
	uint32_t next = row->line.offset + row->line.size_bytes;
	bool is_call = !strncmp(text->text, "call", 4);
	size_t count;
	const struct annotated_branch *branches =
		branches_of(output, row, &count);

	*branch = (struct branch_text){
		.is_conditional = text->target && !is_call &&
				  strcmp(text->text, "jmp") != 0,
	};
	if (text->target)
		write_address(output, code, text->target, branch->target);
	for (size_t i = 0; i < count; i++) {
		if (branch->is_conditional && branches[i].offset == next &&
		    branches[i].target == code->function) {
			branch->not_taken = branches[i].count;
			continue;
		}
		branch->taken += branches[i].count;
		if (text->target)
			write_target(output, code, branches[i].target,
				     branches[i].offset, branch->target);
	}
}

/* Prints how often a conditional branch was taken, or the targets of an
 * indirect one. Returns are not described: their targets are the callers.
 */
static void print_branch(const struct output *output, const struct row *row,
			 const struct disassembly *text,
			 const struct branch_text *branch, FILE *out)
{
	char label[LABEL_BYTES];
	size_t count;
	const struct annotated_branch *branches =
		branches_of(output, row, &count);

	if (branch->is_conditional) {
		fprintf(out, "  taken %" PRIu64 " of %" PRIu64, branch->taken,
			branch->taken + branch->not_taken);
		return;
	}
	if (text->target || !strncmp(text->text, "ret", 3))
		return;
	for (size_t i = 0; i < count && i < LISTED_TARGETS; i++) {
		write_target(output, code_at(output, row->code),
			     branches[i].target, branches[i].offset, label);
		fputs(i ? ", " : "  -> ", out);
		name_write(out, NAME_TEXT, label);
		fprintf(out, " %" PRIu64, branches[i].count);
	}
	if (count > LISTED_TARGETS)
		fprintf(out, " and %zu more", count - LISTED_TARGETS);
}

/* Prints @value right-aligned as a time; 0 as spaces. */
static void print_time(const struct output *output, uint64_t value, FILE *out)
{
	fprintf(out, "  %9s",
		value ? time_unit_text(output->unit, value).text : "");
}

static void print_instruction(const struct output *output,
			      const struct row *row, FILE *out)
{
	struct disassembly text;
	struct branch_text branch;
	char full[DISASSEMBLY_TEXT_BYTES + LABEL_BYTES + 1];
	char offset[16];

	annotation_disassemble(output->annotation, code_at(output, row->code),
			       row->line.offset, &text);
	describe(output, row, &text, &branch);
	snprintf(full, sizeof(full), "%s%s%s", text.text,
		 *branch.target ? " " : "", branch.target);
	snprintf(offset, sizeof(offset), "+0x%" PRIx32, row->line.offset);
	fprintf(out, "%8" PRIu64, row->line.count);
	print_time(output, row->line.time_ns, out);
	fprintf(out, "  %-7s  ", offset);
	name_write(out, NAME_TEXT, full);
	if (row->line.count) {
		if (branch.is_conditional)
			fprintf(out, "%*s",
				strlen(full) < 40 ? (int)(40 - strlen(full)) :
						    0,
				"");
		print_branch(output, row, &text, &branch, out);
	}
	fputc('\n', out);
}

/* The position of an instruction in the source. */
struct place {
	struct source_line line; /* line 0: unknown */
	/* the function inlined there, innermost; NULL: none */
	const char *inlined;
};

static struct place place_of(const struct output *output, const struct row *row)
{
	const struct annotated_code *code = code_at(output, row->code);
	const struct function *function =
		function_at(output->functions, code->function);
	struct inlined_call calls[INLINED_CALLS_MOST];
	struct place place = { .line = { .line = 0 } };
	uint64_t offset;
	size_t count;

	if (!output->options->lines ||
	    !annotation_source_offset(code, function, row->line.offset,
				      &offset))
		return place;
	count = lines_find_inlined(output->options->lines, function, offset,
				   calls, &place.line);
	if (count)
		place.inlined = calls[count - 1].name;
	else if (!lines_find(output->options->lines, function, offset,
			     &place.line))
		place.line.line = 0;
	return place;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	return a->line.line == b->line.line &&
	       (!a->line.line || is_same_text(a->line.file, b->line.file)) &&
	       is_same_text(a->inlined, b->inlined);
}

/* Opens @path; afterwards @source has its text, empty if unreadable. */
static void open_source(struct source_file *source, const char *path)
{
	if (!strcmp(source->path, path))
		return;
	file_map_close(&source->map);
	source->map = (struct file_map){ .bytes = NULL };
	snprintf(source->path, sizeof(source->path), "%s", path);
	if (file_map_open(&source->map, path, NULL) < 0)
		source->map = (struct file_map){ .bytes = NULL };
}

/* Returns the text of line @number of the open source file, and its length. */
static const char *source_text(const struct source_file *source, int number,
			       size_t *length)
{
	const char *at = (const char *)source->map.bytes;
	const char *end = at ? at + source->map.size : NULL;
	const char *line_end;

	for (int i = 1; at && i < number; i++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	if (!at || at == end)
		return NULL;
	line_end = memchr(at, '\n', (size_t)(end - at));
	*length = (size_t)((line_end ? line_end : end) - at);
	return at;
}

/* Prints the line @text of the source, with its tabs as four spaces. */
static void print_source(const char *text, size_t length, FILE *out)
{
	const char *end = text + length;

	while (text < end) {
		const char *tab = memchr(text, '\t', (size_t)(end - text));

		name_write_part(out, NAME_TEXT, text,
				(size_t)((tab ? tab : end) - text));
		if (!tab)
			break;
		fputs("    ", out);
		text = tab + 1;
	}
}

/* Prints the line of the source that @row starts, with the time of its
 * instructions, which are those up to @end.
 */
static void print_line(struct output *output, const struct row *row,
		       const struct row *end, const struct place *place,
		       FILE *out)
{
	const struct source_line *line = &place->line;
	const char *slash = strrchr(line->file, '/');
	uint64_t time_ns = 0;
	size_t length;
	const char *text;

	for (const struct row *at = row; at < end; at++)
		time_ns += at->line.time_ns;
	open_source(output->source, line->file);
	text = source_text(output->source, line->line, &length);
	fprintf(out, "%8" PRIu64, row->line.count);
	print_time(output, time_ns, out);
	fputs("  ", out);
	name_write(out, NAME_TEXT, slash ? slash + 1 : line->file);
	fprintf(out, ":%d", line->line);
	if (place->inlined) {
		fputs(" in inlined ", out);
		name_write(out, NAME_TEXT, place->inlined);
	}
	if (text) {
		fputs("  ", out);
		print_source(text, length, out);
	}
	fputc('\n', out);
}

/* Prints the instructions from @row to @end, which are of one line or never
 * ran.
 */
static void print_rows(const struct output *output, const struct row *row,
		       const struct row *end, FILE *out)
{
	while (row < end) {
		const struct row *after = row;

		while (after < end && !after->line.count)
			after++;
		if (after - row >= FOLDED_LINES &&
		    !output->options->with_unexecuted) {
			fprintf(out,
				"%8d%11s  +0x%-4" PRIx32
				"  ... %zu instructions that never ran\n",
				0, "", row->line.offset, (size_t)(after - row));
			row = after;
			continue;
		}
		print_instruction(output, row++, out);
	}
}

/* Returns the end of the rows from @row to @end that have the same source
 * position, and sets *@place to this position.
 */
static const struct row *place_end(const struct output *output,
				   const struct row *row, const struct row *end,
				   struct place *place)
{
	const struct row *after = row + 1;

	*place = place_of(output, row);
	while (after < end) {
		struct place next = place_of(output, after);

		if (!is_same_place(&next, place))
			break;
		after++;
	}
	return after;
}

static bool has_run(const struct row *row, const struct row *end)
{
	while (row < end)
		if ((row++)->line.count)
			return true;
	return false;
}

/* Prints the rows of one code. Source lines that never ran are not shown by
 * default: their instructions are folded into one line.
 */
static void print_code(struct output *output, const struct row *row,
		       const struct row *end, FILE *out)
{
	const struct row *unexecuted = NULL;

	while (row < end) {
		struct place place;
		const struct row *after = place_end(output, row, end, &place);

		if (!has_run(row, after) && !output->options->with_unexecuted) {
			unexecuted = unexecuted ? unexecuted : row;
		} else {
			if (unexecuted)
				print_rows(output, unexecuted, row, out);
			unexecuted = NULL;
			if (place.line.line)
				print_line(output, row, after, &place, out);
			print_rows(output, row, after, out);
		}
		row = after;
	}
	if (unexecuted)
		print_rows(output, unexecuted, end, out);
}

static void print_head(const struct output *output, const struct row *first,
		       FILE *out)
{
	const struct annotated_code *code = code_at(output, first->code);
	const struct function *function =
		function_at(output->functions, code->function);

	name_write(out, NAME_TEXT,
		   function_text(output->functions, code->function));
	fprintf(out, "%s  [", code->is_cold ? ", cold part" : "");
	name_write(out, NAME_TEXT,
		   *function->module ? function->module : "kernel");
	fprintf(out,
		"]: entered %" PRIu64 " times, %" PRIu64
		" instructions, %s by itself\n\n",
		first->line.count, code->instructions,
		time_unit_amount(output->unit, code->time_ns).text);
	if (code->known < code->size_bytes)
		fprintf(out,
			"%" PRIu64 " of its %" PRIu64
			" bytes are not in the recording.\n",
			code->size_bytes - code->known, code->size_bytes);
	fprintf(out, "%8s  %9s  %-7s  %s\n", "count", "time", "offset",
		"instruction");
}

int annotate_text(const struct annotation *annotation,
		  const struct annotate_options *options, FILE *out)
{
	struct output output;
	int status = output_make(&output, annotation, options);
	const struct row *row = output.rows.items;
	const struct row *end = row + output.rows.count;

	while (!status && row < end) {
		const struct row *after = row;

		while (after < end && after->code == row->code)
			after++;
		print_head(&output, row, out);
		print_code(&output, row, after, out);
		if (after < end)
			fputc('\n', out);
		row = after;
	}
	output_free(&output);
	return status;
}

static void write_branch(struct record_writer *writer,
			 const struct branch_text *branch)
{
	if (*branch->target)
		record_text(writer, "target", branch->target);
	else
		record_absent(writer, "target");
	if (branch->is_conditional) {
		record_number(writer, "taken", branch->taken);
		record_number(writer, "not_taken", branch->not_taken);
	} else {
		record_absent(writer, "taken");
		record_absent(writer, "not_taken");
	}
}

static void write_place(struct record_writer *writer, const struct place *place)
{
	if (place->line.line) {
		record_text(writer, "file", place->line.file);
		record_number(writer, "line", (uint64_t)place->line.line);
	} else {
		record_absent(writer, "file");
		record_absent(writer, "line");
	}
	if (place->inlined)
		record_text(writer, "inlined", place->inlined);
	else
		record_absent(writer, "inlined");
}

/* Writes the text of a line of the source, at the first of its instructions. */
static void write_source(struct record_writer *writer,
			 const struct output *output, uint64_t index,
			 const struct place *place)
{
	const struct row *row = array_at(&output->rows, index);
	char copy[256];
	size_t length;
	const char *text;

	if (!place->line.line)
		return;
	if (index && row[-1].code == row->code) {
		struct place before = place_of(output, row - 1);

		if (before.line.line == place->line.line &&
		    !strcmp(before.line.file, place->line.file))
			return;
	}
	open_source(output->source, place->line.file);
	text = source_text(output->source, place->line.line, &length);
	if (!text)
		return;
	snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
	record_text(writer, "source", copy);
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct output *output = ctx;
	const struct row *row = array_at(&output->rows, index);
	const struct annotated_code *code = code_at(output, row->code);
	const struct function *function =
		function_at(output->functions, code->function);
	struct disassembly text;
	struct branch_text branch;
	struct place place = place_of(output, row);

	annotation_disassemble(output->annotation, code, row->line.offset,
			       &text);
	describe(output, row, &text, &branch);
	record_text(writer, "function",
		    function_text(output->functions, code->function));
	record_text(writer, "module", function->module);
	record_number(writer, "is_cold", code->is_cold);
	record_number(writer, "offset", row->line.offset);
	record_address(writer, "address", code->address + row->line.offset);
	record_number(writer, "count", row->line.count);
	record_number(writer, "time_ns", row->line.time_ns);
	record_text(writer, "instruction", text.text);
	write_branch(writer, &branch);
	write_place(writer, &place);
	if (output->options->with_source)
		write_source(writer, output, index, &place);
}

static int write_records(const struct annotation *annotation,
			 const struct annotate_options *options, FILE *out,
			 enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);
	struct output output;
	int status = output_make(&output, annotation, options);

	writer.unit = output.unit;
	if (!status)
		record_writer_table(&writer, write_fields, &output,
				    output.rows.count);
	output_free(&output);
	return status;
}

int annotate_csv(const struct annotation *annotation,
		 const struct annotate_options *options, FILE *out)
{
	return write_records(annotation, options, out, RECORD_CSV);
}

int annotate_json(const struct annotation *annotation,
		  const struct annotate_options *options, FILE *out)
{
	return write_records(annotation, options, out, RECORD_JSON);
}
