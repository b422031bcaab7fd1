/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_exit.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "decoder/libipt/branch.h"
#include "decoder/libipt/instruction_length.h"
#include "decoder/libipt/libipt_segment.h"

#include <stdbool.h>
#include <string.h>

/* The code that leaves the kernel is short. */
enum { MAX_INSTRUCTIONS = 64 };

/* A walk along instructions without trace, by their bytes alone. */
struct exit_walk {
	struct libipt_segment *segment;
	struct code_space *code;
	uint64_t start; /* of the current block */
	uint64_t address;
	uint16_t count; /* instructions in it so far */
	bool emits;
};

static void end_block(struct exit_walk *walk, enum flow_exit exit)
{
	if (walk->emits)
		libipt_segment_emit(
			walk->segment,
			&(struct flow_item){
				.kind = FLOW_BLOCK,
				.detail = exit & 0xf,
				.instructions = walk->count,
				.last = (uint32_t)(walk->address - walk->start),
				.ip = walk->start,
			});
	walk->count = 0;
}

/* Returns the target of the direct jump of @length bytes at @bytes. */
static uint64_t jump_target(const uint8_t *bytes, size_t length,
			    uint64_t address)
{
	int32_t distance;

	if (length < 5)
		return address + length +
		       (uint64_t)(int64_t)(int8_t)bytes[length - 1];
	memcpy(&distance, bytes + length - sizeof(distance), sizeof(distance));
	return address + length + (uint64_t)(int64_t)distance;
}

/* Advances by one instruction. Returns 1, 0 at a far return, -1 if the next
 * instruction does not follow from the bytes alone.
 */
static int step(struct exit_walk *walk)
{
	size_t left;
	const uint8_t *bytes =
		code_space_bytes(walk->code, walk->address, &left);
	size_t length = bytes ? instruction_length(bytes, left) : 0;
	struct branch branch;

	if (!length)
		return -1;
	branch = branch_read(bytes, left);
	walk->count++;
	if (branch.exit == FLOW_EXIT_NONE) {
		walk->address += length;
		return 1;
	}
	if (branch.exit == FLOW_EXIT_FAR_RETURN) {
		end_block(walk, branch.exit);
		return 0;
	}
	if (branch.exit != FLOW_EXIT_JUMP || branch.is_indirect)
		return -1;
	end_block(walk, branch.exit);
	walk->address = jump_target(bytes, length, walk->address);
	walk->start = walk->address;
	return 1;
}

/* Walks from @start, which is not changed. */
static int walk_out(struct exit_walk start, bool emits)
{
	struct exit_walk walk = start;
	int status = 1;

	walk.emits = emits;
	for (int i = 0; i < MAX_INSTRUCTIONS && status > 0; i++)
		status = step(&walk);
	return status;
}

void libipt_walk_out(struct libipt_segment *segment, struct code_space *code,
		     uint64_t last_ip)
{
	size_t left;
	const uint8_t *bytes = code_space_bytes(code, last_ip, &left);
	size_t length = bytes ? instruction_length(bytes, left) : 0;
	struct exit_walk walk = {
		.segment = segment,
		.code = code,
		.start = last_ip + length,
		.address = last_ip + length,
	};

	if (!length || branch_read(bytes, left).exit != FLOW_EXIT_NONE)
		return;
	if (walk_out(walk, false) == 0)
		walk_out(walk, true);
}
