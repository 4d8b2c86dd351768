// Validation by interpretation: a strict Content-Security-Policy forbids validators that are compiled to code.

import { Validator } from "@cfworker/json-schema";

const cached = new WeakMap();
const MISSING = new Set(["required", "minItems", "minProperties"]);
const AROUND = new Set(["properties", "items", "prefixItems", "$ref", "allOf", "patternProperties"]);

function draftOf(schema) {
  const named = typeof schema?.$schema === "string" ? schema.$schema : "";
  return named.includes("draft-07") ? "7" : named.includes("2019-09") ? "2019-09" : "2020-12";
}

function validator(schema, root) {
  const isNode = typeof schema === "object" && schema !== null;
  const found = isNode ? cached.get(schema) : undefined;
  if (found !== undefined) return found;
  // `x-json` nodes and options are parts of the root schema, whose definitions they refer to
  const whole = isNode && root && schema !== root && (root.$defs || root.definitions)
    ? { ...(root.$defs && { $defs: root.$defs }), ...(root.definitions && { definitions: root.definitions }), ...schema }
    : schema;
  const made = new Validator(whole, draftOf(root ?? schema), false);
  if (isNode) cached.set(schema, made);
  return made;
}

/** Return the faults of a value as `{place, message, isMissing}`, what is missing last; none if the schema accepts it. */
export function faultsOf(value, schema) {
  let result;
  try {
    result = validator(schema).validate(value);
  } catch (error) {
    return [{ place: "", message: `this schema cannot be checked here, the server checks it: ${error.message}` }];
  }
  if (result.valid) return [];
  // a fault inside is also reported by every keyword around it
  const found = result.errors.filter(({ keyword }) => !AROUND.has(keyword));
  const faults = found.length > 0 ? found : result.errors;
  const shown = new Map(faults.map(({ instanceLocation, keyword, error }) => [
    `${instanceLocation} ${error}`, { place: instanceLocation.replace(/^#\/?/, ""), message: error, isMissing: MISSING.has(keyword) },
  ]));
  return [...shown.values()].sort((one, other) => one.isMissing - other.isMissing);
}

/** What the form library asks of a validator: which branch a value is of. `faultsOf` has the faults, by the author's schema. */
export const formValidator = {
  isValid(schema, value, root) {
    try {
      return validator(schema, root).validate(value).valid;
    } catch {
      return false;
    }
  },
};
