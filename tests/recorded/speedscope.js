// SPDX-License-Identifier: MIT
// Prints the sums of a profile as speedscope imports it, as JSON: the
// importer's warnings, and by profile its unit and each name's own time.
//
//	speedscope.js NODE_MODULES FILE
//
// The package is an application without an interface: its importer is taken
// from the bundle, with objects that accept anything in place of the browser's.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");
const [folder, file] = process.argv.slice(2);
const release = path.join(folder, "speedscope", "dist", "release");
const bundle = fs.readdirSync(release).find(
	(name) => /^speedscope-.*\.js$/.test(name));
const code = fs.readFileSync(path.join(release, bundle), "utf8");
const found = /[\w$]+\(([\w$]+),\{[^}]*importProfileGroupFromText:[^}]*\}\);/
	.exec(code);

function anything() {
	return new Proxy(function () {}, {
		get: (_, key) => key === Symbol.toPrimitive ? () => "" :
			key === "then" ? undefined : anything(),
		apply: anything,
		construct: anything,
		set: () => true,
	});
}

function load() {
	if (!found)
		throw new Error(`${bundle}: no importer found; is its format new?`);
	const end = found.index + found[0].length;

	globalThis.window = globalThis;
	for (const name of ["document", "location", "matchMedia",
		"localStorage", "history", "addEventListener"])
		Object.defineProperty(globalThis, name, {
			value: anything(), configurable: true, writable: true,
		});
	try {
		new vm.Script(code.slice(0, end) +
			`globalThis.importer = ${found[1]};` +
			code.slice(end)).runInThisContext();
	} catch (error) {
		// The application does not start without a browser.
		if (!globalThis.importer)
			throw error;
	}
}

function sums(profile) {
	const own = {};

	profile.forEachFrame((frame) => {
		own[frame.name] = (own[frame.name] || 0) + frame.getSelfWeight();
	});
	return { name: profile.getName(), unit: profile.getWeightUnit(), own };
}

async function main() {
	const warnings = [];

	console.warn = (text) => warnings.push(text);
	console.log = () => {};
	load();
	await new Promise((done) => setTimeout(done, 10));
	const bytes = fs.readFileSync(file);
	const group = await globalThis.importer.importProfilesFromArrayBuffer(
		path.basename(file), bytes.buffer.slice(bytes.byteOffset,
			bytes.byteOffset + bytes.length));
	fs.writeSync(1, JSON.stringify({
		warnings, profiles: group.profiles.map(sums) }));
	process.exit(0);
}

main();
