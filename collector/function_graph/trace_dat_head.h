/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_DAT_HEAD_H
#define KT_COLLECTOR_TRACE_DAT_HEAD_H

#include <stddef.h>

struct byte_buffer;

/* Appends the head of a trace.dat of version 6 (trace-cmd.dat.v6(5)) for the
 * instance @folder, up to and including the number of CPUs, @cpu_count: the
 * formats of ring buffer pages and events, the function names, whose text is
 * @kallsyms, the task names, and the clock.
 */
void trace_dat_head_add(struct byte_buffer *head, const char *folder,
			const char *kallsyms, size_t kallsyms_size,
			size_t cpu_count);

#endif
