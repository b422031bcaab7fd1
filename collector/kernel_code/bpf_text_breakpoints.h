/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_BPF_TEXT_BREAKPOINTS_H
#define KT_COLLECTOR_BPF_TEXT_BREAKPOINTS_H

struct event_list;

/* The breakpoints that report code of the BPF JIT compiler, including classic
 * BPF filters (common/recording_events.h).
 */
enum bpf_text_event { BPF_TEXT_COPY, BPF_TEXT_WIPE, BPF_TEXT_DONE };
enum { BPF_TEXT_EVENTS = BPF_TEXT_DONE + 1 };

/* Adds the breakpoint @which to @events.
 *
 * Returns its index in @events; -ERROR_NOT_FOUND if the kernel lacks the
 * function or hides its addresses; -ERROR_SYSTEM with errno set; -ERROR_MEMORY.
 */
int bpf_text_breakpoints_add(struct event_list *events,
			     enum bpf_text_event which);

#endif
