/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_USER_CODE_H
#define KT_DECODER_USER_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;

/* The bytes of a process's mappings: of files, which are opened at the first
 * access and stay open, and of generated code. Decoders use it through
 * code_space.h, annotate directly.
 *
 * 1. It borrows the mappings of one process at a time; the caller sets them
 *    again when they change or another process runs.
 * 2. Bytes of a file that cannot be read, or is not the recorded one, are
 *    unknown: NULL.
 *
 * One thread. Pointers to bytes are valid until the mappings are set again.
 */
struct user_code;

/* Returns NULL when out of memory. */
struct user_code *user_code_new(void);
void user_code_free(struct user_code *code);

/* Sets the mappings to @maps (struct process_map, the oldest first). Borrows
 * @maps until the next call, and their paths until user_code_free(). Must be
 * called again when the content of @maps changed.
 */
void user_code_set_maps(struct user_code *code, const struct array *maps);

/* Returns the bytes at @address and sets *@left to the number that is
 * contiguous; NULL if they are unknown.
 */
const uint8_t *user_code_bytes(struct user_code *code, uint64_t address,
			       size_t *left);

/* Returns whether the code at @address is generated, even if its bytes are
 * unknown.
 */
bool user_code_is_generated(const struct user_code *code, uint64_t address);

#endif
