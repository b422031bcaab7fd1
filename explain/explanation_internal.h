/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_EXPLANATION_INTERNAL_H
#define KT_EXPLAIN_EXPLANATION_INTERNAL_H

#include "explain/causes_internal.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stdint.h>

/* The part of the recording that is explained. */
enum subject {
	SUBJECT_COMMAND, /* the recorded command */
	SUBJECT_CHOSEN,	 /* tasks that options choose */
	SUBJECT_ALL,	 /* no command is known: any program */
	SUBJECT_REQUEST,
};

/* A critical path, ready to be written. */
struct explanation {
	const struct attribution_input *input;
	enum subject subject;
	const char *program; /* whose end is explained */
	int32_t pid;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t request; /* SUBJECT_REQUEST: its number */
	bool is_cut;	  /* it had not ended at end_ns */
	struct causes causes;
	/* struct crash, borrowed texts: of processes that a signal ended */
	struct array crashes;
};

/* Write @explanation, for people in at most one screen. */
void explanation_write_text(const struct explanation *explanation, FILE *out);
void explanation_write_json(const struct explanation *explanation, FILE *out);
void explanation_write_csv(const struct explanation *explanation,
			   const struct attribution_output *output);

/* Returns a short name of @why: "disk", "lock" ... */
const char *why_name(uint32_t why);

#endif
