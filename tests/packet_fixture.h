/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PACKET_FIXTURE_H
#define KT_TESTS_PACKET_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

struct pt_packet;
struct recording_fixture;

/* Intel PT packets, written by libipt's own encoder. */

/* Encodes @packets; returns the number of bytes. */
size_t fixture_encode(const struct pt_packet *packets, size_t count,
		      uint8_t *bytes, size_t room);

/* Like recording_fixture_trace(), but encodes @packets; returns their size. */
size_t recording_fixture_packets(struct recording_fixture *fixture,
				 uint64_t offset,
				 const struct pt_packet *packets, size_t count);

#endif
