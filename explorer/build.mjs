// Bundles the page into the package: classic scripts, the licences of what is in them, and hashes of the sources.
//
//     node build.mjs [FOLDER]      (`make explorer` installs the packages first)

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";

const out = process.argv[2] ?? "../generator/toolgen/documents/page";
mkdirSync(out, { recursive: true });
const result = await build({
  entryPoints: ["src/main.jsx"],
  outfile: `${out}/page.js`,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  define: { "process.env.NODE_ENV": '"production"' },
  alias: {
    react: "preact/compat",
    "react-dom": "preact/compat",
    "react/jsx-runtime": "preact/jsx-runtime",
    "markdown-to-jsx": "./src/no-markdown.js", // descriptions are shown as text
    "markdown-to-jsx/react": "./src/no-markdown.js",
    "@rjsf/validator-ajv8": "./src/no-markdown.js", // of the library's own tests; it would compile code
  },
  plugins: [{
    name: "registry",
    setup: ({ onResolve }) => onResolve({ filter: /\/getDefaultRegistry\.js$/ }, () => ({ path: resolve("src/registry.js") })),
  }],
});
const style = await build({ entryPoints: ["src/page.css"], write: false, minify: true, target: "es2022" });
writeFileSync(`${out}/page.css`, style.outputFiles[0].contents);
writeFileSync(`${out}/page.html`, readFileSync("src/page.html"));

const packages = new Set(
  Object.entries(result.metafile.outputs[Object.keys(result.metafile.outputs)[0]].inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter(Boolean),
);
const licences = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const file = readdirSync(`node_modules/${name}`).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : readFileSync(`node_modules/${name}/${file}`, "utf8").trim();
  return `${name} ${version}: ${license}\n\n${text}`;
});
writeFileSync(`${out}/LICENSES.txt`, `page.js contains parts of these packages.\n\n${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);

const sources = ["package.json", "package-lock.json", "build.mjs", ...readdirSync("src").sort().map((name) => `src/${name}`)];
const digest = (path) => createHash("sha256").update(readFileSync(path, "utf8").replaceAll("\r\n", "\n")).digest("hex");
const outputs = ["page.js", "page.css", "page.html", "LICENSES.txt"];
const manifest = {
  sources: Object.fromEntries(sources.map((path) => [path, digest(path)])),
  files: Object.fromEntries(outputs.map((name) => [name, digest(`${out}/${name}`)])),
};
writeFileSync(`${out}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);
