/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_ALL_WRITERS_H
#define KT_TESTS_FUZZ_ALL_WRITERS_H

#include <stdint.h>

struct session;

/* How it is all asked for: the bytes of an input's file "options", 0 where it
 * ends.
 */
struct writer_choice {
	uint8_t since; /* eighths of the recording's time, from its
				 * begin and from its end; 0: all */
	uint8_t until;
	uint8_t min_duration; /* as a power of two */
	uint8_t max_depth;    /* 0: any */
	uint8_t top;	      /* rows; 0: all */
	uint8_t format;	      /* of the tables */
	uint8_t dump;	      /* which of the dumps, by which engine */
	uint8_t cpu;	      /* only one of them; 0: all */
	uint8_t part;	      /* of what is written; 0: all of it */
};

/* Decodes the session's recording once, for what reports, timelines and exports
 * write of it, and writes that to session->out.
 */
void all_writers_run(struct session *session,
		     const struct writer_choice *choice);

#endif
