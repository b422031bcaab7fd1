/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_EVENTS_H
#define KT_DECODER_LIBIPT_EVENTS_H

struct libipt;

/* Fetches and takes one event.  Leaves libipt's status in source->status. */
void libipt_take_event(struct libipt *source);

#endif
