/* SPDX-License-Identifier: MIT */
#include "collector/trigger/bpf_program.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

/* The inode number of the first PID namespace: PROC_PID_INIT_INO,
 * include/linux/proc_ns.h.
 */
#define FIRST_PID_NAMESPACE 0xeffffffc

void bpf_current_task(struct bpf_code *code, int position)
{
	struct stat own;

	if (stat("/proc/self/ns/pid", &own) ||
	    own.st_ino == FIRST_PID_NAMESPACE) {
		bpf_call(code, BPF_FUNC_get_current_pid_tgid);
		return;
	}
	/* the kernel's dev_t, include/linux/kdev_t.h */
	bpf_move_wide(code, BPF_REG_1,
		      (uint64_t)major(own.st_dev) << 20 | minor(own.st_dev));
	bpf_move_wide(code, BPF_REG_2, own.st_ino);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_3, position);
	bpf_move_number(code, BPF_REG_4, sizeof(struct bpf_pidns_info));
	/* Fails for a task outside, and writes zeros. */
	bpf_call(code, BPF_FUNC_get_ns_current_pid_tgid);
	bpf_load(code, BPF_DW, BPF_REG_0, BPF_REG_10, position);
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
	assert(jump < code->count);
	code->insns[jump].off = (int16_t)(code->count - jump - 1);
}

size_t bpf_jump(struct bpf_code *code)
{
	add(code, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	return code->count - 1;
}

void bpf_repeat_if(struct bpf_code *code, size_t start, int test, int left,
		   int32_t value)
{
	size_t jump = bpf_jump_if(code, test, left, value);

	code->insns[jump].off = (int16_t)((int)start - (int)code->count);
}

static void leave_by(struct bpf_code *code, size_t jump)
{
	assert(code->leave_count < BPF_CODE_LEAVES);
	code->leaves[code->leave_count++] = jump;
}

void bpf_leave(struct bpf_code *code)
{
	leave_by(code, bpf_jump(code));
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

static int call_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int bpf_map_new(enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		size_t entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = (uint32_t)key_bytes;
	attr.value_size = (uint32_t)value_bytes;
	attr.max_entries = (uint32_t)entries;
	return call_bpf(BPF_MAP_CREATE, &attr);
}

int bpf_map_set(int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	return call_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

int bpf_map_forget(int map, const void *key)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	return call_bpf(BPF_MAP_DELETE_ELEM, &attr);
}

/* Copies the last line of the verifier's @text, ignoring its statistics, to
 * @why.
 */
static void last_reason(char *text, char *why, size_t size)
{
	char *rest = text;
	const char *line;

	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "processed ", 10))
			snprintf(why, size, "%s", line);
}

/* Some helpers are only available to programs under the GPL, and the kernel
 * does not accept MIT alone as compatible (linux/license.h).
 */
static const char licence[] = "Dual MIT/GPL";

static void set_code(union bpf_attr *attr, const struct bpf_code *code)
{
	memset(attr, 0, sizeof(*attr));
	attr->insns = (uintptr_t)code->insns;
	attr->insn_cnt = (uint32_t)code->count;
	attr->license = (uintptr_t)licence;
}

int bpf_program_load(enum bpf_prog_type type, const struct bpf_code *code,
		     char *why, size_t size)
{
	char text[16384] = "";
	union bpf_attr attr;
	int saved;
	int fd;

	*why = '\0';
	set_code(&attr, code);
	attr.prog_type = type;
	fd = call_bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0 || errno == EPERM)
		return fd;
	saved = errno;
	attr.log_level = 1;
	attr.log_buf = (uintptr_t)text;
	attr.log_size = sizeof(text);
	fd = call_bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0)
		return fd;
	last_reason(text, why, size);
	errno = saved;
	return -1;
}

int bpf_iterator_load(const struct bpf_code *code, uint32_t function)
{
	union bpf_attr attr;

	set_code(&attr, code);
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = function;
	return call_bpf(BPF_PROG_LOAD, &attr);
}

int bpf_iterator_attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	return call_bpf(BPF_LINK_CREATE, &attr);
}

int bpf_iterator_open(int link)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link;
	return call_bpf(BPF_ITER_CREATE, &attr);
}

int bpf_raw_tracepoint_open(const char *name, int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)name;
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return call_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}
