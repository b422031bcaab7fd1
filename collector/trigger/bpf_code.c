/* SPDX-License-Identifier: MIT */
#include "collector/trigger/bpf_code.h"

#include <assert.h>

static void add(struct bpf_code *code, int opcode, int to, int from, int offset,
		int32_t value)
{
	assert(code->count < BPF_CODE_ROOM);
	code->insns[code->count++] = (struct bpf_insn){
		.code = (uint8_t)opcode,
		.dst_reg = (uint8_t)(to & 0xf),
		.src_reg = (uint8_t)(from & 0xf),
		.off = (int16_t)offset,
		.imm = value,
	};
}

void bpf_move(struct bpf_code *code, int to, int from)
{
	bpf_compute(code, BPF_MOV, to, from);
}

void bpf_move_number(struct bpf_code *code, int to, int32_t value)
{
	bpf_compute_number(code, BPF_MOV, to, value);
}

/* Adds two instructions, each with one half of @value. */
static void add_wide(struct bpf_code *code, int to, int kind, uint64_t value)
{
	add(code, BPF_LD | BPF_DW | BPF_IMM, to, kind, 0,
	    (int32_t)(uint32_t)value);
	add(code, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

void bpf_move_wide(struct bpf_code *code, int to, uint64_t value)
{
	add_wide(code, to, 0, value);
}

void bpf_move_map(struct bpf_code *code, int to, int fd)
{
	add_wide(code, to, BPF_PSEUDO_MAP_FD, (uint32_t)fd);
}

void bpf_compute(struct bpf_code *code, int operation, int to, int from)
{
	add(code, BPF_ALU64 | operation | BPF_X, to, from, 0, 0);
}

void bpf_compute_number(struct bpf_code *code, int operation, int to,
			int32_t value)
{
	add(code, BPF_ALU64 | operation | BPF_K, to, 0, 0, value);
}

void bpf_load(struct bpf_code *code, int size, int to, int base, int offset)
{
	add(code, BPF_LDX | size | BPF_MEM, to, base, offset, 0);
}

void bpf_store(struct bpf_code *code, int size, int base, int offset, int from)
{
	add(code, BPF_STX | size | BPF_MEM, base, from, offset, 0);
}

void bpf_store_number(struct bpf_code *code, int size, int base, int offset,
		      int32_t value)
{
	add(code, BPF_ST | size | BPF_MEM, base, 0, offset, value);
}

void bpf_call(struct bpf_code *code, int function)
{
	add(code, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

size_t bpf_jump_if(struct bpf_code *code, int test, int left, int32_t value)
{
	add(code, BPF_JMP | test | BPF_K, left, 0, 0, value);
	return code->count - 1;
}

size_t bpf_jump_if_register(struct bpf_code *code, int test, int left,
			    int right)
{
	add(code, BPF_JMP | test | BPF_X, left, right, 0, 0);
	return code->count - 1;
}

/* Offsets count from the instruction after the jump. */
void bpf_land(struct bpf_code *code, size_t jump)
{
	code->insns[jump].off = (int16_t)(code->count - jump - 1);
}

static void leave_by(struct bpf_code *code, size_t jump)
{
	assert(code->leave_count < BPF_CODE_LEAVES);
	code->leaves[code->leave_count++] = jump;
}

void bpf_leave(struct bpf_code *code)
{
	add(code, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	leave_by(code, code->count - 1);
}

void bpf_leave_if(struct bpf_code *code, int test, int left, int32_t value)
{
	leave_by(code, bpf_jump_if(code, test, left, value));
}

void bpf_leave_if_register(struct bpf_code *code, int test, int left, int right)
{
	leave_by(code, bpf_jump_if_register(code, test, left, right));
}

static void add_return(struct bpf_code *code, int32_t result)
{
	bpf_move_number(code, BPF_REG_0, result);
	add(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void bpf_finish(struct bpf_code *code, int32_t result)
{
	add_return(code, result);
	/* The verifier rejects unreachable instructions. */
	if (!code->leave_count)
		return;
	for (size_t i = 0; i < code->leave_count; i++)
		bpf_land(code, code->leaves[i]);
	add_return(code, 0);
}
