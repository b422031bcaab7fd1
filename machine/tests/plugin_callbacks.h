/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_PLUGIN_CALLBACKS_H
#define KT_MACHINE_TESTS_PLUGIN_CALLBACKS_H

/* This is what a made-up QEMU calls back with, at once, whatever is
 * registered.
 */
enum {
	CALLBACK_ID = 7,
	CALLBACK_VCPU = 3,
	CALLBACK_FROM = 0x10,
	CALLBACK_TO = 0x20,
};

/* Registers a callback of each kind with it by plugin_on_*(): each is called
 * once, with these arguments and the data that it was registered with.
 */
void check_plugin_callbacks(void);

#endif
