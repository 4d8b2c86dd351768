// The page of one tool.

import { Json } from "./code.jsx";
import { Changes } from "./changes.jsx";
import { linkTo } from "./route.js";
import { labelOf } from "./search.js";
import { SchemaTree } from "./tree.jsx";
import { TryIt } from "./try.jsx";
import { visible } from "./visible.js";

const HINTS = {
  readOnlyHint: ["only reads", "may change things"],
  destructiveHint: ["may destroy or overwrite", "destroys nothing"],
  idempotentHint: ["the same call again changes nothing more", "the same call again acts again"],
  openWorldHint: ["reaches systems outside", "stays inside"],
};

function Section({ tool, id, title, children }) {
  return (
    <section id={`section-${id}`} aria-label={title}>
      <h2 id={`title-${id}`} tabIndex={-1}>{title} <a class="anchor" href={linkTo("tool", tool.name, id)} aria-label={`Link to ${title}`}>#</a></h2>
      {children}
    </section>
  );
}

export function Badges({ tool }) {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  return (
    <>
      {readOnlyHint === true && <span class="badge">only reads</span>}
      {destructiveHint === true && readOnlyHint !== true && <span class="badge warn">may destroy</span>}
      {tool.consent && <span class="badge">asks</span>}
      {tool.scopes && <span class="badge">scopes</span>}
      {tool.schemas.chunk_schema && <span class="badge">streams</span>}
      {tool.deprecated && <span class="badge warn">deprecated</span>}
      {tool.changes && <span class="badge warn">changed</span>}
    </>
  );
}

/** A tag, which leads to the tools that have it, or back to all of them. */
export function Tag({ tag, query }) {
  const search = labelOf("tag", tag);
  const isChosen = search === query;
  return <a class="tag" href={isChosen ? "#" : linkTo("search", search)} aria-current={isChosen || undefined}>{visible(tag)}</a>;
}

export function ToolView({ tool, catalogue, server }) {
  const { schemas, shared = {} } = tool;
  const changes = (tool.changes ?? []).map((index) => catalogue.changes[index]);
  return (
    <article data-tool={tool.name}>
      <h1 tabIndex={-1}>{visible(tool.title ?? tool.name)}</h1>
      <p class="row">
        <code class="name">{visible(tool.name)}</code>
        {tool.version && <span class="badge">{visible(tool.version)}</span>}
        <Badges tool={tool} />
        {(tool.tags ?? []).map((tag) => <Tag key={tag} tag={tag} />)}
      </p>
      <Section tool={tool} id="description" title="Description">
        <p class="note">As a model reads it:</p>
        <p class="text description">{visible(tool.description)}</p>
      </Section>
      <Section tool={tool} id="parameters" title="Parameters">
        <SchemaTree schema={schemas.input_schema} shared={shared.input_schema} />
      </Section>
      <Section tool={tool} id="try" title={server === undefined ? "Write a call" : "Try it"}>
        <TryIt key={tool.name} tool={{ ...tool, package: catalogue.package }} server={server} />
      </Section>
      {(schemas.output_schema || schemas.chunk_schema || tool.content) && (
        <Section tool={tool} id="response" title="Response">
          {schemas.output_schema && <SchemaTree schema={schemas.output_schema} shared={shared.output_schema} />}
          {schemas.chunk_schema && <><h3>Each part of the stream</h3><SchemaTree schema={schemas.chunk_schema} shared={shared.chunk_schema} /></>}
          {tool.content && <><h3>Pictures, sounds, files and texts</h3><Contents content={tool.content} /></>}
        </Section>
      )}
      {tool.consent && <Section tool={tool} id="consent" title="Consent"><Consent consent={tool.consent} /></Section>}
      <Section tool={tool} id="behaviour" title="Behaviour"><Behaviour tool={tool} /></Section>
      {tool.errors && <Section tool={tool} id="errors" title="Errors"><Errors errors={tool.errors} /></Section>}
      {tool.examples && <Section tool={tool} id="examples" title="Examples"><Examples examples={tool.examples} /></Section>}
      {changes.length > 0 && <Section tool={tool} id="changes" title={`Changes since ${visible(catalogue.against)}`}><Changes changes={changes} /></Section>}
      <Section tool={tool} id="providers" title="Providers"><Providers tool={tool} catalogue={catalogue} /></Section>
    </article>
  );
}

function Consent({ consent }) {
  const unsupported = {
    deny: "is refused", two_step: "gets a token first, and the application repeats the call with it", allow: "is carried out without a question",
  };
  return (
    <>
      {consent.proof === "person" && <p>Each call needs the signature of {consent.quorum === 1 ? "a person" : `${consent.quorum} people`}: {visible(consent.approvers.join(", ") || "anybody in the approvers file")}.</p>}
      <p>The user is asked before the tool acts{consent.preview ? ", and sees a preview of what it would do" : ""}. A call of a client that cannot ask {unsupported[consent.on_unsupported]}.</p>
      <blockquote class="question">{visible(consent.question ?? consent.message)}</blockquote>
      {consent.question !== null && <p class="note">As for the example “{visible(consent.example)}”. The text of the spec: <code>{visible(consent.message)}</code></p>}
    </>
  );
}

