/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_STUDY_CLASSES_H
#define KT_TABLES_STUDY_CLASSES_H

#include "common/array.h"

struct slow_call;
struct study_class;

/* Calls in classes of similar wall time. */
struct study_classes {
	struct array list; /* struct study_class, the fastest first */
};

#define STUDY_CLASSES_EMPTY \
	((struct study_classes){ ARRAY_OF(struct study_class) })

void study_classes_free(struct study_classes *classes);

/* Counts @call.  Returns 0 or -ERROR_MEMORY. */
int study_classes_add(struct study_classes *classes,
		      const struct slow_call *call);

/* See function_study_compare(). */
int study_classes_compare(const struct study_classes *classes,
			  struct study_class *slow,
			  struct study_class *typical);

#endif
