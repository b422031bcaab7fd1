/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_DAT_HEAD_H
#define KT_COLLECTOR_TRACE_DAT_HEAD_H

#include <stddef.h>

struct byte_buffer;

/* Appends the head of a trace.dat of version 6 (trace-cmd.dat.v6(5)) for the
 * instance @folder, up to the count of CPUs, @cpu_count: what describes the
 * pages of its ring buffers and the events in them, the names of functions, of
 * which @kallsyms is the text, and of tasks, and the clock.
 */
void trace_dat_head_add(struct byte_buffer *head, const char *folder,
			const char *kallsyms, size_t kallsyms_size,
			size_t cpu_count);

#endif
