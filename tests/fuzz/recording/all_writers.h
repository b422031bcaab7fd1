/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_ALL_WRITERS_H
#define KT_TESTS_FUZZ_ALL_WRITERS_H

#include <stdint.h>

struct session;

/* An input's options: the bytes of its file "options", 0 past its end. */
struct writer_choice {
	/* eighths of the recording's time, from its start and from its end; 0:
	 * all
	 */
	uint8_t since;
	uint8_t until;
	uint8_t min_duration; /* as a power of two */
	uint8_t max_depth;    /* 0: any */
	uint8_t top;	      /* rows; 0: all */
	uint8_t format;	      /* of the tables */
	uint8_t dump;	      /* selects the dump and its engine */
	uint8_t cpu;	      /* only one of them; 0: all */
	uint8_t part;	      /* the output to write; 0: all of it */
};

/* Decodes the session's recording once and writes the reports, timelines and
 * exports of it to session->out.
 */
void all_writers_run(struct session *session,
		     const struct writer_choice *choice);

#endif
