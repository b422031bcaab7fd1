/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_EVENTS_H
#define KT_DECODER_INTEL_PT_EVENTS_H

struct intel_pt;

/* Fetches and takes one event.  Leaves libipt's status in source->status. */
void intel_pt_take_event(struct intel_pt *source);

#endif
