/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PLUGIN_CALLBACKS_H
#define KT_MACHINE_TESTS_PLUGIN_CALLBACKS_H

/* The arguments with which a fake QEMU immediately calls each registered
 * callback.
 */
enum {
	CALLBACK_ID = 7,
	CALLBACK_VCPU = 3,
	CALLBACK_FROM = 0x10,
	CALLBACK_TO = 0x20,
};

/* Registers a callback of each kind by plugin_on_*() and checks that each is
 * called once, with these arguments and its registered data.
 */
void check_plugin_callbacks(void);

#endif
