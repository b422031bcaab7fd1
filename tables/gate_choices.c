/* SPDX-License-Identifier: MIT */
#include "tables/gate_choices.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <string.h>

static bool is_choice(const struct sideband_sample *sample)
{
	return sample->event && sample->event->name &&
	       !strcmp(sample->event->name, GATE_CHOICE_EVENT) && sample->raw &&
	       sample->raw_size >= sizeof(struct gate_choice);
}

static int add(struct array *choices, const struct sideband_record *record)
{
	struct gate_choice_at *choice;

	if (!is_choice(&record->sample))
		return 0;
	choice = array_add(choices);
	if (!choice)
		return -ERROR_MEMORY;
	choice->time_ns = record->time_ns;
	memcpy(&choice->choice, record->sample.raw, sizeof(choice->choice));
	choice->choice.list[GATE_LIST_SIZE - 1] = '\0';
	return 0;
}

int gate_choices_read(const struct recording *recording, struct array *choices)
{
	struct sideband *sideband;
	struct sideband_record record;
	int status = 0;

	if (!recording_is_gated(recording))
		return 0;
	sideband = sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	if (!sideband)
		return -ERROR_MEMORY;
	while (!status && (status = sideband_next(sideband, &record)) > 0)
		status = add(choices, &record);
	sideband_close(sideband);
	return status;
}
