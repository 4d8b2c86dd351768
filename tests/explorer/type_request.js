// Types a request through the fields of the form, as a person would: it only uses what is on the page.
//
// Defines `typeRequest(value)`, which says whether the page would send the value, and where it would not.

(() => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 0));
  const byId = (id) => document.getElementById(id);
  const same = (one, other) => canonical(one) === canonical(other);
  const canonical = (value) =>
    JSON.stringify(value, (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    );

  const write = async (element, text, event = "input") => {
    const prototype = Object.getPrototypeOf(element);
    Object.getOwnPropertyDescriptor(prototype, "value").set.call(element, text);
    element.dispatchEvent(new Event(event, { bubbles: true }));
    await wait();
  };

  const click = async (button) => {
    button.click();
    await wait();
  };

  const sent = () => JSON.parse(document.querySelector(".try").dataset.sent);
  const at = (path) => path.reduce((value, key) => (value === undefined || value === null ? undefined : value[key]), sent());

  const label = (value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text === "" ? '""' : text.length > 120 ? `${text.slice(0, 120)}…` : text;
  };

  const kindsOf = (id) => [...document.querySelectorAll("[data-kind='kind']")].filter((each) => [`${id}__anyof_select`, `${id}__oneof_select`].includes(each.dataset.place));

  let failed; // the innermost field that was typed last without success

  /** Type a value into the field with an id; return whether the page would send it. `level` counts choices inside choices. */
  async function fill(id, path, value, level = 0) {
    const included = byId(`${id}__optionalAdd`);
    if (included !== null) await click(included);
    const expand = document.querySelector(`[data-expand="${CSS.escape(id)}"]`);
    if (expand !== null) await click(expand);
    const kinds = kindsOf(id)[level];
    if (kinds === undefined) {
      failed = undefined;
      const isSent = (await fillPlain(id, path, value)) && same(at(path), value);
      if (!isSent) failed ??= id;
      return isSent;
    }
    // what stands beside the alternatives is typed by each of them as well
    for (const option of new Set([kinds.value, ...[...kinds.options].map((each) => each.value)])) {
      const select = kindsOf(id)[level];
      if (select.value !== option) await write(select, option, "change");
      try {
        if (await fill(id, path, value, level + 1)) return true;
      } catch {
        // another alternative may have the fields
      }
    }
    return false;
  }

  async function fillPlain(id, path, value) {
    const included = byId(`${id}__optionalAdd`);
    if (included !== null) await click(included);
    const element = byId(id);
    const kind = element?.dataset.kind;
    if (kind === "json") {
      await write(element, JSON.stringify(value));
      return true;
    }
    if (kind === "string") {
      if (typeof value !== "string") return false;
      if (value === "") await write(element, "x");
      await write(element, value);
      return true;
    }
    if (kind === "number") {
      if (typeof value !== "number") return false;
      await write(element, String(value));
      return true;
    }
    if (kind === "choice") {
      const option = [...element.options].findIndex((each, index) => index > 0 && each.textContent === label(value));
      if (option < 0) return false;
      await write(element, String(option - 1), "change");
      return true;
    }
    if (kind === "searched") {
      await write(element, label(value));
      return true;
    }
    if (kind === "null") {
      await wait();
      await wait();
      return value === null;
    }
    if (kind === "array") return fillArray(id, path, value);
    return fillObject(id, path, value);
  }

  async function fillArray(id, path, value) {
    if (!Array.isArray(value)) return false;
    for (const index of value.keys()) {
      if (Number(byId(id).dataset.count) <= index) await click(document.querySelector(`[data-add="${CSS.escape(id)}"]`));
      if (!(await fill(`${id}/${index}`, [...path, index], value[index]))) return false;
    }
    return true;
  }

  async function fillObject(id, path, value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const [name, inner] of Object.entries(value)) {
      let field = `${id}/${name}`;
      if (!isThere(field)) {
        const add = document.querySelector(`[data-add="${CSS.escape(id)}"]`);
        if (add === null) return false;
        const before = new Set([...document.querySelectorAll("input[id$='-key']")].map((each) => each.id));
        await click(add);
        const key = [...document.querySelectorAll("input[id$='-key']")].find((each) => !before.has(each.id));
        key.focus();
        await write(key, name);
        key.blur();
        await wait();
        field = `${id}/${name}`;
      }
      if (!(await fill(field, [...path, name], inner))) return false;
    }
    return true;
  }

  const isThere = (id) =>
    byId(id) !== null || byId(`${id}__optionalAdd`) !== null || kindsOf(id).length > 0 ||
    document.querySelector(`[data-field="${CSS.escape(id)}"]`) !== null;

  globalThis.typeRequest = async (value) => {
    const whole = document.querySelector(".try #request-json");
    if (whole !== null) {
      await write(whole, JSON.stringify(value));
      return { view: "json", isSent: same(sent(), value), sent: sent() };
    }
    let error;
    try {
      await fill(document.querySelector(".try [data-field]").dataset.field, [], value);
    } catch (fault) {
      error = String(fault);
    }
    return { view: "form", isSent: same(sent(), value), sent: sent(), failed, error };
  };
})();
