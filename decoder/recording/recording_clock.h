/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_CLOCK_H
#define KT_DECODER_RECORDING_CLOCK_H

#include "common/clocks.h"

struct recording;

/* Reads the readings of @recording's clock and of CLOCK_REALTIME; missing ones
 * are unknown in @readings.
 */
void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings);

#endif
