/* SPDX-License-Identifier: MIT */
#include "report/annotate/annotation.h"

#include "common/error.h"
#include "decoder/code/code_image.h"
#include "decoder/code/process_maps.h"
#include "decoder/code/user_code.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "report/annotate/disassembly_internal.h"
#include "report/steps/call_step.h"
#include "report/steps/step_select.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Counts how often each instruction of the chosen functions ran, from the
 * blocks of a list (engine_open_blocks()), stream by stream.
 *
 *	block ─► add_block(): the functions it covers ─► struct annotated_code
 *	      ─► add_branch(): from its last instruction to the next block
 *
 * A code is a function or its cold part, with the bytes of its first execution
 * (annotation.h, invariant 3). Blocks are counted whole; annotation_lines()
 * derives the counts of their instructions at the end.
 */

/* Larger functions are cut to this size. */
enum { MAX_CODE_BYTES = 1 << 20 };

/* The state of one stream. */
struct reader {
	struct annotation *annotation;
	struct named_functions named;
	struct symbol_cache *cache;
	struct process_maps *maps;
	struct user_code *user;
	struct array mapped; /* struct process_map */
	struct task task;
	bool is_chosen; /* the task is selected */
	uint8_t mode;	/* as in FLOW_MODE */
	/* The item before the current one; kind FLOW_END: none. */
	struct flow_item previous;
};

struct annotation annotation_of(const struct annotation_input *input)
{
	return (struct annotation){
		.input = *input,
		.codes = KEYED_ARRAY_OF(struct annotated_code, is_cold),
		.blocks = KEYED_ARRAY_OF(struct annotated_block, last),
		.branches = KEYED_ARRAY_OF(struct annotated_branch, offset),
	};
}

void annotation_free(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->codes.items.count; i++) {
		struct annotated_code *code =
			array_at(&annotation->codes.items, i);

		free(code->bytes);
	}
	keyed_array_free(&annotation->codes);
	keyed_array_free(&annotation->blocks);
	keyed_array_free(&annotation->branches);
}

/* Copies the bytes of user code at @address in process @pid; returns how many
 * are known.
 */
static size_t read_user(struct reader *reader, int32_t pid, uint64_t time_ns,
			uint64_t address, uint8_t *bytes, size_t size)
{
	size_t done = 0;

	reader->mapped.count = 0;
	if (!process_maps_at(reader->maps, pid, time_ns, &reader->mapped))
		return 0;
	user_code_set_maps(reader->user, &reader->mapped);
	while (done < size) {
		size_t left;
		const uint8_t *found =
			user_code_bytes(reader->user, address + done, &left);

		if (!found)
			break;
		if (left > size - done)
			left = size - done;
		memcpy(bytes + done, found, left);
		done += left;
	}
	return done;
}

/* Reads the bytes of @code, which runs now. */
static int read_code(struct reader *reader, struct annotated_code *code)
{
	const struct annotation_input *input = &reader->annotation->input;
	uint64_t time_ns = reader->previous.time_ns;

	code->bytes = calloc(1, code->size_bytes);
	if (!code->bytes)
		return -ERROR_MEMORY;
	if (code->address >= symbols_arch(input->symbols)->kernel_start)
		code->known = code_image_read(input->image, time_ns,
					      code->address, code->bytes,
					      code->size_bytes);
	else
		code->known = read_user(reader, reader->task.pid, time_ns,
					code->address, code->bytes,
					code->size_bytes);
	return 0;
}

/* Returns the code of @symbol, NULL when out of memory. */
static struct annotated_code *reach_code(struct reader *reader,
					 const struct symbol *symbol)
{
	struct keyed_array *codes = &reader->annotation->codes;
	uint64_t size = symbol->end - symbol->start;
	size_t count = codes->items.count;
	struct annotated_code *code = keyed_array_add(
		codes,
		&(struct annotated_code){
			.function = symbol->function,
			.is_cold = symbol->is_cold,
			.address = symbol->start,
			.mode = reader->mode,
			.size_bytes = size < MAX_CODE_BYTES ? size :
							      MAX_CODE_BYTES,
		});

	if (code && codes->items.count > count && read_code(reader, code) < 0)
		return NULL;
	return code;
}

