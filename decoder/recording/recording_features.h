/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FEATURES_H
#define KT_DECODER_RECORDING_FEATURES_H

#include "decoder/recording/recording.h"

struct arena;

/* Reads the payload of header feature @bit into @info, if it is one that
 * @info has a place for.  Malformed payloads leave it as it was.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int recording_feature_read(struct recording_info *info, unsigned int bit,
			   const uint8_t *bytes, size_t size,
			   struct arena *arena);

/* Returns the architecture that @name (uname's machine) means. */
enum recording_arch recording_arch_named(const char *name);

#endif
