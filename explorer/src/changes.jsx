// What changed since another version, each change with a value that shows it.

import { Json } from "./code.jsx";
import { linkTo } from "./route.js";
import { visible } from "./visible.js";

const LEVELS = { error: "breaks", warning: "may break", info: "safe" };

export function Changes({ changes, withTools = false }) {
  return (
    <ul class="changes">
      {changes.map((change, index) => (
        <li key={index}>
          <p>
            <span class={`badge ${change.level === "info" ? "" : "warn"}`}>{change.accepted ? "accepted" : LEVELS[change.level] ?? change.level}</span>{" "}
            {withTools && change.tools.map((name) => <a key={name} href={linkTo("tool", name, "changes")}>{visible(name)} </a>)}
            {visible(change.message)}
          </p>
          <p class="note"><code>{visible(change.rule)}</code>{change.pointer && <> at <code>{visible(change.pointer)}</code></>}{change.hint && <> — {visible(change.hint)}</>}{change.accepted && <> — accepted: {visible(change.accepted)}</>}</p>
          {change.witness && (
            <details>
              <summary>A value that shows it</summary>
              <p>The {change.witness.accepted_by} version accepts it, the {change.witness.accepted_by === "old" ? "new" : "old"} one refuses it.</p>
              <Json value={change.witness.value} label="the value" />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