/* Adds the part of the previous item, a block that took @time_ns, that is in
 * @symbol and starts at @address.
 */
static int add_part(struct reader *reader, const struct symbol *symbol,
		    uint64_t address, uint64_t time_ns)
{
	struct annotation *annotation = reader->annotation;
	const struct flow_item *item = &reader->previous;
	uint64_t last = item->ip + item->last;
	struct annotated_code *code = reach_code(reader, symbol);
	struct annotated_block *block;

	if (!code)
		return -ERROR_MEMORY;
	if (address - symbol->start >= code->size_bytes)
		return 0;
	if (last - symbol->start >= code->size_bytes)
		last = symbol->start + code->size_bytes - 1;
	block = keyed_array_add(
		&annotation->blocks,
		&(struct annotated_block){
			.code = (uint32_t)(code -
					   (struct annotated_code *)annotation
						   ->codes.items.items),
			.first = (uint32_t)(address - symbol->start),
			.last = (uint32_t)(last - symbol->start),
		});
	if (!block)
		return -ERROR_MEMORY;
	block->count++;
	block->time_ns += time_ns;
	code->time_ns += time_ns;
	/* A block that crosses the end of a function counts in the first. */
	if (address == item->ip)
		code->instructions += item->instructions;
	return 0;
}

/* Returns whether the target of @block's exit is the address of @next. A
 * conditional branch that is not taken also has one, the next instruction.
 */
static bool has_target(const struct flow_item *block,
		       const struct flow_item *next)
{
	bool is_known = next->kind == FLOW_BLOCK || next->kind == FLOW_START ||
			next->kind == FLOW_ASYNC;

	switch ((enum flow_exit)block->detail) {
	case FLOW_EXIT_CONDITIONAL:
	case FLOW_EXIT_JUMP:
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_RETURN:
		return is_known;
	case FLOW_EXIT_NONE:
	case FLOW_EXIT_FAR_CALL:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		break;
	}
	return false;
}

/* Adds the branch at the end of the previous block, which is in @symbol and
 * leads to @next.
 */
static int add_branch(struct reader *reader, const struct symbol *symbol,
		      const struct flow_item *next)
{
	struct annotation *annotation = reader->annotation;
	const struct flow_item *block = &reader->previous;
	struct annotated_branch *branch;
	struct annotated_branch like = {
		.from = (uint32_t)(block->ip + block->last - symbol->start),
	};
	struct annotated_code *code = reach_code(reader, symbol);
	const struct symbol *target;

	if (!code)
		return -ERROR_MEMORY;
	like.code = (uint32_t)(code - (struct annotated_code *)
					      annotation->codes.items.items);
	target = symbol_cache_find(reader->cache, next->time_ns, next->ip);
	like.target = target->function;
	like.offset = target->function == FUNCTION_UNKNOWN ?
			      0 :
			      (uint32_t)(next->ip - target->start);
	branch = keyed_array_add(&annotation->branches, &like);
	if (!branch)
		return -ERROR_MEMORY;
	branch->count++;
	return 0;
}

/* Adds the previous item, a block that was left for @next. */
static int add_block(struct reader *reader, const struct flow_item *next)
{
	const struct flow_item *block = &reader->previous;
	uint64_t time_ns = next->time_ns - block->time_ns;
	uint64_t address = block->ip;
	uint64_t last = block->ip + block->last;
	int status = 0;

	while (!status) {
		struct symbol symbol = *symbol_cache_find(
			reader->cache, block->time_ns, address);
		bool is_named =
			symbol.function != FUNCTION_UNKNOWN &&
			named_functions_has(&reader->named, symbol.function);

		if (is_named)
			status = add_part(reader, &symbol, address, time_ns);
		if (last < symbol.end || symbol.end <= address) {
			if (is_named && !status && has_target(block, next))
				status = add_branch(reader, &symbol, next);
			break;
		}
		address = symbol.end;
		time_ns = 0;
	}
	return status;
}

