/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GENERATED_IMAGE_H
#define KT_DECODER_GENERATED_IMAGE_H

/* Code that a process generates, as images. An image is the bytes of a mapping
 * from one time to the next. For each mapping (struct generated_area)
 * generated_code.c collects the copies that the recorder made and the functions
 * of jitdump (struct generated_source). generated_images_make() turns them into
 * images, which the decoder reads by generated_image_bytes(). Each granule of
 * 16 bytes is known or unknown as a whole.
 */

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct generated_chunk;
struct generated_names;

/* A page of an image. */
struct generated_page {
	uint64_t address;
	const uint8_t *bytes;
	uint64_t unknown[4]; /* a bit for each 16 bytes of the page */
};

/* The generated code of a mapping at a time. */
struct generated_image {
	uint64_t address;
	uint64_t size_bytes;
	struct generated_page *pages; /* by address */
	size_t page_count;
};

/* The process has the image from time_ns on, until its next event for the same
 * addresses.
 */
struct generated_event {
	int32_t pid;
	uint64_t time_ns;
	uint64_t names_ns; /* its functions are those of this time; never 0 */
	const struct generated_image *image;
};

/* A record of a mapping of memory that a process fills itself. */
struct generated_mapping {
	uint64_t time_ns;
	uint64_t start;
	uint64_t end;
	bool is_writable;
};

/* Bytes of a page, from a copy or from jitdump. */
struct generated_source {
	uint64_t address;  /* of the page */
	uint64_t since_ns; /* when the previous copy was read; 0: none */
	uint64_t begin_ns; /* the bytes were there from here to end_ns */
	uint64_t end_ns;
	bool is_writable;
	const uint8_t *bytes; /* of the page, from first up to last */
	uint16_t first;
	uint16_t last;	/* not included */
	bool is_listed; /* the function and its bytes are from jitdump */
	/* the program listed a function there between begin_ns and end_ns;
	 * there are no bytes
	 */
	bool is_named;
};

/* One mapping of a process, and all that is known of it. */
struct generated_area {
	uint64_t address;
	uint64_t size_bytes;
	uint64_t time_ns;	      /* it exists from then on */
	const struct array *mappings; /* struct generated_mapping, by time */
	bool is_patched; /* functions of the process change their code */
	struct generated_names *names; /* or NULL */
	uint64_t first_ns;	       /* time of the last exec; 0: none */
	uint64_t end_ns;	       /* time of the next exec */
	/* struct generated_source, by address, then by time */
	const struct generated_source *sources;
	size_t source_count;
};

/* How many more images and pages there may be: counted down, so that memory is
 * bounded.
 */
struct generated_budget {
	size_t images; /* of one process */
	size_t pages;  /* of all processes: entries of images, and copies */
};

/* Reads the chunk at *@place of a file of copies, @size bytes at @file, and
 * moves *@place after it. Returns whether there is one; false at the end, and
 * where the file is damaged.
 */
bool generated_chunk_read(const uint8_t *file, size_t size, size_t *place,
			  struct generated_chunk *chunk, const uint8_t **bytes);

/* Appends @source, whose bytes are of the addresses from @start to @end, to
 * @sources (struct generated_source), once for each page. Returns 0 or
 * -ERROR_MEMORY.
 */
int generated_source_add(struct array *sources, struct generated_source source,
			 uint64_t start, uint64_t end);

/* Sorts @sources by address, then by time. */
void generated_sources_sort(struct array *sources);

/* Returns whether one of @sources shows that a function of @names changed its
 * code: the bytes of an earlier copy were replaced.
 */
bool generated_sources_are_patched(const struct generated_source *sources,
				   size_t count,
				   const struct generated_names *names);

/* Appends the images of @area to @events (struct generated_event, of which the
 * caller sets the pid); the first image has the time of @area. Also sets the
 * times of the area's names (generated_times_settle()). Allocates in @arena.
 * Returns 0 or -ERROR_MEMORY.
 */
int generated_images_make(const struct generated_area *area,
			  struct generated_budget *budget, struct arena *arena,
			  struct array *events);

/* Returns the bytes of @image at @address, and sets *@left to the number that
 * is contiguous; NULL if they are unknown.
 */
const uint8_t *generated_image_bytes(const struct generated_image *image,
				     uint64_t address, size_t *left);

#endif
