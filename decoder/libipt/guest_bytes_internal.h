/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_GUEST_BYTES_INTERNAL_H
#define KT_DECODER_LIBIPT_GUEST_BYTES_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* Removes the trace of virtual machines from Intel PT bytes. libipt reports the
 * non-root bit of a PIP, but then decodes a guest's branches with the host's
 * code. So libipt gets converted bytes: tracing stops where the guest is
 * entered, by a TIP.PGD in place of the TIP, and starts at the VM exit, by a
 * TIP.PGE; the bytes between are padding. Time packets and sync points are
 * kept, and the number of bytes is the same.
 */

/* Sets *@copy to the converted bytes, which the caller frees, or to NULL if no
 * guest runs in the @size bytes at @bytes. Returns 0 or -ERROR_MEMORY.
 */
int guest_bytes_hide(const uint8_t *bytes, size_t size, uint8_t **copy);

#endif
