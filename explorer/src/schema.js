// Questions about JSON Schemas: what a reference leads to, what a node says of its values.

import { decoded } from "./route.js";

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const own = (object, key) => (isObject(object) || Array.isArray(object)) && Object.hasOwn(object, key) ? object[key] : undefined;

const pointerKey = (part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** Return the schema that a local reference leads to; undefined if it leads nowhere. */
export function referenced(reference, root) {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found = root;
  for (const part of reference.slice(2).split("/")) {
    found = own(found, pointerKey(part));
    if (found === undefined) return undefined;
  }
  return found;
}

/** Return the name of a definition that a reference leads to: `Money` for `#/$defs/Money`. */
export function definitionName(reference) {
  const match = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference ?? "");
  return match === null ? undefined : pointerKey(match[1]);
}

/** Follow references, and join what stands beside them, as drafts since 2019-09 do. */
export function resolved(schema, root) {
  let found = schema;
  for (let hops = 0; hops < 30; hops += 1) {
    if (!isObject(found) || typeof found.$ref !== "string") return found;
    const target = referenced(found.$ref, root);
    if (target === undefined) return found;
    const { $ref, ...beside } = found;
    found = isObject(target) ? { ...target, ...beside } : target;
  }
  return {};
}

/** Return the types of a node in words: `string`, `integer or null`, `array of Sku`. */
export function typeInWords(schema, root) {
  if (schema === true || schema === undefined) return "any value";
  if (schema === false) return "no value";
  if (!isObject(schema)) return "";
  const name = definitionName(schema.$ref);
  if (name !== undefined) return name;
  const node = resolved(schema, root);
  if (!isObject(node)) return typeInWords(node, root);
  if ("const" in node) return "constant";
  const types = [node.type ?? []].flat();
  if (types.includes("array") && node.items !== undefined) {
    const others = types.filter((each) => each !== "array");
    return [`array of ${typeInWords(node.items, root)}`, ...others].join(" or ");
  }
  if (types.length > 0) return types.join(" or ");
  if (node.enum !== undefined) return "one of";
  for (const key of ["oneOf", "anyOf"]) {
    if (Array.isArray(node[key])) return node[key].slice(0, 4).map((each) => typeInWords(each, root)).join(" or ");
  }
  if (Array.isArray(node.allOf)) return node.allOf.slice(0, 4).map((each) => typeInWords(each, root)).join(" and ");
  return isObject(node.properties) ? "object" : "any value";
}

const LIMITS = {
  minimum: "at least", maximum: "at most", exclusiveMinimum: "more than", exclusiveMaximum: "less than",
  multipleOf: "a multiple of", minLength: "characters at least", maxLength: "characters at most", pattern: "pattern",
  format: "format", minItems: "items at least", maxItems: "items at most", uniqueItems: "items differ:",
  minProperties: "properties at least", maxProperties: "properties at most", contentMediaType: "media type",
  contentEncoding: "encoding",
};

/** Yield what a node demands of its values, as pairs of words and values. */
export function* limitsOf(schema) {
  for (const [keyword, words] of Object.entries(LIMITS)) {
    if (Object.hasOwn(schema, keyword)) yield [words, schema[keyword]];
  }
  if (schema.additionalProperties === false) yield ["no other properties", undefined];
  if (schema.readOnly === true) yield ["read-only", undefined];
  if (schema.writeOnly === true) yield ["write-only", undefined];
  if (schema.deprecated === true) yield ["deprecated", undefined];
}

const SHOWN_IN_WORDS = new Set([
  ...Object.keys(LIMITS), "$ref", "$defs", "definitions", "$schema", "$id", "$comment", "title", "description", "default",
  "examples", "example", "type", "enum", "const", "properties", "required", "items", "prefixItems", "additionalProperties",
  "anyOf", "oneOf", "allOf", "patternProperties", "not", "if", "then", "else", "readOnly", "writeOnly", "deprecated",
  "propertyNames", "contains", "unevaluatedProperties", "dependentSchemas",
]);

/** Return the keywords of a node that nothing else shows; the reader sees them as JSON. */
export function otherKeywords(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !SHOWN_IN_WORDS.has(key)));
}

/** Yield the schemas below a node: how each is reached, its name where it has one, and whether it is required. */
export function* childrenOf(schema) {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, child] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    yield { label: name, child, isName: true, required: required.has(name) };
  }
  for (const [pattern, child] of Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {})) {
    yield { label: `names like ${pattern}`, child };
  }
  for (const [index, child] of (Array.isArray(schema.prefixItems) ? schema.prefixItems : []).entries()) {
    yield { label: `item ${index + 1}`, child };
  }
  const words = {
    items: "each item", additionalProperties: "each other property", unevaluatedProperties: "each other property",
    propertyNames: "each name", contains: "an item", not: "not", if: "if", then: "then", else: "else",
  };
  for (const [keyword, label] of Object.entries(words)) {
    if (isObject(schema[keyword])) yield { label, child: schema[keyword] };
  }
  for (const [keyword, word] of [["oneOf", "exactly one"], ["anyOf", "any"], ["allOf", "all"]]) {
    for (const [index, child] of (Array.isArray(schema[keyword]) ? schema[keyword] : []).entries()) {
      yield { label: `${word} of: ${index + 1}`, child };
    }
  }
  for (const [name, child] of Object.entries(isObject(schema.dependentSchemas) ? schema.dependentSchemas : {})) {
    yield { label: `if there is ${name}`, child };
  }
}
