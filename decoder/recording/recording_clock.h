/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_CLOCK_H
#define KT_DECODER_RECORDING_CLOCK_H

#include "common/clock_readings.h"

struct recording;

/* Reads what @recording says of its clock and CLOCK_REALTIME; what it does not
 * say is not known in @readings.
 */
void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings);

#endif
