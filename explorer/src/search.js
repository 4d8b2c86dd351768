// Search by words: every word must be found; names count more than descriptions, those more than parameters.

import { isObject } from "./schema.js";

const MOST_WORDS = 4000; // characters of parameters that are searched, for each tool

function parameterWords(schema, found = [], depth = 0) {
  if (!isObject(schema) || depth > 6 || found.length > 300) return found;
  for (const [name, child] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    found.push(name);
    if (isObject(child) && typeof child.description === "string") found.push(child.description);
    parameterWords(child, found, depth + 1);
  }
  for (const child of Object.values(isObject(schema.$defs) ? schema.$defs : {})) parameterWords(child, found, depth + 1);
  if (isObject(schema.items)) parameterWords(schema.items, found, depth + 1);
  return found;
}

const parts = new WeakMap();

function partsOf(tool) {
  let found = parts.get(tool);
  if (found === undefined) {
    const names = [tool.name, tool.title ?? "", ...(tool.aliases ?? []), ...(tool.tags ?? []), tool.group ?? ""].join(" ").toLowerCase();
    const rest = [...(tool.errors ?? []).map((each) => each.code), ...(tool.examples ?? []).map((each) => each.ask ?? "")].join(" ");
    const parameters = `${parameterWords(tool.schemas.input_schema).join(" ")} ${rest}`.toLowerCase().slice(0, MOST_WORDS);
    found = { names, description: tool.description.toLowerCase(), parameters };
    parts.set(tool, found);
  }
  return found;
}

/** Return the tools that have every word, the best first. */
export function searchTools(tools, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tools;
  const scored = [];
  for (const tool of tools) {
    const { names, description, parameters } = partsOf(tool);
    let score = 0;
    for (const word of words) {
      const points = names.includes(word) ? 9 : description.includes(word) ? 3 : parameters.includes(word) ? 1 : 0;
      if (points === 0) {
        score = 0;
        break;
      }
      score += points;
    }
    if (score > 0) scored.push([score, tool]);
  }
  return scored.sort((one, other) => other[0] - one[0]).map(([, tool]) => tool);
}
