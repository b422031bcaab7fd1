/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_CODE_H
#define KT_MACHINE_TESTS_CODE_H

#include "machine/tests/conformance/recording.h"

struct code;

/* The guest's code: kernel text from the recording's kcore, user code from
 * the files that were mapped (the guest sees the host's root), the vdso from
 * @vdso (a copy of the guest's; may be NULL).
 *
 * Returns NULL, with a message to stderr, if the kcore cannot be read.
 */
struct code *code_open(const struct recording *recording, const char *vdso);
void code_close(struct code *code);

/* Goes back to the kernel text from before the first change. */
void code_rewind(struct code *code);
/* Applies the changes made until @tsc. */
void code_advance(struct code *code, uint64_t tsc);

/* Up to @size bytes at @address; returns how many there are, 0 if none. */
size_t code_read(struct code *code, uint64_t address, uint8_t *bytes,
		 size_t size);

#endif
