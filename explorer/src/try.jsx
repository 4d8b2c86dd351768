// Try it: a request as form or JSON, its answer as people and as models see it, and the same call as code.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Code, Download, Json, asJson } from "./code.jsx";
import { RequestForm } from "./form.jsx";
import { callTool, token } from "./mcp.js";
import { KINDS, snippet } from "./snippets.js";
import { faultsOf } from "./validation.js";
import { visible } from "./visible.js";

const MOST_STEPS = 500; // chunks that stay on the page
const MOST_FAULTS = 20;

export function TryIt({ tool, server }) {
  const schema = tool.schemas.input_schema;
  const [example, setExample] = useState("");
  const [request, setRequest] = useState({});
  const [mode, setMode] = useState("form");
  const [note, setNote] = useState("");
  const [text, setText] = useState("");
  const [version, setVersion] = useState(0);
  const parsed = useMemo(() => (mode === "json" ? parse(text) : { value: asSent(request) }), [mode, text, request]);
  const faults = useMemo(() => (parsed.fault === undefined ? faultsOf(parsed.value, schema) : []), [parsed, schema]);

  const toJson = () => {
    setText(asJson(parsed.value));
    setMode("json");
  };
  const toForm = () => {
    if (parsed.fault !== undefined || typeof parsed.value !== "object" || parsed.value === null || Array.isArray(parsed.value)) {
      setNote("The form shows objects only: correct the JSON first.");
      return;
    }
    setNote("");
    setRequest(parsed.value);
    setVersion(version + 1);
    setMode("form");
  };
  const failed = (reason) => {
    setNote(`${reason} Write the request as JSON.`);
    setText(asJson(asSent(request)));
    setMode("json");
  };
  const choose = (index) => {
    setExample(index);
    const input = index === "" ? {} : tool.examples[Number(index)].input;
    setRequest(input);
    setText(asJson(input));
    setVersion(version + 1);
  };

  return (
    <div class="try" data-sent={parsed.fault === undefined ? JSON.stringify(parsed.value) : ""}>
      <div class="buttons">
        <div role="group" aria-label="View of the request">
          <button type="button" aria-pressed={mode === "form"} onClick={mode === "form" ? undefined : toForm}>Form</button>
          <button type="button" aria-pressed={mode === "json"} onClick={mode === "json" ? undefined : toJson}>JSON</button>
        </div>
        {(tool.examples ?? []).length > 0 && (
          <label>Start from <select value={example} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">an empty request</option>
            {tool.examples.map((each, index) => <option key={index} value={String(index)}>{visible(each.name)}</option>)}
          </select></label>
        )}
      </div>
      {note && <p class="note" role="status">{note}</p>}
      {mode === "form" ? (
        <RequestForm key={`${tool.name}/${version}`} schema={schema} value={request} onChange={setRequest} onFailure={failed} />
      ) : (
        <>
          <label for="request-json">Request as JSON</label>
          <textarea id="request-json" class="json" rows={Math.min(24, text.split("\n").length + 1)} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
        </>
      )}
      <Faults fault={parsed.fault} faults={faults} value={parsed.value} />
      {server === undefined
        ? <p class="note">This page is a file: it calls nothing. <code>toolgen dev</code> shows it with calls of the mock, or of the implementations.</p>
        : <Runner tool={tool} server={server} args={parsed.fault === undefined ? parsed.value : undefined} />}
      <Snippets tool={tool} args={parsed.fault === undefined ? parsed.value : {}} server={server} />
    </div>
  );
}

/** Return what a form sends: properties without a value are left out. */
const asSent = (request) => JSON.parse(JSON.stringify(request));

function parse(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `This is not JSON: ${error.message}` };
  }
}

/** True if nothing was typed: lists and objects that are required are there, and empty. */
const isEmpty = (value) => (typeof value === "object" && value !== null ? Object.values(value).every(isEmpty) : value === undefined);

function Faults({ fault, faults, value }) {
  const shown = fault !== undefined ? [{ place: "", message: fault }] : faults;
  if (shown.length === 0) return <p class="good" role="status">The schema accepts this request.</p>;
  if (fault === undefined && isEmpty(value)) return <p class="note" role="status">Some fields are required.</p>;
  return (
    <div role="status" class="faults">
      <p>{fault === undefined ? "The schema does not accept this request yet:" : "The request cannot be read:"}</p>
      <ul>{shown.slice(0, MOST_FAULTS).map((each, index) => (
        <li key={index} class={each.isMissing ? "" : "fault"}>{each.place && <><code>{visible(each.place)}</code>: </>}{visible(each.message).slice(0, 500)}</li>
      ))}</ul>
      {shown.length > MOST_FAULTS && <p>and {shown.length - MOST_FAULTS} more</p>}
    </div>
  );
}

