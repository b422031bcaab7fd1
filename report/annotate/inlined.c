/* SPDX-License-Identifier: MIT */
/* Functions that the compiler inlined. A function's code at an inlined call is
 * in the debug information as one or more ranges, so each instruction that ran
 * is looked up and adds to the calls around it.
 *
 * The number of entries is the count of the call's first instruction. It is
 * exact, except that it also counts the iterations of a loop that starts with
 * this instruction.
 */
#include "common/array.h"
#include "common/error.h"
#include "report/annotate/annotate.h"
#include "report/annotate/annotation.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

/* An inlined call. */
struct inlined_sum {
	/* the key: calls have different identities only within one file */
	uint32_t function;
	uint32_t identity_low;
	uint32_t identity_high;

	uint32_t depth; /* 1: inlined into the function itself */
	const char *name;
	const char *into; /* the function with the call */
	struct source_line line;
	uint64_t count; /* entries */
	uint64_t instructions;
	uint64_t self_ns;
	uint64_t total_ns; /* including calls inlined into it */
};

struct inlined_sums {
	const struct annotation *annotation;
	const struct annotate_options *options;
	const struct function_table *functions;
	struct keyed_array sums; /* struct inlined_sum */
};

/* The instructions of one code. */
struct code_lines {
	const struct annotated_code *code;
	uint64_t base;	    /* the source offset of the first instruction */
	struct array lines; /* struct annotated_line */
};

/* Returns how often the instruction with @source_offset ran. */
static uint64_t count_at(const struct code_lines *code, uint64_t source_offset)
{
	uint64_t offset = source_offset - code->base;
	const struct annotated_line *line = code->lines.items;
	size_t before;

	if (offset >= code->code->size_bytes)
		return 0;
	before = annotation_lines_before(&code->lines, (uint32_t)offset);
	return before < code->lines.count && line[before].offset == offset ?
		       line[before].count :
		       0;
}

/* Adds instruction @line to the @count inlined calls @calls that contain it,
 * the outermost first.
 */
static int add_calls(struct inlined_sums *sums, const struct code_lines *code,
		     const struct annotated_line *line,
		     const struct inlined_call *calls, size_t count)
{
	uint32_t function = code->code->function;
	const char *into = function_text(sums->functions, function);

	for (size_t i = 0; i < count; i++) {
		struct inlined_sum *sum = keyed_array_add(
			&sums->sums,
			&(struct inlined_sum){
				.function = function,
				.identity_low = (uint32_t)calls[i].identity,
				.identity_high =
					(uint32_t)(calls[i].identity >> 32),
				.depth = (uint32_t)i + 1,
				.name = calls[i].name,
				.into = into,
				.line = calls[i].line,
				.count = count_at(code, calls[i].entry_offset),
			});

		if (!sum)
			return -ERROR_MEMORY;
		into = calls[i].name ? calls[i].name : "?";
		sum->total_ns += line->time_ns;
		sum->instructions += line->count;
		if (i + 1 == count)
			sum->self_ns += line->time_ns;
	}
	return 0;
}

static int add_line(struct inlined_sums *sums, const struct code_lines *code,
		    const struct annotated_line *line)
{
	const struct function *function =
		function_at(sums->functions, code->code->function);
	struct inlined_call calls[INLINED_CALLS_MOST];
	struct source_line own;
	size_t count;

	if (!line->count)
		return 0;
	count = lines_find_inlined(sums->options->lines, function,
				   code->base + line->offset, calls, &own);
	return add_calls(sums, code, line, calls, count);
}

static int add_code(struct inlined_sums *sums, uint32_t index)
{
	struct code_lines code = {
		.code = array_at(&sums->annotation->codes.items, index),
	};
	const struct annotated_line *line;
	int status;

	if (!annotation_source_offset(code.code,
				      function_at(sums->functions,
						  code.code->function),
				      0, &code.base))
		return 0;
	status = annotation_lines(sums->annotation, index, &code.lines);
	line = code.lines.items;
	for (size_t i = 0; i < code.lines.count && !status; i++)
		status = add_line(sums, &code, &line[i]);
	array_free(&code.lines);
	return status;
}

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	const struct inlined_sums *sums = ctx;
	const struct inlined_sum *sum = array_at(&sums->sums.items, index);

	record_text(writer, "function", sum->name ? sum->name : "?");
	record_text(writer, "into", sum->into);
	record_text(writer, "within",
		    function_text(sums->functions, sum->function));
	record_number(writer, "depth", sum->depth);
	record_number(writer, "count", sum->count);
	record_number(writer, "self_ns", sum->self_ns);
	record_number(writer, "total_ns", sum->total_ns);
	record_number(writer, "instructions", sum->instructions);
	if (sum->line.file) {
		record_text(writer, "file", sum->line.file);
		record_number(writer, "line", (uint64_t)sum->line.line);
	} else {
		record_absent(writer, "file");
		record_absent(writer, "line");
	}
}

int annotate_inlined(const struct annotation *annotation,
		     const struct annotate_options *options,
		     enum record_format format, FILE *out)
{
	struct record_writer writer = record_writer_of(out, format);
	struct inlined_sums sums = {
		.annotation = annotation,
		.options = options,
		.functions = symbols_functions(annotation->input.symbols),
		.sums = KEYED_ARRAY_OF(struct inlined_sum, identity_high),
	};
	struct array *items = &sums.sums.items;
	int status = 0;

	for (uint32_t i = 0; i < annotation->codes.items.count && !status; i++)
		status = add_code(&sums, i);
	array_sort_by(items, KEYS(FALLING(struct inlined_sum, total_ns),
				  RISING(struct inlined_sum, function),
				  RISING(struct inlined_sum, identity_high),
				  RISING(struct inlined_sum, identity_low)));
	writer.unit = time_unit_of(annotation->input.recording);
	if (!status && !items->count && format == RECORD_TABLE)
		fputs("No function is inlined there, as far as debug "
		      "information tells.\n",
		      out);
	else if (!status)
		record_writer_table(&writer, write_fields, &sums,
				    items->count < options->top ? items->count :
								  options->top);
	keyed_array_free(&sums.sums);
	return status;
}
