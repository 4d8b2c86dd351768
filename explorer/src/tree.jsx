// The parameters of a tool as a tree. A shared or recursive schema is a branch that opens on demand.

import { useState } from "preact/hooks";
import { childrenOf, definitionName, isObject, limitsOf, otherKeywords, referenced, resolved, typeInWords } from "./schema.js";
import { linkTo } from "./route.js";
import { visible } from "./visible.js";

const MOST_VALUES = 20;
const MOST_CHILDREN = 100;

const short = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return visible(text.length > 300 ? `${text.slice(0, 300)}… (${text.length.toLocaleString("en")} characters)` : text);
};

/** The tree of one schema. `shared` has the page of each definition that was copied from a shared file. */
export function SchemaTree({ schema, root = schema, shared = {} }) {
  const node = resolved(schema, root);
  if (!isObject(node)) return <p>{visible(typeInWords(node, root))}</p>;
  const children = [...childrenOf(node)];
  const isPlain = node.type === "object" && !("oneOf" in node || "anyOf" in node || "allOf" in node);
  return (
    <div class="tree">
      {!isPlain && <p><span class="type">{visible(typeInWords(schema, root))}</span></p>}
      <Facts node={node} />
      {children.length === 0 ? isPlain && <p class="note">It takes no parameters.</p> : <Branches entries={children} root={root} shared={shared} depth={0} />}
    </div>
  );
}

function Branches({ entries, root, shared, depth }) {
  const [most, setMost] = useState(MOST_CHILDREN);
  return (
    <ul>
      {entries.slice(0, most).map((entry) => <Branch key={entry.label} {...entry} root={root} shared={shared} depth={depth} />)}
      {entries.length > most && (
        <li><button type="button" onClick={() => setMost(most + 1000)}>Show more: {(entries.length - most).toLocaleString("en")} are left</button></li>
      )}
    </ul>
  );
}

function Branch({ label, child, isName, required, root, shared, depth }) {
  const reference = isObject(child) && typeof child.$ref === "string" ? child.$ref : undefined;
  const name = definitionName(reference);
  const node = resolved(child, root);
  const children = isObject(node) ? [...childrenOf(node)] : [];
  const [isOpen, setOpen] = useState(reference === undefined && depth < 3);
  const known = name !== undefined && Object.hasOwn(shared, name) ? shared[name] : undefined;
  return (
    <li>
      <div class="row">
        {isName ? <code class="name">{visible(label)}</code> : <span class="name">{visible(label)}</span>}{" "}
        <span class="type">{known === undefined ? visible(typeInWords(child, root)) : <a href={linkTo("schema", known)}>{visible(name)}</a>}</span>
        {reference !== undefined && referenced(reference, root) !== undefined && name !== undefined && <span class="type"> ({visible(typeInWords({ ...node, $ref: undefined }, root))})</span>}
        {required && <span class="badge">required</span>}
      </div>
      {isObject(node) && <Facts node={node} />}
      {children.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{children.length === 1 ? "1 part" : `${children.length.toLocaleString("en")} parts`}<span class="hidden"> of {visible(label)}</span></summary>
          {isOpen && <Branches entries={children} root={root} shared={shared} depth={depth + 1} />}
        </details>
      )}
    </li>
  );
}

function Facts({ node }) {
  const limits = [...limitsOf(node)];
  const others = otherKeywords(node);
  return (
    <>
      {typeof node.description === "string" && <p class="text">{visible(node.description)}</p>}
      {limits.length > 0 && (
        <p class="limits">
          {limits.map(([words, value], index) => (
            <span key={words}>{index > 0 && " · "}{words}{value !== undefined && value !== true && <> <code>{short(value)}</code></>}</span>
          ))}
        </p>
      )}
      {Array.isArray(node.enum) && (
        <p class="limits">One of{" "}
          {node.enum.slice(0, MOST_VALUES).map((value, index) => <span key={index}>{index > 0 && ", "}<code>{short(value)}</code></span>)}
          {node.enum.length > MOST_VALUES && ` and ${(node.enum.length - MOST_VALUES).toLocaleString("en")} more`}
        </p>
      )}
      {"const" in node && <p class="limits">Always <code>{short(node.const)}</code></p>}
      {"default" in node && <p class="limits">Default <code>{short(node.default)}</code></p>}
      {Object.keys(others).length > 0 && <p class="limits">Also <code>{short(others)}</code></p>}
    </>
  );
}
