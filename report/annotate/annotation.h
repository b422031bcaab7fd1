/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_ANNOTATE_ANNOTATION_H
#define KT_REPORT_ANNOTATE_ANNOTATION_H

#include "common/array.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <stdbool.h>
#include <stdint.h>

struct aux_stream;
struct code_image;
struct disassembly;
struct flow_source;
struct function;
struct name_choice;
struct recording;
struct symbols;

/* How often each instruction of chosen functions ran, how long it took, and
 * where its branches led.
 *
 *	flow_source (blocks that ran, one stream at a time)
 *	    └─► annotation_add_stream(): counts by block and by branch
 *	            └─► annotation_lines(): counts by instruction
 *
 * 1. Counts are exact: an instruction's count is the sum of the executions of
 *    all blocks that contain it. An interrupted block ends at the last
 *    instruction that ran.
 * 2. The time of a block is the time until the next item of its stream. The
 *    trace has no times of single instructions, so annotation_lines() splits a
 *    block's time evenly among its instructions. Sums over a function are those
 *    of `report --flat`, except for thunks, which are functions of their own
 *    here: `report --flat` charges them to the function that uses them.
 * 3. Blocks of all processes that run a program's function are added up. The
 *    bytes are those at the first execution; code that is patched later shows
 *    the first version.
 * 4. The process of user code is the one that the switch records name at the
 *    time of the block: with a trace that has only rare time packets, blocks
 *    near a switch may be looked up in the other process.
 *
 * Memory: proportional to the chosen code that ran. Not thread safe. The only
 * error is -ERROR_MEMORY.
 */
struct annotation {
	struct annotation_input {
		/* all borrowed */
		const struct recording *recording;
		const struct code_image *image;
		const struct symbols *symbols;
		const struct name_choice *functions;
		const struct step_filter *filter;
		struct time_window window;
	} input;
	struct keyed_array codes;    /* struct annotated_code */
	struct keyed_array blocks;   /* struct annotated_block */
	struct keyed_array branches; /* struct annotated_branch */
};

/* A chosen function's code, or its cold part. */
struct annotated_code {
	/* the key */
	uint32_t function;
	uint32_t is_cold;

	uint64_t address; /* of its first byte where it ran first */
	uint64_t size_bytes;
	uint8_t *bytes; /* the first "known" bytes; owned by the annotation */
	size_t known;
	uint8_t mode; /* as in FLOW_MODE */
	uint64_t time_ns;
	uint64_t instructions; /* number executed */
};

/* A block that ran, or its part in one code. */
struct annotated_block {
	/* the key */
	uint32_t code;	/* index in the annotation's codes */
	uint32_t first; /* offset of the first instruction */
	uint32_t last;	/* offset of the last instruction */

	uint64_t count;
	uint64_t time_ns;
};

/* Where a branch led. A conditional branch that was not taken leads to the next
 * instruction.
 */
struct annotated_branch {
	/* the key */
	uint32_t code;
	uint32_t from;	 /* offset of the branch */
	uint32_t target; /* function of the target */
	uint32_t offset; /* of the target from the start of its symbol */

	uint64_t count;
};

/* An instruction. */
struct annotated_line {
	uint32_t offset; /* from the start of its code */
	uint8_t size_bytes;
	uint64_t count;
	uint64_t time_ns;
};

/* Returns an empty annotation. */
struct annotation annotation_of(const struct annotation_input *input);
void annotation_free(struct annotation *annotation);

/* Adds what ran in @stream, whose blocks @source provides.
 *
 * Returns 0, or a negative enum error of @source.
 */
int annotation_add_stream(struct annotation *annotation,
			  const struct aux_stream *stream,
			  struct flow_source *source);

/* Disassembles the instruction at @offset of @code. */
void annotation_disassemble(const struct annotation *annotation,
			    const struct annotated_code *code, uint32_t offset,
			    struct disassembly *text);

/* Sets *@source_offset to the offset from @function's entry, as symbolize/elf/
 * lines.h counts it, of the instruction at @offset of its @code. Returns false
 * if it is unknown, as in the cold part of a program's function.
 */
bool annotation_source_offset(const struct annotated_code *code,
			      const struct function *function, uint32_t offset,
			      uint64_t *source_offset);

/* Sets *@lines to the instructions of code @index (struct annotated_line), in
 * order, including those that never ran; the caller frees them. Returns 0 or
 * -ERROR_MEMORY.
 */
int annotation_lines(const struct annotation *annotation, uint32_t index,
		     struct array *lines);

/* Returns how many of @lines are before @offset. */
size_t annotation_lines_before(const struct array *lines, uint32_t offset);

#endif
