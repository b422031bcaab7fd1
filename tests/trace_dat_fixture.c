/* SPDX-License-Identifier: MIT */
#include "tests/trace_dat_fixture.h"

#include <stdio.h>
#include <string.h>

enum { ID_EXIT = 10, ID_ENTRY = 11, ID_SWITCH = 300 };

enum { PAGE_HEAD = 16 };

static const char *const names[MADE_COUNT] = {
	[MADE_ENTRY] = "entry_SYSCALL_64",
	[MADE_X64_SYS_CALL] = "x64_sys_call",
	[MADE_SYS_READ] = "__x64_sys_read",
	[MADE_VFS_READ] = "vfs_read",
	[MADE_IRQ_ENTER] = "irq_enter_rcu",
	[MADE_IRQ_EXIT] = "irq_exit_rcu",
	[MADE_SYSVEC] = "__sysvec_apic_timer_interrupt",
	[MADE_ASM_SYSVEC] = "asm_sysvec_apic_timer_interrupt",
	[MADE_SCHEDULE] = "schedule",
	[MADE_FINISH_SWITCH] = "finish_task_switch.isra.0",
	[MADE_VFS_READ_PART] = "vfs_read.part.0",
	[MADE_IRQ_RESCHED] = "raw_irqentry_exit_cond_resched",
	[MADE_FAULT] = "asm_exc_page_fault",
	[MADE_LOCK_VMA] = "lock_vma_under_rcu",
	[MADE_HANDLE_FAULT] = "handle_mm_fault",
	[MADE_CALL_WAY_OUT] = "syscall_exit_to_user_mode_prepare",
	[MADE_LOCK_MM] = "lock_mm_and_find_vma",
	[MADE_LAST_WAY_OUT] = "exit_to_user_mode_prepare",
};

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define FUNCTION \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"

/* As Linux 6.12 has them, shortened. */
static const char page_format[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char entry_format[] =
	"name: funcgraph_entry\nID: 11\nformat:\n" COMMON FUNCTION;
static const char exit_format[] =
	"name: funcgraph_exit\nID: 10\nformat:\n" COMMON FUNCTION;
static const char switch_format[] =
	"name: sched_switch\nID: 300\nformat:\n" COMMON
	"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_state;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n";

void made_page(struct made_trace_dat *dat, uint64_t time_ns, int is_lossy)
{
	size_t rest = dat->pages.size % MADE_PAGE_BYTES;

	if (rest)
		byte_buffer_zeros(&dat->pages, MADE_PAGE_BYTES - rest);
	dat->page = dat->pages.size;
	byte_buffer_u64(&dat->pages, time_ns);
	byte_buffer_u64(&dat->pages, is_lossy ? UINT64_C(1) << 31 : 0);
}

/* Begins an event with @words words of 4 bytes; the first three are common to
 * all events.
 */
static void begin_event(struct made_trace_dat *dat, uint32_t words, uint32_t id,
			int32_t tid)
{
	uint32_t bytes = (words + 1) * 4;
	uint32_t commit;

	memcpy(&commit, dat->pages.bytes + dat->page + 8, sizeof(commit));
	commit += bytes;
	memcpy(dat->pages.bytes + dat->page + 8, &commit, sizeof(commit));
	byte_buffer_u32(&dat->pages, words | 10u << 5);
	byte_buffer_u32(&dat->pages, id);
	byte_buffer_u32(&dat->pages, (uint32_t)tid);
}

static void add_function(struct made_trace_dat *dat, uint32_t id, int32_t tid,
			 enum made_function function, int32_t depth)
{
	begin_event(dat, 5, id, tid);
	byte_buffer_u64(&dat->pages, MADE_FUNCTIONS + 0x100 * function);
	byte_buffer_u32(&dat->pages, (uint32_t)depth);
}

void made_enter(struct made_trace_dat *dat, int32_t tid,
		enum made_function function, int32_t depth)
{
	add_function(dat, ID_ENTRY, tid, function, depth);
}

void made_exit(struct made_trace_dat *dat, int32_t tid,
	       enum made_function function, int32_t depth)
{
	add_function(dat, ID_EXIT, tid, function, depth);
}

void made_switch(struct made_trace_dat *dat, int32_t tid, int32_t next)
{
	begin_event(dat, 5, ID_SWITCH, tid);
	byte_buffer_u32(&dat->pages, (uint32_t)tid);
	byte_buffer_u32(&dat->pages, 1);
	byte_buffer_u32(&dat->pages, (uint32_t)next);
}

static void add_text(struct byte_buffer *file, const char *text)
{
	byte_buffer_u64(file, strlen(text));
	byte_buffer_add(file, text, strlen(text));
}

static void add_head(struct byte_buffer *file)
{
	static const uint8_t little_and_long[] = { 0, 8 };

	byte_buffer_add(file, "\x17\x08\x44tracing", 10);
	byte_buffer_text(file, "6");
	byte_buffer_add(file, little_and_long, sizeof(little_and_long));
	byte_buffer_u32(file, MADE_PAGE_BYTES);
	byte_buffer_text(file, "header_page");
	add_text(file, page_format);
	byte_buffer_text(file, "header_event");
	add_text(file, "");
	byte_buffer_u32(file, 2);
	add_text(file, entry_format);
	add_text(file, exit_format);
	byte_buffer_u32(file, 1);
	byte_buffer_text(file, "sched");
	byte_buffer_u32(file, 1);
	add_text(file, switch_format);
}

static void add_names(struct byte_buffer *file)
{
	struct byte_buffer text = { 0 };
	char line[100];

	for (uint64_t i = 0; i < MADE_COUNT; i++) {
		snprintf(line, sizeof(line), "%016llx t %s\n",
			 (unsigned long long)(MADE_FUNCTIONS + 0x100 * i),
			 names[i]);
		byte_buffer_add(&text, line, strlen(line));
	}
	byte_buffer_u32(file, (uint32_t)text.size);
	byte_buffer_add(file, text.bytes, text.size);
	byte_buffer_free(&text);
	byte_buffer_u32(file, 0);
	add_text(file, "7 reader\n8 other\n");
}

void made_file(const struct made_trace_dat *dat, struct byte_buffer *file)
{
	size_t size = dat->pages.size + MADE_PAGE_BYTES - 1;
	uint64_t at;

	add_head(file);
	add_names(file);
	byte_buffer_u32(file, 1);
	byte_buffer_add(file, "flyrecord", 10);
	at = (file->size + 16 + MADE_PAGE_BYTES - 1) / MADE_PAGE_BYTES *
	     MADE_PAGE_BYTES;
	byte_buffer_u64(file, at);
	byte_buffer_u64(file, dat->is_unfinished ?
				      0 :
				      size / MADE_PAGE_BYTES * MADE_PAGE_BYTES);
	byte_buffer_align(file, MADE_PAGE_BYTES);
	if (dat->is_unfinished)
		return;
	byte_buffer_add(file, dat->pages.bytes, dat->pages.size);
	byte_buffer_align(file, MADE_PAGE_BYTES);
}

void made_trace_dat_free(struct made_trace_dat *dat)
{
	byte_buffer_free(&dat->pages);
}
