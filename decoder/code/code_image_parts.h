/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_IMAGE_PARTS_H
#define KT_DECODER_CODE_IMAGE_PARTS_H

#include "common/array.h"
#include "common/file_map.h"
#include "decoder/code/code_image.h"

/* The inside of struct code_image, for decoder/code/ alone: code_view.c and
 * code_unknown.c go through it, too.
 */
struct code_image {
	const struct log *log;
	struct file_map kcore;
	struct array regions;	  /* struct code_region: as copied */
	struct array changes;	  /* struct code_change, by time */
	struct array descriptors; /* int, of temporary files */
	int spare_fd;		  /* -1, or of regions not copied */
	struct array maps;	  /* struct file_map, of later copies */
	struct array unknown;	  /* struct code_unknown */
};

#endif
