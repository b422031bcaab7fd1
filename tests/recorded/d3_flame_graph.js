// SPDX-License-Identifier: MIT
// Draws folded stacks with d3-flame-graph and prints, as JSON, the sum of the values
// of the frames that it drew, by name.
//
//	d3_flame_graph.js NODE_MODULES FILE
//
// The package has no file format: a page gives it a tree of objects, as here.
"use strict";
const fs = require("fs"), path = require("path");
const [folder, file] = process.argv.slice(2);
const from = (name) => require(require.resolve(name, { paths: [folder] }));
const { JSDOM } = from("jsdom");

function tree(text) {
	const root = { name: "all", value: 0, children: [] };

	for (const line of text.split("\n").filter(Boolean)) {
		const at = line.lastIndexOf(" ");
		const value = Number(line.slice(at + 1));
		let node = root;

		node.value += value;
		for (const name of line.slice(0, at).split(";")) {
			let next = node.children.find((child) => child.name === name);

			if (!next) {
				next = { name, value: 0, children: [] };
				node.children.push(next);
			}
			next.value += value;
			node = next;
		}
	}
	return root;
}

const { window } = new JSDOM("<div id=chart></div>");
globalThis.window = window;
globalThis.document = window.document;
const { select } = from("d3-selection");
const flamegraph = from("d3-flame-graph");
const chart = (flamegraph.flamegraph || flamegraph.default || flamegraph)()
	.width(1e9).minFrameSize(0).transitionDuration(0);
select(window.document.getElementById("chart"))
	.datum(tree(fs.readFileSync(path.resolve(file), "utf8"))).call(chart);
const sums = {};
for (const frame of window.document.querySelectorAll("g.frame")) {
	const { data, value } = frame.__data__;

	sums[data.name] = (sums[data.name] || 0) + value;
}
fs.writeSync(1, JSON.stringify(sums));
process.exit(0);
