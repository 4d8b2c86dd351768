// Validation by interpretation: a strict Content-Security-Policy forbids validators that are compiled to code.

import { Validator } from "@cfworker/json-schema";

const cached = new WeakMap();

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

/** Return the faults of a value as `{place, message}`; none if the schema accepts it. */
export function faultsOf(value, schema) {
  let result;
  try {
    result = validator(schema).validate(value);
  } catch (error) {
    return [{ place: "", message: `this schema cannot be checked here, the server checks it: ${error.message}`, isUndecided: true }];
  }
  if (result.valid) return [];
  const places = new Map();
  for (const { instanceLocation, error } of result.errors) {
    // the most specific fault of a place comes last
    places.set(instanceLocation, error);
  }
  const deepest = [...places].filter(([place]) => ![...places.keys()].some((other) => other !== place && other.startsWith(`${place}/`)));
  return deepest.map(([place, message]) => ({ place: place.replace(/^#\/?/, ""), message }));
}

export const accepts = (value, schema, root) => {
  try {
    return validator(schema, root).validate(value).valid;
  } catch {
    return false;
  }
};

/** What the form library asks of a validator. It shows no faults itself: `faultsOf` has those of the author's schema. */
export const formValidator = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  toErrorList: () => [],
  isValid: (schema, value, root) => accepts(value, schema, root),
  reset: () => {},
};
