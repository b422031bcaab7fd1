/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_fields.h"

size_t coresight_number(const uint8_t *bytes, size_t most, uint32_t *number)
{
	size_t i = 0;

	*number = 0;
	do
		*number |= (bytes[i] & UINT32_C(0x7f)) << 7 * i;
	while (bytes[i++] & 0x80 && i < most);
	return i;
}

enum coresight_extension coresight_extension_of(const uint8_t *bytes,
						size_t size)
{
	enum { DISCARD = 0x03, OVERFLOW = 0x05, SYNC_SIZE = 12 };

	if (bytes[1] == DISCARD)
		return CORESIGHT_EXTENSION_DISCARD;
	if (bytes[1] == OVERFLOW)
		return CORESIGHT_EXTENSION_OVERFLOW;
	return size == SYNC_SIZE && bytes[SYNC_SIZE - 1] == 0x80 ?
		       CORESIGHT_EXTENSION_SYNC :
		       CORESIGHT_EXTENSION_BAD;
}

bool coresight_exception_has_address(const struct coresight_packet *packet,
				     const uint8_t *bytes)
{
	enum { RESET = 0 };
	uint8_t type = coresight_exception_type(bytes);

	return !packet->is_ete ||
	       (type != RESET && type != CORESIGHT_FAILED_TRANSACTION);
}

bool coresight_may_precede_address(uint8_t kind)
{
	return kind == CORESIGHT_PACKET_EXTENSION ||
	       kind == CORESIGHT_PACKET_IGNORE ||
	       kind == CORESIGHT_PACKET_CONTEXT ||
	       kind == CORESIGHT_PACKET_ADDRESS;
}

static size_t number_behind_header(const uint8_t *bytes)
{
	uint32_t number;

	coresight_number(bytes + 1, 5, &number);
	return number;
}

/* Formats 3, 1 and 2 of cycle counts. Format 2 contains the number of committed
 * elements less 1 or, with bit 0 set, relative to @depth - 15.
 */
static bool commits_of_cycles(const uint8_t *bytes, size_t depth, size_t *count)
{
	bool is_from_most = bytes[0] & 1;

	if (bytes[0] >= 0x10)
		*count = (bytes[0] >> 2 & 3) + 1u;
	else if (bytes[0] >= 0x0e)
		*count = number_behind_header(bytes);
	else if (!is_from_most)
		*count = (bytes[1] >> 4) + 1u;
	else if (depth + (bytes[1] >> 4) >= 15)
		*count = depth + (bytes[1] >> 4) - 15;
	else
		return false;
	return true;
}

bool coresight_commits(const struct coresight_packet *packet,
		       const uint8_t *bytes, size_t depth, size_t *count)
{
	*count = 0;
	if (packet->kind != CORESIGHT_PACKET_CYCLES)
		*count = number_behind_header(bytes);
	else if (packet->counts_commits)
		return commits_of_cycles(bytes, depth, count);
	return true;
}

/* Format 1 of cancel packets has a number; formats 2 and 3 have a few bits. */
size_t coresight_cancels(const struct coresight_packet *packet,
			 const uint8_t *bytes)
{
	if (packet->kind == CORESIGHT_PACKET_CANCEL)
		return number_behind_header(bytes);
	if (packet->header >= 0x38)
		return (packet->header >> 1 & 3) + 2u;
	return packet->header >= 0x34;
}