function Runner({ tool, server, args }) {
  const [state, setState] = useState({ phase: "idle", steps: [] });
  const [question, setQuestion] = useState(undefined);
  const [, setToken] = useState(0);
  const controller = useRef(undefined);
  const button = useRef(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const running = state.phase === "running";

  const run = async (isPreview) => {
    const abort = new AbortController();
    controller.current = abort;
    const steps = [];
    let dropped = 0;
    let waiting = false;
    const show = (more) => setState({ phase: "running", steps: [...steps], dropped, isPreview, ...more });
    const onProgress = (step) => {
      if (steps.push(step) > MOST_STEPS) {
        steps.shift();
        dropped += 1;
      }
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        if (!abort.signal.aborted && controller.current === abort) show({});
      });
    };
    const ask = (message, schema) => new Promise((resolve) => setQuestion({ message, schema, answer: resolve }));
    show({});
    const started = performance.now();
    let end;
    try {
      const result = await callTool(tool.published.mcp?.name ?? tool.name, args, { signal: abort.signal, ask, onProgress, isPreview });
      end = { phase: "done", result };
    } catch (error) {
      end = error.name === "AbortError" ? { phase: "failed", message: "You stopped the call." } : { phase: "failed", message: error.message };
    }
    controller.current = undefined;
    setQuestion(undefined);
    setState({ ...end, steps: [...steps], dropped, isPreview, milliseconds: Math.round(performance.now() - started) });
  };

  // a button that was disabled would lose the focus, to which it returns after a question
  const starts = (isPreview) => ({
    disabled: args === undefined && !running, "aria-disabled": running, onClick: () => running || run(isPreview),
  });
  const stop = () => {
    controller.current?.abort();
    button.current.focus();
  };
  const answered = (action, content) => {
    question.answer(action === "accept" ? { action, content } : { action });
    setQuestion(undefined);
  };

  return (
    <div class="runner">
      <div class="buttons">
        <button type="button" class="primary" ref={button} {...starts(false)}>Call {server.calls}</button>
        {tool.consent?.preview && <button type="button" {...starts(true)}>Preview</button>}
        {running && <button type="button" onClick={stop}>Stop</button>}
        {server.token && <label>Token <input type="password" autoComplete="off" value={token.get()} onInput={(event) => { token.set(event.currentTarget.value); setToken((count) => count + 1); }} /></label>}
      </div>
      {question && <Question key={question.message} tool={tool} {...question} onAnswer={answered} />}
      <section class="answer" aria-label="Answer" aria-live="polite" aria-busy={running}>
        {running && <p role="status">{question ? "Waiting for your answer…" : "Calling…"}</p>}
        <Steps steps={state.steps} dropped={state.dropped} />
        {state.phase === "failed" && <p class="fault" role="alert">{visible(state.message)}</p>}
        {state.phase === "done" && <Result result={state.result} milliseconds={state.milliseconds} isPreview={state.isPreview} />}
      </section>
    </div>
  );
}

/** The question of a tool: for consent, with the preview of what it would do, or for values in the middle of a call. */
function Question({ tool, message, schema, onAnswer }) {
  const dialog = useRef(undefined);
  const [given, setGiven] = useState({});
  const isConsent = Object.keys(schema.properties ?? {}).every((name) => name === "confirm");
  const content = isConsent ? { confirm: true } : asSent(given);
  const faults = isConsent ? [] : faultsOf(content, schema);
  // a layout effect, since a dialog returns the focus only if it is closed before it is removed
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown.showModal();
    return () => shown.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question-title" onCancel={(event) => { event.preventDefault(); onAnswer("cancel"); }}>
      <h3 id="question-title">{visible(tool.title ?? tool.name)} asks for {isConsent ? "your consent" : "more"}</h3>
      <pre class="question" tabIndex={0} role="region" aria-label="The question">{visible(message)}</pre>
      {!isConsent && <RequestForm schema={schema} value={given} onChange={setGiven} onFailure={() => onAnswer("cancel")} />}
      {!isConsent && <Faults faults={faults} value={content} />}
      <div class="buttons">
        <button type="button" onClick={() => onAnswer("decline")} autoFocus>No</button>
        <button type="button" class="primary" disabled={faults.length > 0} onClick={() => onAnswer("accept", content)}>{isConsent ? "Yes, do it" : "Send"}</button>
        <button type="button" onClick={() => onAnswer("cancel")}>Close without an answer</button>
      </div>
    </dialog>
  );
}