static void set_task(struct reader *reader, int32_t pid, int32_t tid)
{
	reader->task.pid = pid;
	reader->task.tid = tid;
	reader->is_chosen = step_filter_task(reader->annotation->input.filter,
					     &reader->task);
	symbol_cache_switch(reader->cache, pid);
}

static int consume_item(struct reader *reader, const struct flow_item *item)
{
	struct time_window window = reader->annotation->input.window;
	int status = 0;

	if (reader->previous.kind == FLOW_BLOCK && reader->is_chosen &&
	    time_window_has(window, reader->previous.time_ns))
		status = add_block(reader, item);
	if (item->kind == FLOW_SWITCH && item->detail != FLOW_SWITCH_AWAY)
		set_task(reader, flow_switch_pid(item), flow_switch_tid(item));
	else if (item->kind == FLOW_MODE)
		reader->mode = item->detail;
	reader->previous = *item;
	return status;
}

static int open_reader(struct reader *reader, const struct aux_stream *stream)
{
	const struct annotation_input *input = &reader->annotation->input;
	int32_t pid = -1;
	int32_t tid = -1;
	int status = first_task(input->recording, stream, &pid, &tid);

	reader->cache = symbol_cache_new(input->symbols);
	reader->maps = process_maps_new(input->recording);
	reader->user = user_code_new();
	if (status < 0 || !reader->cache || !reader->maps || !reader->user)
		return -ERROR_MEMORY;
	reader->task.cpu = stream->cpu;
	set_task(reader, pid, tid);
	return 0;
}

static void close_reader(struct reader *reader)
{
	named_functions_free(&reader->named);
	symbol_cache_free(reader->cache);
	user_code_free(reader->user);
	process_maps_free(reader->maps);
	array_free(&reader->mapped);
}

/* Returns whether all later items are after the window. */
static bool is_done(const struct reader *reader)
{
	return reader->previous.kind != FLOW_BLOCK &&
	       reader->previous.time_ns >=
		       reader->annotation->input.window.until_ns;
}

static int read_items(struct reader *reader, struct flow_source *source)
{
	const struct flow_item *items;
	int count;

	while (!is_done(reader) &&
	       (count = flow_source_next(source, &items)) != 0) {
		if (count < 0)
			return count;
		for (int i = 0; i < count; i++) {
			int status = consume_item(reader, &items[i]);

			if (status < 0)
				return status;
		}
	}
	return reader->named.status;
}

int annotation_add_stream(struct annotation *annotation,
			  const struct aux_stream *stream,
			  struct flow_source *source)
{
	const struct annotation_input *input = &annotation->input;
	struct reader reader = {
		.annotation = annotation,
		.named = named_functions_of(symbols_functions(input->symbols),
					    input->functions),
		.mapped = ARRAY_OF(struct process_map),
		.task = { .index = UINT32_MAX },
		.mode = 2,
		.previous = { .kind = FLOW_END },
	};
	int status = open_reader(&reader, stream);

	if (!status)
		status = read_items(&reader, source);
	close_reader(&reader);
	return status;
}

static enum disassembly_set set_of(const struct annotation *annotation,
				   uint8_t mode)
{
	static const enum disassembly_set x86[] = { DISASSEMBLY_X86_32,
						    DISASSEMBLY_X86_32,
						    DISASSEMBLY_X86_64 };
	static const enum disassembly_set arm[] = { DISASSEMBLY_T32,
						    DISASSEMBLY_A32,
						    DISASSEMBLY_A64 };
	bool is_x86 = recording_arch(annotation->input.recording) ==
		      RECORDING_ARCH_X86_64;

	assert(mode < 3);
	return is_x86 ? x86[mode] : arm[mode];
}

void annotation_disassemble(const struct annotation *annotation,
			    const struct annotated_code *code, uint32_t offset,
			    struct disassembly *text)
{
	disassemble(set_of(annotation, code->mode), code->bytes + offset,
		    offset < code->known ? code->known - offset : 0,
		    code->address + offset, text);
}

