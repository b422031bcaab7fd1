/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_LIBIPT_BYTES_INTERNAL_H
#define KT_DECODER_LIBIPT_LIBIPT_BYTES_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

struct intel_clock_setup;

/* Intel PT bytes that libipt can decode: a copy of the same size with two
 * changes.
 *
 * 1. Virtual machines' trace is removed. libipt reports the non-root bit of a
 *    PIP, but then decodes a guest's branches with the host's code. In the
 *    copy, tracing stops where the guest is entered, by a TIP.PGD in place of
 *    the TIP, and starts at the VM exit, by a TIP.PGE; the bytes between are
 *    padding. Time packets and sync points are kept.
 * 2. Each time packet that intel_clock_refuses() is invalid, or the PSB that it
 *    belongs to, since libipt accepts any time.
 */

/* Sets *@copy to the changed bytes, which the caller frees, or to NULL if
 * nothing is changed in the @size bytes at @bytes. Returns 0 or -ERROR_MEMORY.
 */
int libipt_bytes_convert(const uint8_t *bytes, size_t size,
			 const struct intel_clock_setup *setup, uint8_t **copy);

#endif
