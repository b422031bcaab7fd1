/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_CODE_CHANGE_INTERNAL_H
#define KT_DECODER_CODE_CODE_CHANGE_INTERNAL_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_change;
struct log;
struct recording;

/* A change of kernel code at a known time:
 *
 *	CODE_PATCH	existing code was patched: a TEXT_POKE record, or the
 *			recorder's own record of that kind
 *			(common/formats/recording_events.h)
 *	CODE_COPY	new code with its bytes: a TEXT_POKE record without old
 *			bytes, or a copy made by the recorder (file of code/)
 *	CODE_LOSS	other code from then on, without its bytes: a KSYMBOL
 *			record, which the kernel writes when a BPF program or
 *			a trampoline is added or removed; the recorder's record
 *			that the kernel writes or wipes JIT code
 *			(common/formats/recording_events.h); an empty file of code/
 *
 * Rule of validity: a copy was read some time after its code appeared. So its
 * bytes are valid from
 *
 * 1. the last CODE_LOSS before the copy was read, if that announced the code;
 * 2. else the time that the file's name proves, if no CODE_LOSS is later;
 * 3. else the time when it was read;
 *
 * until the next CODE_LOSS. At other times the bytes are unknown: another
 * program may have been at the same addresses.
 *
 * The kernel writes a TEXT_POKE record while a breakpoint replaces the
 * instruction (text_poke_bp_batch() in arch/x86/kernel/alternative.c), so that
 * neither the old nor the new instruction runs at that time. For milliseconds
 * around that time, CPUs that execute the breakpoint take an exception, which
 * the trace unit reports with its address (Intel SDM, table "FUP Cases and IP
 * Payload"): the bytes there need not be known.
 */
enum code_change_kind { CODE_PATCH, CODE_COPY, CODE_LOSS };

struct code_change {
	enum code_change_kind kind;
	bool announces;	   /* CODE_LOSS: new code follows */
	uint64_t time_ns;  /* the change is valid from this time on */
	uint64_t order_ns; /* CODE_COPY: when the bytes were read */
	uint64_t address;
	size_t old_size; /* 0 if unknown */
	size_t new_size;
	const uint8_t *old_bytes;
	const uint8_t *new_bytes; /* CODE_LOSS: NULL */
};

/* The changes of a recording. They borrow the recording. */
struct code_changes {
	struct array items; /* struct code_change, in order of time */
	struct array maps;  /* struct file_map: of copies */
	/* void *, owned: bytes of copies, with patches reverted */
	struct array copies;
	bool is_complete; /* no record of a patch was lost */
};

/* Reads the changes of @recording. @folder contains the copies; NULL: there are
 * none.
 *
 * Returns 0 or -ERROR_MEMORY; @changes must be freed in either case.
 */
int code_changes_read(const struct recording *recording, const char *folder,
		      const struct log *log, struct code_changes *changes);

void code_changes_free(struct code_changes *changes);

/* Copies up to @size bytes of code at @address to @buffer, as they were after
 * the first @count of @changes (array of struct code_change): the bytes of
 * @regions (struct code_region) with all changes reverted, then the first
 * @count applied. Bytes that are in no range of struct code_known are
 * undefined.
 *
 * Returns the number of bytes, all in one region; 0 if @address is in none.
 */
size_t code_change_restore(const struct array *regions,
			   const struct array *changes, size_t count,
			   uint64_t address, uint8_t *buffer, size_t size);

/* Applies @change to the known ranges @known (array of struct code_known).
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int code_change_know(const struct code_change *change, struct array *known);

#endif