function Behaviour({ tool }) {
  const hints = Object.entries(tool.annotations ?? {});
  return (
    <dl>
      {hints.map(([key, value]) => {
        const words = Object.hasOwn(HINTS, key) && typeof value === "boolean" ? HINTS[key][value ? 0 : 1] : typeof value === "string" ? value : JSON.stringify(value);
        return [<dt key={key}><code>{visible(key)}</code></dt>, <dd key={`${key} value`}>{visible(words)}</dd>];
      })}
      {tool.scopes && <><dt>Scopes</dt><dd>{tool.scopes.map((scope) => <code key={scope}>{visible(scope)} </code>)}</dd></>}
      {tool.timeout && <><dt>Time</dt><dd>at most {tool.timeout} seconds of work</dd></>}
      {tool.concurrency && <><dt>At once</dt><dd>{tool.concurrency} calls</dd></>}
      {tool.max_result_bytes && <><dt>Result</dt><dd>at most {tool.max_result_bytes.toLocaleString("en")} bytes</dd></>}
      {tool.group && <><dt>Group</dt><dd><a href={linkTo("search", labelOf("group", tool.group))}>{visible(tool.group)}</a></dd></>}
      {tool.load && <><dt>Loaded</dt><dd>{tool.load}</dd></>}
      {tool.aliases && <><dt>Other names</dt><dd>{tool.aliases.map((name) => <code key={name}>{visible(name)} </code>)}</dd></>}
      {tool.deprecated && <><dt>Deprecated</dt><dd><Deprecation {...tool.deprecated} /></dd></>}
      <dt>Spec</dt><dd><code>{visible(tool.file)}</code></dd>
    </dl>
  );
}

function Deprecation({ since, replaced_by: replacement, sunset, message }) {
  return (
    <>
      {since && `since ${visible(since)}. `}
      {replacement && <>Use <a href={linkTo("tool", replacement)}>{visible(replacement)}</a>. </>}
      {sunset && `It ends on ${visible(String(sunset))}. `}
      {message && visible(message)}
    </>
  );
}

function Contents({ content }) {
  if (typeof content === "string") return <p>Anything.</p>;
  return (
    <ul>{content.map((each, index) => (
      <li key={index}>{visible(each.type)}{each.media_types && ` (${visible(each.media_types.join(", "))})`}{each.description && `: ${visible(each.description)}`}</li>
    ))}</ul>
  );
}

/** A table of rows of cells; on a phone its cells stand below each other, each with the name of its column. */
export function Table({ heads, rows }) {
  const cell = (content, index) => {
    if (index === 0) return <th key={index} scope="row">{content}</th>;
    const isNumber = typeof content === "number";
    return <td key={index} data-head={heads[index]} class={isNumber ? "number" : undefined}>{isNumber ? content.toLocaleString("en") : content}</td>;
  };
  return (
    <table>
      <thead><tr>{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
      <tbody>{rows.map((cells, index) => <tr key={index}>{cells.map(cell)}</tr>)}</tbody>
    </table>
  );
}

function Errors({ errors }) {
  const rows = errors.map(({ code, description, hint, retryable }) => [<code>{visible(code)}</code>, visible(description), visible(hint), retryable ? "yes" : "no"]);
  return <Table heads={["Code", "Meaning", "What to do", "May be repeated"]} rows={rows} />;
}

function Examples({ examples }) {
  return examples.map((example, index) => (
    <details key={index} open={index === 0}>
      <summary>{visible(example.name)}</summary>
      {example.description && <p class="text">{visible(example.description)}</p>}
      {example.ask && <p>A user says: “{visible(example.ask)}”</p>}
      <h3>Request</h3>
      <Json value={example.input} label={`the request of ${example.name}`} />
      {"output" in example && <><h3>Response</h3><Json value={example.output} label={`the response of ${example.name}`} /></>}
      {example.error && <p>It ends with the error <code>{visible(example.error)}</code>.</p>}
    </details>
  ));
}

function Providers({ tool, catalogue }) {
  const rows = catalogue.providers.filter(({ name }) => Object.hasOwn(tool.published, name)).map(({ name, label }) => {
    const each = tool.published[name];
    const losses = each.losses.map((loss, index) => <li key={index}><code>{visible(loss.path)}</code>: {visible(loss.reason)}</li>);
    return [
      <>{visible(label)} {each.strict && <span class="badge">strict</span>}</>, <code>{visible(each.name)}</code>, each.bytes,
      losses.length === 0 ? "nothing" : <ul>{losses}</ul>,
    ];
  });
  return <Table heads={["Provider", "Name", "Bytes", "What its dialect loses"]} rows={rows} />;
}
