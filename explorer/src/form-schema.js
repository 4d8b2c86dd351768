// The schema that the form library gets: the author's, without what the library reads in another way.
//
// The request is validated with the author's schema, so that a form which asks for less is no loss. Where no
// form is possible, the place becomes a field for JSON: a schema without a type, marked with `x-json`.

import { isObject, referenced, resolved } from "./schema.js";

const OF_SCHEMAS = ["properties", "$defs", "definitions"];
const KEPT = new Set([
  "$ref", "type", "enum", "const", "description", "required", "anyOf", "oneOf", "allOf", "items", "minItems", "maxItems",
  "minProperties", "maxProperties",
]);
const SHAPES = ["type", "enum", "const", "properties", "items", "prefixItems", "$ref", "anyOf", "oneOf", "allOf", "additionalProperties"];
const UNREADABLE = ["$dynamicRef", "$recursiveRef", "patternProperties", "prefixItems", "dependentSchemas", "dependencies"];
const MOST_NODES = 20_000;
const MOST_OPTIONS = 60;

const shapes = (schema) => isObject(schema) && SHAPES.some((key) => key in schema);

const known = new WeakMap();

/** Return the schema for the form; `isJson` if no form is possible at all. */
export function formSchema(schema) {
  const isNode = isObject(schema);
  let found = isNode ? known.get(schema) : undefined;
  if (found === undefined) {
    const work = { nodes: 0, root: schema, definitions: {} };
    const form = converted(schema, "", work, true);
    form.$defs = { ...form.$defs, ...work.definitions };
    found = { form, isJson: form["x-json"] === true || work.nodes > MOST_NODES };
    if (isNode) known.set(schema, found);
  }
  return found;
}

const described = (schema) => (typeof schema.description === "string" ? { description: schema.description } : {});

const jsonField = (schema, title) => ({ "x-json": true, title, ...described(schema) });

function converted(schema, title, work, isRoot = false) {
  work.nodes += 1;
  if (!isObject(schema) || work.nodes > MOST_NODES) return jsonField({}, title);
  if (UNREADABLE.some((key) => key in schema)) return jsonField(schema, title);
  if ("$ref" in schema && (referenced(schema.$ref, work.root) === undefined || !isObject(resolved(schema, work.root)))) {
    return jsonField(schema, title);
  }
  const values = schema.type === "null" ? [null] : "const" in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values)) return { title, enum: values, ...described(schema) };
  const types = Array.isArray(schema.type) ? schema.type : undefined;
  if (types !== undefined && types.length === 1) return converted({ ...schema, type: types[0] }, title, work, isRoot);
  if (types !== undefined && !isRoot) {
    return { title, anyOf: types.map((type) => converted({ ...schema, type }, type, work)), ...described(schema) };
  }
  const made = { title };
  for (const [key, value] of Object.entries(schema)) {
    if (KEPT.has(key)) made[key] = value;
  }
  for (const key of OF_SCHEMAS) {
    if (isObject(schema[key])) {
      made[key] = Object.fromEntries(Object.entries(schema[key]).map(([name, child]) => [name, converted(child, name, work)]));
    }
  }
  return withBranches(schema, made, title, work, isRoot);
}

/** Return a reference to a definition of the form: the library reads other schemas of further properties in its own way. */
function definition(form, work) {
  const name = `x-further-${Object.keys(work.definitions).length}`;
  work.definitions[name] = form;
  return { $ref: `#/$defs/${name}` };
}

function withBranches(schema, made, title, work, isRoot) {
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    if (!(key in schema)) continue;
    const branches = Array.isArray(schema[key]) ? schema[key] : [];
    // branches such as {required: [a]} ask for values, which the form has fields for anyway
    if (branches.length === 0 || !branches.some(shapes)) delete made[key];
    else if (branches.length > MOST_OPTIONS || (isRoot && key !== "allOf" && !isObject(schema.properties))) {
      return jsonField(schema, title);
    } else {
      made[key] = branches.map((branch, index) => {
        const node = resolved(branch, work.root);
        const name = isObject(node) && typeof node.title === "string" ? node.title : undefined;
        return converted(branch, name ?? optionName(branch, node, index), work);
      });
      if (key !== "allOf" && made[key].every((branch) => "enum" in branch)) {
        return { title, enum: made[key].flatMap((branch) => branch.enum), ...described(schema) };
      }
    }
  }
  if ("if" in schema && ["then", "else"].some((key) => shapes(schema[key]))) return jsonField(schema, title);
  const type = schema.type;
  if (type === "array") {
    if (!isObject(schema.items) || (!shapes(schema.items) && !("$ref" in schema.items))) return jsonField(schema, title);
    made.items = converted(schema.items, "item", work);
  } else delete made.items;
  if (type === "object" || (type === undefined && isObject(schema.properties))) {
    made.type = "object";
    const hasProperties = isObject(schema.properties) && Object.keys(schema.properties).length > 0;
    const further = schema.additionalProperties;
    const isOpen = further !== undefined && further !== false;
    if (isOpen && (shapes(further) || hasProperties || isRoot)) made.additionalProperties = definition(converted(further, "value", work), work);
    else if (!hasProperties && !isRoot && further !== false && !made.anyOf && !made.oneOf && !made.allOf) return jsonField(schema, title);
    made.required = Array.isArray(schema.required) ? schema.required.filter((name) => isObject(schema.properties) && Object.hasOwn(schema.properties, name)) : [];
  }
  if (isRoot && type !== "object" && made.type !== "object") return jsonField(schema, title);
  if (!("type" in made) && !made.$ref && !made.anyOf && !made.oneOf && !made.allOf) return jsonField(schema, title);
  return made;
}

function optionName(branch, node, index) {
  if (typeof branch.$ref === "string") return branch.$ref.split("/").pop();
  if (isObject(node) && "const" in node) return String(JSON.stringify(node.const));
  return isObject(node) && typeof node.type === "string" ? node.type : `option ${index + 1}`;
}
