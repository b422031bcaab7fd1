/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CALL_STORE_H
#define KT_VIEW_CALL_STORE_H

#include "view/data/call_sums.h"

/* The contents of call sums, shared by the files that implement call_sums.h. */
struct call_sums {
	struct chunk_file *file;
	struct array paths; /* struct call_path */
	/* struct chunk: positions of the written paths */
	struct array path_chunks;
	struct array parts; /* uint8_t: enum profile_part by thread */
	struct array levels[CALL_LEVELS_MOST]; /* struct call_span */
};

#endif
