/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PT_DECODE_H
#define KT_MACHINE_TESTS_PT_DECODE_H

#include <intel-pt.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes all @size bytes with libipt's packet decoder.
 *
 * CFE and EVD are ppt_unknown with every release of libipt, and
 * payload.unknown.packet points to their bytes. Writes up to @max packets other
 * than pads to @packets and returns their number. Fails the running test on any
 * packet that libipt rejects.
 */
size_t pt_decode(const uint8_t *bytes, size_t size, struct pt_packet *packets,
		 size_t max);

/* Returns libipt's name for a packet type, such as "tip.pge". */
const char *pt_packet_name(enum pt_packet_type type);

/* Writes the names of all packets, separated by blanks, to @names of @size
 * bytes, for comparison with the expected sequence.
 */
void pt_decode_names(const uint8_t *bytes, size_t count, char *names,
		     size_t size);

#endif
