/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_SPACE_H
#define KT_DECODER_CODE_SPACE_H

#include "decoder/code/code_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct flow_input;
struct process_entry;

/* The kernel's address space; programs' are counted from 1 on. */
#define CODE_SPACE_KERNEL 0

/* The code that one stream's decoder meets: the kernel's as it is at a time,
 * and that of the program which runs.  A space is a number for one program's
 * code as long as nothing of it changes.
 */
struct code_space;

/* Kernel code of @first to @end became different.  Who need not know of that
 * gives NULL for it.
 */
typedef void code_space_changed(void *ctx, uint64_t first, uint64_t end);

/* Borrows what @input names.  What lies below @kernel_start is of programs, for
 * those who ask for spaces.
 *
 * Returns 0 and *@code, or a negative enum error; the log knows why.
 */
int code_space_open(const struct flow_input *input, uint64_t kernel_start,
		    enum code_view_place place, struct code_space **code);
void code_space_close(struct code_space *code);

/* With times that are nanoseconds: from now on only code_space_enter() and
 * code_space_sync() change the process, and times alone do not.
 */
void code_space_order_by_trace(struct code_space *code);

/* Finds the process that runs where the trace enters user space, see
 * process_view_enter().  If several remain nothing is mapped in user space.
 * Returns 0 or -ERROR_MEMORY.
 */
int code_space_enter(struct code_space *code,
		     const struct process_entry *entry);

/* Passes a synchronisation point within [@low_ns, @high_ns], see
 * process_view_sync().  Returns 0 or -ERROR_MEMORY.
 */
int code_space_sync(struct code_space *code, uint64_t low_ns, uint64_t high_ns);

/* When something changes next, UINT64_MAX if never. */
uint64_t code_space_next_change_ns(const struct code_space *code);

/* Returns whether code_space_advance() with these times changes anything. */
bool code_space_is_due(const struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns);

/* Advances to @time_ns, an estimate that is not below @low_ns; @changed is called
 * for each change of kernel code.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_space_advance(struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns, code_space_changed *changed,
		       void *ctx);

/* Makes @pid the process that runs from @time_ns on, where the trace itself
 * says who does; the next change may be another then.  Returns 0 or
 * -ERROR_MEMORY.
 */
int code_space_set_process(struct code_space *code, int32_t pid,
			   uint64_t time_ns);

/* Goes back to @time_ns if the code is of a later time, or forth; @changed is
 * told of each change of kernel code that is undone or made.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_space_go_to(struct code_space *code, uint64_t time_ns,
		     code_space_changed *changed, void *ctx);

/* Returns the space that @address lies in now. */
uint32_t code_space_of(const struct code_space *code, uint64_t address);

/* Returns the process that runs now, -1 if unknown. */
int32_t code_space_pid(const struct code_space *code);

/* Returns the bytes at @address and sets *@left to how many follow in one
 * piece, or NULL: nothing is known there.
 */
const uint8_t *code_space_bytes(struct code_space *code, uint64_t address,
				size_t *left);

/* Copies up to @size bytes at @address, from as many pieces as it takes.
 * Returns how many.
 */
size_t code_space_copy(struct code_space *code, uint64_t address,
		       uint8_t *bytes, size_t size);

/* Appends the parts of the kernel's code that are known now to @pieces (struct
 * code_region).  Returns 0 or -ERROR_MEMORY.
 */
int code_space_pieces(const struct code_space *code, struct array *pieces);

/* Returns what is mapped in the program that runs (struct process_map, the oldest
 * first), or NULL: only the kernel is traced.
 */
const struct array *code_space_maps(const struct code_space *code);

/* Returns whether the kernel or the program that runs has code at @address,
 * known or not.
 */
bool code_space_is_mapped(const struct code_space *code, uint64_t address);

/* Returns whether the code at @address became different at an unknown time. */
bool code_space_is_unknown(const struct code_space *code, uint64_t address);

#endif
