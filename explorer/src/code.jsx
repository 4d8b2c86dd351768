// Code that can be copied, highlighted without HTML: lowlight returns a tree, and texts stay texts.

import { createLowlight } from "lowlight";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import { useState } from "preact/hooks";
import { visible } from "./visible.js";

const lowlight = createLowlight({ bash, json, python });
const MOST = 60_000; // characters that are highlighted, and shown at first

const nodes = (children) =>
  children.map((node) =>
    node.type === "text" ? node.value : <span class={(node.properties.className ?? []).join(" ")}>{nodes(node.children)}</span>,
  );

export function asJson(value) {
  return JSON.stringify(value, null, 2) ?? "";
}

export function Code({ text, language, label }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || text.length <= MOST ? text : text.slice(0, MOST);
  const seen = visible(shown);
  const body = shown.length <= MOST && language ? nodes(lowlight.highlight(language, seen).children) : seen;
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={visible(label)}><code>{body}</code></pre>
      <div class="buttons">
        <CopyButton text={text} label={label} />
        {shown.length < text.length && (
          <>
            <button type="button" onClick={() => setWhole(true)}>Show all {text.length.toLocaleString("en")} characters</button>
            <Download data={text} name="result.json" type="application/json" />
          </>
        )}
      </div>
      {shown.length < text.length && <p class="note">The first {MOST.toLocaleString("en")} of {text.length.toLocaleString("en")} characters are shown.</p>}
    </div>
  );
}

export function Json({ value, label }) {
  return <Code text={asJson(value)} language="json" label={label} />;
}

function CopyButton({ text, label }) {
  const [state, setState] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("Copied");
    } catch {
      setState("The browser does not allow copying here: select the text.");
    }
    setTimeout(() => setState(""), 3000);
  };
  return (
    <>
      <button type="button" class="copy" onClick={copy} aria-label={`Copy ${visible(label)}`}>Copy</button>
      <span role="status">{state}</span>
    </>
  );
}

/** A button that saves data as a file; the data stays in the browser. */
export function Download({ data, name, type }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([data], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return <button type="button" onClick={save}>Save as {name}</button>;
}
