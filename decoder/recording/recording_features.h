/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FEATURES_H
#define KT_DECODER_RECORDING_FEATURES_H

#include "decoder/recording/recording.h"

struct arena;

/* Parses the payload of header feature @bit into @info, if @info has a field
 * for it. A malformed payload changes nothing.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int recording_feature_read(struct recording_info *info, unsigned int bit,
			   const uint8_t *bytes, size_t size,
			   struct arena *arena);

/* Returns the architecture with @name (uname's machine). */
enum recording_arch recording_arch_named(const char *name);

#endif
