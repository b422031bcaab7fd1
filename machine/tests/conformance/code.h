/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_CODE_H
#define KT_MACHINE_TESTS_CODE_H

#include "machine/tests/conformance/recording.h"

struct code;

/* The guest's code: kernel text from the recording's kcore, user code from the
 * mapped files (the guest sees the host's root), and the vdso from @vdso (a
 * copy of the guest's; may be NULL).
 *
 * Returns NULL, after a message on stderr, if the kcore cannot be read.
 */
struct code *code_open(const struct recording *recording, const char *vdso);
void code_close(struct code *code);

/* Restores the kernel text before the first change. */
void code_rewind(struct code *code);
/* Applies the changes made up to @tsc. */
void code_advance(struct code *code, uint64_t tsc);

/* Reads up to @size bytes at @address; returns the number of bytes, 0 if there
 * is not code.
 */
size_t code_read(struct code *code, uint64_t address, uint8_t *bytes,
		 size_t size);

#endif
