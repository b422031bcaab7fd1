/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GLIB_PART_H
#define KT_MACHINE_QEMU_GLIB_PART_H

#include <stddef.h>
#include <stdint.h>

/* The part of GLib's interface that plugins need: QEMU's functions take and return
 * its arrays, and QEMU loads the library. Declared here because the package with
 * its headers brings Python along, 6 MB. GLib 2 keeps these functions and the
 * public members of the structs (docs.gtk.org/glib: struct.Array,
 * struct.ByteArray, Memory Allocation).
 */
typedef char gchar;
typedef uint8_t guint8;
typedef int gboolean;
typedef unsigned int guint;
typedef size_t gsize;

#define TRUE 1
#define FALSE 0

typedef struct {
	gchar *data;
	guint len; /* elements */
} GArray;

typedef struct {
	guint8 *data;
	guint len;
} GByteArray;

/* End the program when out of memory. */
void *g_malloc0(gsize size);
void *g_malloc0_n(gsize count, gsize size);
gchar *g_strdup(const gchar *text);
gchar *g_strdup_printf(const gchar *format, ...)
	__attribute__((format(printf, 1, 2)));

/* NULL is allowed. */
void g_free(void *memory);

GArray *g_array_new(gboolean ends_with_zeros, gboolean is_cleared,
		    guint element_size);
GArray *g_array_append_vals(GArray *array, const void *data, guint count);
GArray *g_array_set_size(GArray *array, guint count);
guint g_array_get_element_size(GArray *array);
gchar *g_array_free(GArray *array, gboolean frees_data);

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_append(GByteArray *array, const guint8 *data,
				guint size);
GByteArray *g_byte_array_set_size(GByteArray *array, guint size);
guint8 *g_byte_array_free(GByteArray *array, gboolean frees_data);

#define g_new0(type, count) ((type *)g_malloc0_n((count), sizeof(type)))
#define g_array_index(array, type, index) \
	(((type *)(void *)(array)->data)[index])

#endif
