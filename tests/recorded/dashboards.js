// SPDX-License-Identifier: MIT
// Loads tables into ClickHouse's engine (the npm package chdb), runs queries,
// and prints the rows of each as JSON.
//
//	dashboards.js NODE_MODULES DDL FOLDER QUERIES
//
// FOLDER has TABLE.ndjson for each table; QUERIES is a JSON list.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const [modules, ddl, folder, queries] = process.argv.slice(2);
const { Session } = require(path.join(modules, "chdb"));
const session = new Session(fs.mkdtempSync(path.join(os.tmpdir(), "store-")));

function run(sql, format) {
	return session.query(`${sql}${format ? ` FORMAT ${format}` : ""}`,
		"CSV");
}

run("CREATE DATABASE ktrace");
run("USE ktrace");
const statements = fs.readFileSync(ddl, "utf8").replace(/^--.*$/gm, "");
for (const statement of statements.split(";"))
	if (statement.trim())
		run(statement);
for (const file of fs.readdirSync(folder)) {
	const table = path.basename(file, ".ndjson");
	const columns = run(`DESCRIBE TABLE \`${table}\``, "JSONEachRow").trim()
		.split("\n").map((line) => JSON.parse(line));
	const types = columns.map(({ name, type }) => `\`${name}\` ${type}`)
		.join(", ").replaceAll("'", "\\'");
	run(`INSERT INTO TABLE \`${table}\` SELECT * FROM file('${
		path.join(folder, file)}', 'JSONEachRow', '${types}')`);
}
const results = JSON.parse(fs.readFileSync(queries, "utf8")).map((sql) =>
	JSON.parse(run(sql, "JSON")).data);
console.log(JSON.stringify(results));
session.cleanup();
