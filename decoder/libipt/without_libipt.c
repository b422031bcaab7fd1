/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

/* Replaces libipt_source.c in a build without libipt: opening a source fails.
 */
static int open_source(const struct flow_input *input,
		       struct flow_source **source)
{
	(void)source;
	log_message(input->log, LOG_ERROR,
		    recording_data_path(input->recording), LOG_NO_OFFSET,
		    "this build has no libipt (Debian has it for x86 only), "
		    "only our own engine for Intel PT");
	return -ERROR_UNSUPPORTED;
}

const struct flow_source_ops libipt_source = {
	.name = "libipt",
	.open = open_source,
};
