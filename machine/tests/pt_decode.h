/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PT_DECODE_H
#define KT_MACHINE_TESTS_PT_DECODE_H

#include <intel-pt.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes @size bytes with libipt's packet decoder, from their first byte to
 * their last.
 *
 * CFE and EVD are ppt_unknown with every release of libipt, and
 * payload.unknown.packet points at their bytes.
 * Writes up to @max packets other than pads to @packets and returns how many
 * there were.  Fails the running test on any packet that libipt refuses.
 */
size_t pt_decode(const uint8_t *bytes, size_t size, struct pt_packet *packets,
		 size_t max);

/* libipt's word for a packet type, such as "tip.pge". */
const char *pt_packet_name(enum pt_packet_type type);

/* The names of all packets, separated by blanks, in a static-size buffer of
 * @size bytes: what a test compares with the sequence it expects.
 */
void pt_decode_names(const uint8_t *bytes, size_t count, char *names,
		     size_t size);

#endif
