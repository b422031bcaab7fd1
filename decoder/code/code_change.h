/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_CHANGE_H
#define KT_DECODER_CODE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* Code that became different at a moment: a TEXT_POKE record, the recorder's
 * own of that kind (text_poke_breakpoint.h), or a copy that the recorder made
 * of code that appeared while it ran.
 *
 * The kernel writes a TEXT_POKE record while a breakpoint stands in place of
 * the instruction (text_poke_bp_batch() in arch/x86/kernel/alternative.c), so
 * that neither the old nor the new one runs at that moment.  For milliseconds
 * around it CPUs that come there take an exception, which the trace unit tells
 * with its place (Intel SDM, table "FUP Cases and IP Payload"): what bytes are
 * there need not be known.
 */
struct code_change {
	uint64_t time_ns;
	uint64_t address;
	bool is_patch;	 /* of code that was there, not new code */
	size_t old_size; /* 0 if unknown */
	size_t new_size;
	const uint8_t *old_bytes;
	const uint8_t *new_bytes;
};

/* Appends the changes that @recording tells of to @changes (struct
 * code_change) in order of time, and the files that hold copies to @maps
 * (struct file_map), which the changes borrow.  *@is_complete: no patch was
 * lost.
 *
 * @folder is that of the copies, or NULL.  Returns 0 or -ERROR_MEMORY.
 */
int code_change_read(const struct recording *recording, const char *folder,
		     const struct log *log, struct array *changes,
		     struct array *maps, bool *is_complete);

/* Copies up to @size bytes of the code at @address as it was at @time_ns, by the
 * copies in @regions (struct code_region) and the @changes in order of time.
 *
 * Returns how many; 0 if nothing is known there.
 */
size_t code_change_read_at(const struct array *regions,
			   const struct array *changes, uint64_t time_ns,
			   uint64_t address, uint8_t *buffer, size_t size);

#endif
