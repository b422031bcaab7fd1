/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_CODE_SPACE_H
#define KT_DECODER_CODE_CODE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct flow_input;
struct process_entry;

/* Where to put the bytes of regions that change. */
enum code_view_place {
	CODE_VIEW_MEMORY, /* in memory: only the changed pages */
	/* in temporary files that a library can open, copied whole */
	CODE_VIEW_FILES,
};

/* The number of the kernel's address space; those of programs start at 1. */
#define CODE_SPACE_KERNEL 0

/* The code that one stream's decoder can execute at the current time of its
 * trace: the kernel's (code_image.h), and that of the running process's files
 * (process_view.h, user_code.h).
 *
 * An address space is a number for the user code of one process with one set of
 * mappings. If the process changes its mappings, it gets another number.
 *
 * 1. The user code of a space never changes, and its number is not used for
 *    other code: decoded instructions may be cached by space and address.
 * 2. Kernel code is always in CODE_SPACE_KERNEL. Each change of it is reported
 *    to a code_space_changed.
 * 3. While several processes or mappings are possible, the space has the code
 *    that they agree on; while nothing is known, it has none.
 *
 * Changes are applied by their times. But after code_space_order_by_trace(), the
 * process and its mappings change at entries into user space and at sync points
 * (process_view.h). A time alone then applies only changes that have certainly
 * happened, or that add code at unused addresses; and changes of kernel code.
 *
 * A code space belongs to one thread; the image is shared.
 */
struct code_space;

/* Called after kernel code from @first to @end changed. Where it is a
 * parameter, NULL means that changes are not reported.
 */
typedef void code_space_changed(void *ctx, uint64_t first, uint64_t end);

/* Opens the code of @input's stream, before the first change. Borrows
 * everything in @input. Addresses below @kernel_start are of programs.
 *
 * Returns 0 and *@code, or a negative enum error with the reason in the log.
 */
int code_space_open(const struct flow_input *input, uint64_t kernel_start,
		    enum code_view_place place, struct code_space **code);

void code_space_close(struct code_space *code);

/* From now on the trace decides which process runs: code_space_enter() and
 * code_space_sync(). Times only decide about switches that certainly happened,
 * see code_space_advance(). Does nothing if the trace's times are not
 * nanoseconds or only the kernel is traced.
 */
void code_space_order_by_trace(struct code_space *code);

/* Applies an entry into user space: chooses the process, and the mappings that
 * are certain after the entry (process_view_enter()). Does nothing unless
 * ordered by the trace. Returns 0 or -ERROR_MEMORY.
 */
int code_space_enter(struct code_space *code,
		     const struct process_entry *entry);

/* Returns the thread that certainly runs in user space, process_view_tid(); -1
 * if none is known or the code is not ordered by the trace.
 */
int32_t code_space_tid(const struct code_space *code);

/* Returns a lower bound of the time of the last entry of user space,
 * process_view_floor_ns(); 0 if none is known.
 */
uint64_t code_space_floor_ns(const struct code_space *code);

/* Passes a sync point whose time is within [@low_ns, @high_ns]:
 * process_view_sync(). Does nothing unless ordered by the trace. Returns 0 or
 * -ERROR_MEMORY.
 */
int code_space_sync(struct code_space *code, uint64_t low_ns, uint64_t high_ns);

/* Returns the time of the next change of anything, UINT64_MAX if there is none,
 * or if the trace has no times.
 */
uint64_t code_space_next_change_ns(const struct code_space *code);

/* Returns whether code_space_advance() with these times changes anything. */
bool code_space_is_due(const struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns);

/* Applies changes of kernel code up to @time_ns, an estimate, and calls
 * @changed for each. Advances the process and its mappings, too, for which
 * @low_ns, at most @time_ns, is the lower bound: process_view_advance().
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_space_advance(struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns, code_space_changed *changed,
		       void *ctx);

/* Sets the process that runs from @time_ns on to @pid, where the trace itself
 * reports it. This may change the time of the next change. Returns 0 or
 * -ERROR_MEMORY.
 */
int code_space_set_process(struct code_space *code, int32_t pid,
			   uint64_t time_ns);

/* Moves to @time_ns, backwards or forwards, and calls @changed for each change
 * of kernel code that is reverted or applied.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_space_go_to(struct code_space *code, uint64_t time_ns,
		     code_space_changed *changed, void *ctx);

/* Returns the number of the space that @address belongs to now. */
uint32_t code_space_of(const struct code_space *code, uint64_t address);

/* Returns the running process, -1 if several are possible or none is known. */
int32_t code_space_pid(const struct code_space *code);

/* Returns the bytes at @address and sets *@left to the number that is
 * contiguous in memory; or NULL if none are known. Valid until the time or
 * process changes.
 */
const uint8_t *code_space_bytes(struct code_space *code, uint64_t address,
				size_t *left);

/* Copies up to @size bytes at @address. Returns the number copied, which is
 * smaller if the bytes after it are unknown.
 */
size_t code_space_copy(struct code_space *code, uint64_t address,
		       uint8_t *bytes, size_t size);

/* Appends the parts of the kernel's code that are known now to @pieces (struct
 * code_region). Returns 0 or -ERROR_MEMORY.
 */
int code_space_pieces(const struct code_space *code, struct array *pieces);

/* Returns the mappings of the running program (struct process_map, the oldest
 * first), or NULL if only the kernel is traced.
 */
const struct array *code_space_maps(const struct code_space *code);

/* Returns whether @address is one of the kernel's, or in a mapping of the
 * running program, even if its bytes are unknown.
 */
bool code_space_is_mapped(const struct code_space *code, uint64_t address);

/* Returns whether the code at @address changed at an unknown time. */
bool code_space_is_unknown(const struct code_space *code, uint64_t address);

/* Returns whether @address is in memory that the running program filled itself.
 */
bool code_space_is_generated(const struct code_space *code, uint64_t address);

#endif
