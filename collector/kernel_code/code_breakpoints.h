/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_CODE_BREAKPOINTS_H
#define KT_COLLECTOR_KERNEL_CODE_CODE_BREAKPOINTS_H

/* Breakpoints on functions of the kernel, for code changes that it reports by
 * no record: patches on architectures without TEXT_POKE records, text of the
 * BPF JIT compiler, mremap().
 *
 * A breakpoint is a perf event: its samples have the registers at the start of
 * the function, from which the decoder reads the arguments
 * (decoder/code/code_change_internal.h, decoder/code/process_maps.h).
 * common/formats/recording_events.h has the names and the meaning of the
 * registers, for both sides.
 *
 * A kernel without the function, or one that hides addresses, has no
 * breakpoint: that is -ERROR_NOT_FOUND, and the changes then count as unknown.
 */

struct event_list;
struct target;

/* The breakpoints that report code of the BPF JIT compiler, including classic
 * BPF filters (common/formats/recording_events.h).
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

/* Adds the breakpoint that reports mremap()
 * (common/formats/recording_events.h). Returns like bpf_text_breakpoints_add().
 */
int mremap_breakpoint_add(struct event_list *events);

/* Adds the event that reports the kernel's patches on architectures without
 * TEXT_POKE records for them (common/formats/recording_events.h): a breakpoint
 * on the first of @functions, terminated by NULL, that the kernel has.
 *
 * Returns its index in @events; -ERROR_NOT_FOUND if the kernel has none of
 * them, or hides its addresses; -ERROR_SYSTEM with errno set; -ERROR_MEMORY.
 */
int text_poke_breakpoints_add(struct event_list *events,
			      const char *const *functions);

/* Like text_poke_breakpoints_add(), and opens and enables the event on each CPU
 * of @cpus. On failure nothing stays added. Returns like
 * text_poke_breakpoints_add().
 */
int text_poke_breakpoints_open(struct event_list *events,
			       const char *const *functions,
			       const struct target *cpus);

/* Returns why the breakpoint is not available and, if one exists, the remedy.
 * @error is the result of the functions above, or -ERROR_SYSTEM with the errno
 * of opening the event.
 */
const char *text_poke_breakpoints_refusal(int error);

#endif
