/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_TRACE_DAT_FIXTURE_H
#define KT_TESTS_TRACE_DAT_FIXTURE_H

#include "common/bytes.h"

#include <stdint.h>

/* A trace.dat of version 6 built by hand: pages of CPU 0. */
struct made_trace_dat {
	struct byte_buffer pages;
	size_t page;	   /* offset of the newest page */
	int is_unfinished; /* no page was written to the file */
	uint64_t time_ns;
};

enum { MADE_PAGE_BYTES = 4096 };

/* Address of its first named function; the others follow, 0x100 bytes each: see
 * trace_dat_fixture.c.
 */
#define MADE_FUNCTIONS UINT64_C(0xffffffff81000000)
enum made_function {
	MADE_ENTRY, /* entry_SYSCALL_64 */
	MADE_X64_SYS_CALL,
	MADE_SYS_READ, /* __x64_sys_read */
	MADE_VFS_READ,
	MADE_IRQ_ENTER, /* irq_enter_rcu */
	MADE_IRQ_EXIT,
	MADE_SYSVEC,	 /* __sysvec_apic_timer_interrupt */
	MADE_ASM_SYSVEC, /* asm_sysvec_apic_timer_interrupt */
	MADE_SCHEDULE,
	MADE_FINISH_SWITCH,
	MADE_VFS_READ_PART, /* vfs_read.part.0 */
	MADE_IRQ_RESCHED,   /* raw_irqentry_exit_cond_resched */
	MADE_FAULT,	    /* asm_exc_page_fault */
	MADE_LOCK_VMA,	    /* lock_vma_under_rcu */
	MADE_HANDLE_FAULT,  /* handle_mm_fault */
	MADE_CALL_WAY_OUT,  /* syscall_exit_to_user_mode_prepare */
	MADE_LOCK_MM,	    /* lock_mm_and_find_vma */
	MADE_LAST_WAY_OUT,  /* exit_to_user_mode_prepare */
	MADE_COUNT,
};

/* Begins a page at @time_ns; @is_lossy: events before it were lost. */
void made_page(struct made_trace_dat *dat, uint64_t time_ns, int is_lossy);

/* Add an event of task @tid, 10 ns after the previous event. */
void made_enter(struct made_trace_dat *dat, int32_t tid,
		enum made_function function, int32_t depth);
void made_exit(struct made_trace_dat *dat, int32_t tid,
	       enum made_function function, int32_t depth);
void made_switch(struct made_trace_dat *dat, int32_t tid, int32_t next);

/* Appends the whole file to @file. */
void made_file(const struct made_trace_dat *dat, struct byte_buffer *file);

void made_trace_dat_free(struct made_trace_dat *dat);

#endif
