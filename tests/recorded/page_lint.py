#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page's scripts have no errors that eslint or TypeScript's checker find:
names, types as JSDoc tells them, shadowed variables, unused ones. Both are npm's,
expected in NODE_PATH; with KTRACE_FULL they are installed into a temporary
folder.

    page_lint.py
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

from consumers import node_modules

HERE = os.path.dirname(os.path.realpath(__file__))
PAGE = os.path.join(HERE, "..", "..", "view", "page")
PACKAGES = ("eslint", "@eslint/js", "typescript")
# The scripts share one scope: the checker of types sees all of them, eslint one.
RULES = {
    "no-undef": "off", "no-unused-vars": ["error", {"vars": "local"}],
    "eqeqeq": "error", "prefer-const": "error", "no-var": "error",
    "no-shadow": "error", "object-shorthand": "error", "no-eval": "error",
    "no-implied-eval": "error", "no-throw-literal": "error",
    "no-useless-return": "error", "prefer-arrow-callback": "error",
}
TYPES = {
    "allowJs": True, "checkJs": True, "noEmit": True, "target": "es2023",
    "strict": False, "lib": ["es2023", "dom", "dom.iterable"], "types": [],
    "noUnusedLocals": True, "noFallthroughCasesInSwitch": True,
    "allowUnreachableCode": False,
}
# What both must find in a broken script.
BROKEN = """function broken(event) {
  let unused = evnt.key;
  return byId("x").value == moment("1", "2", "3");
}
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def run(folder, *words):
    done = subprocess.run(["node", *words], cwd=folder, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def lint(folder, packages):
    """Returns the complaints of both about the scripts in a folder."""
    write(folder, "eslint.config.mjs",
          'import js from "@eslint/js";\n'
          "export default [js.configs.recommended, { files: ['*.js'],"
          ' languageOptions: { ecmaVersion: 2023, sourceType: "script" },'
          f" rules: {json.dumps(RULES)} }}];\n")
    write(folder, "tsconfig.json", json.dumps(
        {"compilerOptions": TYPES,
         "files": sorted(os.path.basename(path) for path in
                         glob.glob(os.path.join(folder, "*.js")))}))
    said = []
    for tool in (("eslint/bin/eslint.js", "."), ("typescript/bin/tsc", "-p", ".")):
        code, text = run(folder, os.path.join(packages, tool[0]), *tool[1:])
        if code:
            said.append(text)
    return said


def main():
    with tempfile.TemporaryDirectory() as folder:
        packages = node_modules(folder, PACKAGES)
        if not packages:
            return 0
        scripts = os.path.join(folder, "page")
        os.mkdir(scripts)
        os.symlink(packages, os.path.join(scripts, "node_modules"))
        for path in glob.glob(os.path.join(PAGE, "*.js")):
            shutil.copy(path, scripts)
        said = lint(scripts, packages)
        if said:
            print("FAILED:", "\n".join(said))
            return 1
        print("ok: eslint and the checker of types find nothing")
        write(scripts, "broken.js", BROKEN)
        said = lint(scripts, packages)
        if len(said) < 2 or not all("broken.js" in text for text in said):
            print("FAILED: they find nothing in a broken script:", said)
            return 1
        print("ok: and both find errors in a broken script")
        return 0


if __name__ == "__main__":
    sys.exit(main())