bool annotation_source_offset(const struct annotated_code *code,
			      const struct function *function, uint32_t offset,
			      uint64_t *source_offset)
{
	*source_offset = offset;
	if (!code->is_cold)
		return true;
	if (function->space == 'u')
		return false;
	*source_offset += code->address - function->address;
	return true;
}

/* Sums of the counts of blocks, by offset in one code. */
struct sums {
	uint64_t *starts; /* blocks that start here */
	uint64_t *ends;	  /* blocks whose last instruction starts here */
};

static bool sums_make(const struct annotation *annotation, uint32_t index,
		      uint64_t size, struct sums *sums)
{
	const struct annotated_block *blocks = annotation->blocks.items.items;

	sums->starts = calloc(size, sizeof(*sums->starts));
	sums->ends = calloc(size, sizeof(*sums->ends));
	if (!sums->starts || !sums->ends)
		return false;
	for (size_t i = 0; i < annotation->blocks.items.count; i++)
		if (blocks[i].code == index) {
			sums->starts[blocks[i].first] += blocks[i].count;
			sums->ends[blocks[i].last] += blocks[i].count;
		}
	return true;
}

/* Returns the size of the instruction at @offset, cut before the first start of
 * a block inside of it.
 */
static uint8_t line_size(const struct annotation *annotation,
			 const struct annotated_code *code, uint32_t offset,
			 const struct sums *sums)
{
	struct disassembly text;
	uint8_t size;

	annotation_disassemble(annotation, code, offset, &text);
	size = text.size_bytes ? text.size_bytes : 1;
	if (size > code->size_bytes - offset)
		size = (uint8_t)(code->size_bytes - offset);
	for (uint8_t i = 1; i < size; i++)
		if (sums->starts[offset + i])
			return i;
	return size;
}

static int make_lines(const struct annotation *annotation,
		      const struct annotated_code *code,
		      const struct sums *sums, struct array *lines)
{
	uint64_t running = 0;

	for (uint32_t at = 0; at < code->size_bytes;) {
		struct annotated_line *line = array_add(lines);
		uint8_t size = line_size(annotation, code, at, sums);

		if (!line)
			return -ERROR_MEMORY;
		running += sums->starts[at];
		*line = (struct annotated_line){
			.offset = at,
			.size_bytes = size,
			.count = running,
		};
		for (uint8_t i = 0; i < size; i++)
			running -= sums->ends[at + i];
		at += size;
	}
	return 0;
}

size_t annotation_lines_before(const struct array *lines, uint32_t offset)
{
	return array_count_below(
		lines, KEYS(RISING(struct annotated_line, offset)), offset);
}

/* Splits each block's time evenly among its instructions; the first ones have
 * the remainder.
 */
static void split_times(const struct annotation *annotation, uint32_t index,
			struct array *lines)
{
	const struct annotated_block *blocks = annotation->blocks.items.items;

	for (size_t i = 0; i < annotation->blocks.items.count; i++) {
		const struct annotated_block *block = &blocks[i];
		size_t first;
		uint64_t count;

		if (block->code != index)
			continue;
		first = annotation_lines_before(lines, block->first);
		count = annotation_lines_before(lines, block->last + 1) - first;
		for (uint64_t n = 0; n < count; n++) {
			struct annotated_line *line =
				array_at(lines, first + n);

			line->time_ns += block->time_ns / count +
					 (n < block->time_ns % count);
		}
	}
}

int annotation_lines(const struct annotation *annotation, uint32_t index,
		     struct array *lines)
{
	const struct annotated_code *code =
		array_at(&annotation->codes.items, index);
	struct sums sums = { 0 };
	int status = sums_make(annotation, index, code->size_bytes, &sums) ?
			     0 :
			     -ERROR_MEMORY;

	*lines = ARRAY_OF(struct annotated_line);
	if (!status)
		status = make_lines(annotation, code, &sums, lines);
	if (!status)
		split_times(annotation, index, lines);
	free(sums.starts);
	free(sums.ends);
	return status;
}
