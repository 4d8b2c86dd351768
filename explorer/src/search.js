// Search by words: every word must be found. Names count more than whole names of parameters, then come descriptions, then all else.

import { childrenOf, isObject } from "./schema.js";

function collectParameters(schema, names, texts) {
  if (!isObject(schema)) return;
  for (const { label, child, isName } of [...childrenOf(schema), ...childrenOf({ properties: schema.$defs })]) {
    if (isName) names.add(label);
    if (typeof child?.description === "string") texts.push(child.description);
    collectParameters(child, names, texts);
  }
}

/** Return the word by which tools with a tag, or of a group, are found: `tag:purchasing`. */
export const labelOf = (kind, text) => `${kind}:${text.toLowerCase().replace(/\s+/g, "-")}`;

const parts = new WeakMap();

function partsOf(tool) {
  let found = parts.get(tool);
  if (found === undefined) {
    const names = [tool.name, tool.title ?? "", ...(tool.aliases ?? []), ...(tool.tags ?? []), tool.group ?? ""].join(" ").toLowerCase();
    const labels = [...(tool.tags ?? []).map((tag) => labelOf("tag", tag)), labelOf("group", tool.group ?? "")];
    const texts = [...(tool.errors ?? []).map((each) => each.code), ...(tool.examples ?? []).map((each) => each.ask ?? "")];
    const parameters = new Set();
    collectParameters(tool.schemas.input_schema, parameters, texts);
    const rest = [...parameters, ...texts].join(" ").toLowerCase();
    found = { names, labels, description: tool.description.toLowerCase(), parameters: [...parameters], rest };
    parts.set(tool, found);
  }
  return found;
}

function pointsOf(tool, word) {
  const { names, labels, description, parameters, rest } = partsOf(tool);
  if (tool.name.toLowerCase() === word) return 27;
  if (names.includes(word) || labels.includes(word)) return 9;
  if (parameters.some((name) => name.toLowerCase() === word)) return 5;
  return description.includes(word) ? 3 : Number(rest.includes(word));
}

export const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean);

/** Return a pattern of a word in which one letter may be wrong, missing or too many, or two may have changed places. */
function withTypo(word) {
  const literal = (text) => text.replace(/\W/g, "\\$&");
  return new RegExp([...word].map((_, index) => `${literal(word.slice(0, index))}.{0,3}${literal(word.slice(index + 2))}`).join("|"));
}

/** Return the tools that have every word, the best first; if there are none, those whose names nearly have them. */
export function searchTools(tools, query) {
  const words = wordsOf(query);
  if (words.length === 0) return tools;
  const scored = tools.map((tool) => [words.map((word) => pointsOf(tool, word)), tool]).filter(([points]) => !points.includes(0));
  const sum = (points) => points.reduce((total, each) => total + each);
  // shorter words are near to everything, and no name has more than 64 characters
  const isNear = (word, tool) => word.length > 4 && word.length <= 64 && withTypo(word).test(partsOf(tool).names);
  if (scored.length === 0) return tools.filter((tool) => words.every((word) => isNear(word, tool)));
  return scored.sort(([one], [other]) => sum(other) - sum(one)).map(([, tool]) => tool);
}

/** Return the first names of parameters that have one of the words. */
export function foundParameters(tool, query) {
  const words = wordsOf(query);
  return partsOf(tool).parameters.filter((name) => words.some((word) => name.toLowerCase().includes(word))).slice(0, 5).join(", ");
}

/** Return the tools by group, or else by first tag, as `[name, tools]`; those with neither are the last, as "". */
export function groupsOf(tools) {
  const groups = Map.groupBy(tools, (tool) => tool.group ?? tool.tags?.[0] ?? "");
  return [...groups].sort(([one], [other]) => (one === "") - (other === "") || one.localeCompare(other));
}
