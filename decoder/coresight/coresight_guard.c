/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_guard.h"
#include "decoder/recording/coresight_unit.h"

void coresight_guard_begin(struct coresight_guard *guard,
			   const struct coresight_unit *unit)
{
	guard->is_on = !coresight_unit_is_old(unit);
	coresight_packet_begin(&guard->packet, unit);
}

#define BIT(kind) (1u << CORESIGHT_PACKET_##kind)

/* Returns whether the packet belongs to speculation, like trace info with
 * uncommitted elements, or to no decoded unit: the length of those is unknown.
 */
static bool is_kept_back(const struct coresight_packet *packet)
{
	const uint32_t kinds = BIT(OTHER) | BIT(COMMIT) | BIT(CANCEL) |
			       BIT(MISPREDICT);

	return kinds >> packet->kind & 1 || packet->depth;
}

/* Most packets are of atoms: skips them quickly. */
static bool is_atoms(const struct coresight_packet *packet, uint8_t byte)
{
	return byte >= CORESIGHT_PACKET_FIRST_ATOMS && !packet->is_open;
}

size_t coresight_guard_pass(struct coresight_guard *guard, const uint8_t *bytes,
			    size_t size)
{
	struct coresight_packet *packet = &guard->packet;
	size_t at = 0;

	if (!guard->is_on)
		return size;
	while (at < size) {
		size_t taken = 1;

		if (!is_atoms(packet, bytes[at])) {
			taken = coresight_packet_take(packet, bytes + at,
						      size - at);
			if (is_kept_back(packet))
				return at;
		}
		at += taken;
	}
	return size;
}
