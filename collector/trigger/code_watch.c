/* SPDX-License-Identifier: MIT */
#include "collector/trigger/code_watch.h"

#include "collector/trigger/bpf_program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WATCHED_PROCESSES = 256 };

struct code_watch {
	int words; /* BPF map: the addresses, by process */
	int ring;
	int program;
	int tracepoint;
	size_t ring_bytes;
	/* the pages of the ring: how far it is read; how far it is written,
	 * followed by the data, which is mapped twice
	 */
	uint64_t *consumed;
	uint64_t *produced;
};

/* A record of the ring, as the kernel writes it (kernel/bpf/ringbuf.c). */
struct report {
	uint32_t size_and_flags;
	uint32_t page;
	uint64_t pid;
};

/* Offsets on the stack of the program. */
enum { PID = -8, WORD = -16 };

static void point_at(struct bpf_code *code, int to, int position)
{
	bpf_move(code, to, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, to, position);
}

static void call_map(struct bpf_code *code, int map, int function)
{
	bpf_move_map(code, BPF_REG_1, map);
	point_at(code, BPF_REG_2, PID);
	bpf_call(code, function);
}

/* Emits: jumps if the word at the address that r7 points to is not 0. Returns
 * the jump.
 */
static size_t jump_if_written(struct bpf_code *code, int index)
{
	bpf_store_number(code, BPF_DW, BPF_REG_10, WORD, 0);
	point_at(code, BPF_REG_1, WORD);
	bpf_move_number(code, BPF_REG_2, 8);
	bpf_load(code, BPF_DW, BPF_REG_3, BPF_REG_7, index * 8);
	/* On failure, as at address 0, the word remains 0. */
	bpf_call(code, BPF_FUNC_probe_read_user);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_10, WORD);
	return bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
}

/* Emits the program for sched_switch, whose first argument is whether the
 * current thread is preempted.
 */
static void emit(struct bpf_code *code, const struct code_watch *watch)
{
	size_t written[CODE_WATCH_WORDS];

	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_1, 0);
	bpf_leave_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_current_task(code, WORD);
	bpf_compute_number(code, BPF_RSH, BPF_REG_0, 32);
	bpf_store(code, BPF_DW, BPF_REG_10, PID, BPF_REG_0);
	call_map(code, watch->words, BPF_FUNC_map_lookup_elem);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
	for (int i = 0; i < CODE_WATCH_WORDS; i++)
		written[i] = jump_if_written(code, i);
	bpf_leave(code);
	for (int i = 0; i < CODE_WATCH_WORDS; i++)
		bpf_land(code, written[i]);
	call_map(code, watch->words, BPF_FUNC_map_delete_elem);
	bpf_move_map(code, BPF_REG_1, watch->ring);
	point_at(code, BPF_REG_2, PID);
	bpf_move_number(code, BPF_REG_3, 8);
	bpf_move_number(code, BPF_REG_4, BPF_RB_FORCE_WAKEUP);
	bpf_call(code, BPF_FUNC_ringbuf_output);
	bpf_finish(code, 0);
}

static bool map_ring(struct code_watch *watch)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	watch->consumed = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
			       watch->ring, 0);
	watch->produced = mmap(NULL, page + 2 * watch->ring_bytes, PROT_READ,
			       MAP_SHARED, watch->ring, (off_t)page);
	return watch->consumed != MAP_FAILED && watch->produced != MAP_FAILED;
}

static bool attach(struct code_watch *watch)
{
	struct bpf_code code = { .count = 0 };
	char why[256];

	emit(&code, watch);
	watch->program = bpf_program_load(BPF_PROG_TYPE_RAW_TRACEPOINT, &code,
					  why, sizeof(why));
	if (watch->program < 0)
		return false;
	watch->tracepoint =
		bpf_raw_tracepoint_open("sched_switch", watch->program);
	return watch->tracepoint >= 0;
}

struct code_watch *code_watch_new(void)
{
	struct code_watch *watch = malloc(sizeof(*watch));

	if (!watch)
		return NULL;
	*watch = (struct code_watch){
		.program = -1,
		.tracepoint = -1,
		.ring_bytes = (size_t)sysconf(_SC_PAGESIZE),
		.consumed = MAP_FAILED,
		.produced = MAP_FAILED,
	};
	watch->words = bpf_map_new(BPF_MAP_TYPE_HASH, 8,
				   CODE_WATCH_WORDS * sizeof(uint64_t),
				   WATCHED_PROCESSES);
	watch->ring =
		bpf_map_new(BPF_MAP_TYPE_RINGBUF, 0, 0, watch->ring_bytes);
	if (watch->words >= 0 && watch->ring >= 0 && map_ring(watch) &&
	    attach(watch))
		return watch;
	code_watch_free(watch);
	return NULL;
}

static void unmap(void *pages, size_t size)
{
	if (pages != MAP_FAILED)
		munmap(pages, size);
}

void code_watch_free(struct code_watch *watch)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int files[4];

	if (!watch)
		return;
	files[0] = watch->tracepoint;
	files[1] = watch->program;
	files[2] = watch->ring;
	files[3] = watch->words;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i] >= 0)
			close(files[i]);
	unmap(watch->consumed, page);
	unmap(watch->produced, page + 2 * watch->ring_bytes);
	free(watch);
}

void code_watch_set(struct code_watch *watch, pid_t pid,
		    const uint64_t addresses[CODE_WATCH_WORDS])
{
	uint64_t key = (uint64_t)pid;

	if (watch)
		bpf_map_set(watch->words, &key, addresses);
}

void code_watch_forget(struct code_watch *watch, pid_t pid)
{
	uint64_t key = (uint64_t)pid;

	if (watch)
		bpf_map_forget(watch->words, &key);
}

int code_watch_fd(const struct code_watch *watch)
{
	return watch ? watch->ring : -1;
}

pid_t code_watch_next(struct code_watch *watch)
{
	const struct report *report;
	uint64_t at;

	if (!watch)
		return 0;
	at = *watch->consumed;
	if (at == __atomic_load_n(watch->produced, __ATOMIC_ACQUIRE))
		return 0;
	report = (const void *)((const uint8_t *)watch->produced +
				sysconf(_SC_PAGESIZE) + at % watch->ring_bytes);
	if (__atomic_load_n(&report->size_and_flags, __ATOMIC_ACQUIRE) &
	    BPF_RINGBUF_BUSY_BIT)
		return 0;
	__atomic_store_n(watch->consumed, at + sizeof(*report),
			 __ATOMIC_RELEASE);
	return (pid_t)report->pid;
}
