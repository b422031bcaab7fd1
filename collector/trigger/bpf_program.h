/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_BPF_PROGRAM_H
#define KT_COLLECTOR_TRIGGER_BPF_PROGRAM_H

/* Assembles and loads the recorder's BPF programs, instruction by instruction,
 * so that recording needs neither a compiler nor a library.
 *
 *	bpf_move() … bpf_leave_if() ─► struct bpf_code ─► bpf_program_load()
 *
 * 1. bpf_finish() ends a program: it returns a result there; the jumps of
 *    bpf_leave*() lead to a second exit after it, which returns 0.
 * 2. Jumps go forward (bpf_jump_if() and bpf_land()), except those of
 *    bpf_repeat_if(), which the verifier accepts only from kernels with bounded
 *    loops on.
 * 3. BPF_CODE_ROOM and BPF_CODE_LEAVES are enough for the programs that exist:
 *    to exceed them is a bug.
 *
 * Source: Documentation/bpf/standardization/instruction-set.rst of Linux.
 */

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

enum { BPF_CODE_ROOM = 1024, BPF_CODE_LEAVES = 16 };

/* A BPF program under construction, instruction by instruction
 * (Documentation/bpf/standardization/instruction-set.rst).
 */
struct bpf_code {
	struct bpf_insn insns[BPF_CODE_ROOM];
	size_t count;
	size_t leaves[BPF_CODE_LEAVES]; /* jumps to the exit that returns 0 */
	size_t leave_count;
};

/* @to = @from; @to = @value, with its sign extended */
void bpf_move(struct bpf_code *code, int to, int from);

void bpf_move_number(struct bpf_code *code, int to, int32_t value);

/* @to = @value, of 64 bits; @to = the map that is open as @fd */
void bpf_move_wide(struct bpf_code *code, int to, uint64_t value);

void bpf_move_map(struct bpf_code *code, int to, int fd);

/* @to = @to @operation (BPF_ADD, ...) @from, or @value */
void bpf_compute(struct bpf_code *code, int operation, int to, int from);

void bpf_compute_number(struct bpf_code *code, int operation, int to,
			int32_t value);

/* @to = the @size (BPF_B, BPF_H, BPF_W, BPF_DW) at @base + @offset; or the
 * reverse, with register @from or the number @value
 */
void bpf_load(struct bpf_code *code, int size, int to, int base, int offset);

void bpf_store(struct bpf_code *code, int size, int base, int offset, int from);

void bpf_store_number(struct bpf_code *code, int size, int base, int offset,
		      int32_t value);

/* Calls helper @function (BPF_FUNC_...): arguments in r1 to r5, result in r0;
 * r6 to r9 are preserved.
 */
void bpf_call(struct bpf_code *code, int function);

/* r0 = the number of the current task's process, in the high half, and of its
 * thread, in the low half, in the recorder's PID namespace, as in perf's
 * records; 0 if the task is outside of it. @position is the offset from r10 of 8
 * bytes on the stack, which it may overwrite.
 */
void bpf_current_task(struct bpf_code *code, int position);

/* Jumps if @left @test (BPF_JEQ, ...) @value. Returns the jump, which
 * bpf_land() directs to the next instruction.
 */
size_t bpf_jump_if(struct bpf_code *code, int test, int left, int32_t value);

size_t bpf_jump_if_register(struct bpf_code *code, int test, int left,
			    int right);

void bpf_land(struct bpf_code *code, size_t jump);

/* Jumps in any case. Returns the jump, like bpf_jump_if(). */
size_t bpf_jump(struct bpf_code *code);

/* Jumps back to the start of a loop, where code->count was @start, if @left
 * @test @value. The verifier must be able to see that the loop ends.
 */
void bpf_repeat_if(struct bpf_code *code, size_t start, int test, int left,
		   int32_t value);

/* Return 0 from the program: always, or if the condition holds. */
void bpf_leave(struct bpf_code *code);

void bpf_leave_if(struct bpf_code *code, int test, int left, int32_t value);

void bpf_leave_if_register(struct bpf_code *code, int test, int left,
			   int right);

/* Ends the program, which returns @result here, and 0 where bpf_leave*() leave
 * it.
 */
void bpf_finish(struct bpf_code *code, int32_t result);

/* Calls of bpf(2). Unless stated otherwise, each returns a descriptor, to be
 * closed with close(2); or -1 with errno set.
 */

int bpf_map_new(enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		size_t entries);

/* Sets the value of @key in @map. Returns 0, or -1 with errno set. */
int bpf_map_set(int map, const void *key, const void *value);

/* Removes @key from @map. Returns 0, or -1, also if @key is missing. */
int bpf_map_forget(int map, const void *key);

/* Loads @code. If the kernel's verifier rejects it, @why is set to its reason
 * as one line, cut to @size; "" if the verifier was not reached.
 */
int bpf_program_load(enum bpf_prog_type type, const struct bpf_code *code,
		     char *why, size_t size);

/* Loads @code as a program that one of the kernel's iterators runs for each of
 * its objects; @function is the iterator's type number
 * (common/formats/kernel_types.h).
 */
int bpf_iterator_load(const struct bpf_code *code, uint32_t function);

/* bpf_iterator_attach() attaches such a program. bpf_iterator_open() opens its
 * output as a file; reading it iterates over the objects of the network
 * namespace in which this thread was at the time of the open.
 */
int bpf_iterator_attach(int program);

int bpf_iterator_open(int link);

/* Runs @program at the raw tracepoint @name until the descriptor is closed. */
int bpf_raw_tracepoint_open(const char *name, int program);

#endif
