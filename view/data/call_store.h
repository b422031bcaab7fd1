/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CALL_STORE_H
#define KT_VIEW_CALL_STORE_H

#include "view/data/call_sums.h"

/* What call sums consist of: for the files that are call_sums.h together. */
struct call_sums {
	struct chunk_file *file;
	struct array paths;	  /* struct call_path */
	struct array path_chunks; /* struct chunk: where they were written */
	struct array parts;	  /* uint8_t: enum profile_part by thread */
	struct array levels[CALL_LEVELS_MOST]; /* struct call_span */
};

#endif