function Steps({ steps, dropped }) {
  if (steps.length === 0) return null;
  return (
    <div>
      <p class="note">{dropped > 0 && `The last ${steps.length} of ${steps.length + dropped}: `}parts of the result, and progress, as they arrived</p>
      <ol class="steps" tabIndex={0} aria-label="Parts of the result">
        {steps.map((step, index) => <li key={index + (dropped ?? 0)}>{step.message === undefined ? `${step.progress}${step.total === undefined ? "" : ` of ${step.total}`}` : visible(step.message).slice(0, 2000)}</li>)}
      </ol>
    </div>
  );
}

function Result({ result, milliseconds, isPreview }) {
  const error = result._meta?.["toolgen/error"];
  const blocks = result.content ?? [];
  const isMock = result._meta?.["toolgen/mock"];
  return (
    <>
      <p class={result.isError ? "fault" : "good"}>
        {isPreview ? "Preview: nothing was done." : result.isError ? `The tool ended with ${error === undefined ? "an error" : `the error ${visible(error.code)}`}.` : "The tool answered."}
        {` ${milliseconds.toLocaleString("en")} ms`}
        {isMock && ` (mock: ${isMock.example === undefined ? (isMock.made_up ? "made up" : "provoked") : `example ${visible(isMock.example)}`})`}
      </p>
      {error !== undefined && !isPreview && (
        <dl>
          <dt>Message</dt><dd>{visible(error.message)}</dd>
          {error.hint && <><dt>Hint</dt><dd>{visible(error.hint)}</dd></>}
          <dt>May be repeated</dt><dd>{error.retryable ? "yes" : "no"}</dd>
        </dl>
      )}
      <h3>As a model sees it</h3>
      {blocks.map((block, index) => <Block key={index} block={block} number={index + 1} />)}
      {result.structuredContent !== undefined && <><h3>As data</h3><Json value={result.structuredContent} label="the response" /></>}
      {result._meta !== undefined && <details><summary>Metadata, which no model sees</summary><Json value={result._meta} label="the metadata" /></details>}
    </>
  );
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

function Block({ block, number }) {
  if (block.type === "text") return <Code text={block.text} language={/^[[{]/.test(block.text) ? "json" : undefined} label={`text ${number}`} />;
  if (block.type === "image" || block.type === "audio") return <Media type={block.mimeType} data={block.data} kind={block.type} number={number} />;
  if (block.type === "resource_link") return <p>Link: <ExternalLink uri={block.uri} name={block.name} /></p>;
  if (block.type === "resource") {
    const { uri, mimeType, text, blob } = block.resource;
    return (
      <div>
        <p>File <code>{visible(uri)}</code> {mimeType && `(${visible(mimeType)})`}</p>
        {text !== undefined && <Code text={text} label={`file ${number}`} />}
        {blob !== undefined && <Media type={mimeType ?? "application/octet-stream"} data={blob} kind="file" number={number} />}
      </div>
    );
  }
  return <Json value={block} label={`part ${number}`} />;
}

function Media({ type, data, kind, number }) {
  const bytes = useMemo(() => bytesOf(data), [data]);
  const [url, setUrl] = useState(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  const name = `${kind}-${number}.${type.split("/")[1].replace(/[^a-z0-9]+.*$/i, "") || "bin"}`;
  return (
    <figure>
      {PICTURES.test(type) && url && <img src={url} alt={`Picture ${number} of the result`} />}
      {type.startsWith("audio/") && url && <audio controls src={url} aria-label={`Sound ${number} of the result`} />}
      {type.startsWith("video/") && url && <video controls src={url} aria-label={`Video ${number} of the result`} />}
      <figcaption>{visible(type)}, {bytes.length.toLocaleString("en")} bytes <Download data={bytes} name={name} type={type} /></figcaption>
    </figure>
  );
}

function ExternalLink({ uri, name }) {
  const text = visible(name ? `${name}: ${uri}` : uri);
  return /^https?:\/\//i.test(uri) ? <a href={uri} rel="noreferrer noopener" target="_blank">{text}</a> : <code>{text}</code>;
}

function Snippets({ tool, args, server }) {
  const [kind, setKind] = useState("toolgen");
  const chosen = KINDS.find((each) => each.id === kind);
  const text = snippet(kind, {
    tool: tool.name, mcpName: tool.published.mcp?.name ?? tool.name, openaiName: tool.published.openai?.name ?? tool.name, args,
    server: server === undefined ? "http://127.0.0.1:8000/mcp" : new URL("mcp", location.href.split("#")[0]).href,
    module: tool.package, hasToken: token.get() !== "",
  });
  return (
    <div class="snippets">
      <div class="buttons" role="group" aria-label="The same call as">
        <span class="label">The same call as</span>
        {KINDS.map((each) => <button key={each.id} type="button" aria-pressed={kind === each.id} onClick={() => setKind(each.id)}>{each.label}</button>)}
      </div>
      <Code text={text} language={chosen.language} label={`the call as ${chosen.label}`} />
    </div>
  );
}
