/* SPDX-License-Identifier: MIT */
#include "attribution/events/witness_relay.h"

static struct witness *next_of(struct witness *witness)
{
	return ((struct witness_relay *)witness)->to;
}

static void pass_step(struct witness *witness, const struct call_step *step)
{
	next_of(witness)->step(next_of(witness), step);
}

static void pass_event(struct witness *witness,
		       const struct event_record *event)
{
	next_of(witness)->event(next_of(witness), event);
}

static void pass_record(struct witness *witness,
			const struct sideband_record *record)
{
	next_of(witness)->record(next_of(witness), record);
}

struct witness_relay witness_relay_to(struct witness *to)
{
	return (struct witness_relay){
		.witness = { pass_step, pass_event, pass_record },
		.to = to,
	};
}
