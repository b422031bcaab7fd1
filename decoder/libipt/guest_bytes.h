/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GUEST_BYTES_H
#define KT_DECODER_GUEST_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Intel PT bytes without the trace of virtual machines.  libipt reports the
 * non-root bit of a PIP, but then decodes a guest's branches by the host's code.
 * So it gets bytes in which tracing stops as the guest is entered, by a TIP.PGD
 * in place of the TIP, and starts at the VM exit, by a TIP.PGE; the bytes between
 * are padding.  Packets of time and synchronisation points stay, all within the
 * same number of bytes.
 */

/* Sets *@copy to such bytes, which the caller frees, or to NULL if no guest runs
 * in the @size bytes at @bytes.  Returns 0 or -ERROR_MEMORY.
 */
int guest_bytes_hide(const uint8_t *bytes, size_t size, uint8_t **copy);

#endif
