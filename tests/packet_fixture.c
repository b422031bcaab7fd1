/* SPDX-License-Identifier: MIT */
#include "tests/packet_fixture.h"
#include "tests/recording_fixture.h"

#include <check.h>
#include <intel-pt.h>

size_t fixture_encode(const struct pt_packet *packets, size_t count,
		      uint8_t *bytes, size_t room)
{
	struct pt_config config;
	size_t size = 0;

	pt_config_init(&config);
	config.begin = bytes;
	config.end = bytes + room;

	struct pt_encoder *encoder = pt_alloc_encoder(&config);

	ck_assert_ptr_nonnull(encoder);
	for (size_t i = 0; i < count; i++) {
		int written = pt_enc_next(encoder, &packets[i]);

		ck_assert_int_gt(written, 0);
		size += (size_t)written;
	}
	pt_free_encoder(encoder);
	return size;
}

size_t recording_fixture_packets(struct recording_fixture *fixture,
				 uint64_t offset,
				 const struct pt_packet *packets, size_t count)
{
	uint8_t bytes[4096];
	size_t size = fixture_encode(packets, count, bytes, sizeof(bytes));

	recording_fixture_trace(fixture, offset, bytes, size);
	return size;
}
