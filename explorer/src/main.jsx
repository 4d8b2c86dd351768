// The page of `toolgen docs`: views, navigation, search, colours.

import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Changes } from "./changes.jsx";
import { authorization, token } from "./mcp.js";
import { linkTo, useRoute } from "./route.js";
import { searchTools } from "./search.js";
import { ToolView } from "./tool.jsx";
import { SchemaTree } from "./tree.jsx";
import { visible } from "./visible.js";

const THEME_KEY = "toolgen-theme";
const THEMES = { auto: "As the system", light: "Light", dark: "Dark" };

function rememberedTheme() {
  try {
    const theme = localStorage.getItem(THEME_KEY);
    return Object.hasOwn(THEMES, theme) ? theme : "auto";
  } catch {
    return "auto"; // a browser may forbid files to remember anything
  }
}

function useTheme() {
  const [theme, setTheme] = useState(rememberedTheme);
  const choose = (chosen) => {
    setTheme(chosen);
    document.documentElement.dataset.theme = chosen;
    try {
      localStorage.setItem(THEME_KEY, chosen);
    } catch {
      // as above
    }
  };
  return [theme, choose];
}

function Page({ catalogue, server, news }) {
  const route = useRoute();
  const [theme, setTheme] = useTheme();
  const [query, setQuery] = useState("");
  const found = useMemo(() => searchTools(catalogue.tools, query), [catalogue, query]);
  const tool = route.view === "tool" ? catalogue.tools.find((each) => each.name === route.name || (each.aliases ?? []).includes(route.name)) : undefined;
  const name = catalogue.name;
  useFocus(route);
  useEffect(() => {
    document.title = tool === undefined ? `${visible(name)}: tools` : `${visible(tool.title ?? tool.name)} – ${visible(name)}`;
  }, [tool, name]);
  const search = useRef(undefined);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName) && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        search.current.focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const open = (event) => {
    event.preventDefault();
    if (found.length > 0 && query.trim() !== "") location.hash = linkTo("tool", found[0].name);
  };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector("main h1")?.focus(); }}>Skip to the content</a>
      <header>
        <p class="site"><a href="#">{visible(name)}</a> {catalogue.version && <span class="badge">{visible(catalogue.version)}</span>}</p>
        <form role="search" onSubmit={open}>
          <label class="hidden" for="search">Search the tools</label>
          <input id="search" ref={search} type="search" placeholder="Search the tools ( / )" autoComplete="off" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
        </form>
        <label class="theme">Colours <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
          {Object.entries(THEMES).map(([key, words]) => <option key={key} value={key}>{words}</option>)}
        </select></label>
      </header>
      <div class="columns">
        <nav aria-label="Tools">
          <p class="note" role="status">{query.trim() === "" ? `${found.length.toLocaleString("en")} tools` : `${found.length.toLocaleString("en")} of ${catalogue.tools.length.toLocaleString("en")} tools`}</p>
          <ul>{found.map((each) => (
            <li key={each.name}><a href={linkTo("tool", each.name)} aria-current={each === tool ? "page" : undefined}>{visible(each.name)}{each.deprecated && <span class="hidden"> (deprecated)</span>}</a></li>
          ))}</ul>
          {catalogue.shared.length > 0 && <><h2>Shared schemas</h2><ul>{catalogue.shared.flatMap((file) => file.schemas).map((each) => (
            <li key={each.id}><a href={linkTo("schema", each.id)} aria-current={route.view === "schema" && route.name === each.id ? "page" : undefined}>{visible(each.name)}</a></li>
          ))}</ul></>}
          {catalogue.against !== null && <ul><li><a href={linkTo("changes")} aria-current={route.view === "changes" ? "page" : undefined}>Changes since {visible(catalogue.against)}</a></li></ul>}
        </nav>
        <main id="main">
          {news && <News news={news} />}
          <View route={route} tool={tool} catalogue={catalogue} server={server} />
        </main>
      </div>
    </>
  );
}

function View({ route, tool, catalogue, server }) {
  if (tool !== undefined) return <ToolView tool={tool} catalogue={catalogue} server={server} />;
  if (route.view === "schema") {
    for (const file of catalogue.shared) {
      const schema = file.schemas.find((each) => each.id === route.name);
      if (schema !== undefined) return <SharedView schema={schema} file={file} />;
    }
  }
  if (route.view === "changes" && catalogue.against !== null) {
    return (
      <article>
        <h1 tabIndex={-1}>Changes since {visible(catalogue.against)}</h1>
        {catalogue.changes.length === 0 ? <p>Nothing changed.</p> : <Changes changes={catalogue.changes} withTools />}
      </article>
    );
  }
  return <Overview catalogue={catalogue} missing={route.view === "" || route.view === "main" ? "" : route.name || route.view} />;
}

function Overview({ catalogue, missing }) {
  return (
    <article>
      <h1 tabIndex={-1}>{visible(catalogue.name)}</h1>
      {missing && <p class="fault" role="alert">There is nothing called “{visible(missing)}” here; it may have been renamed.</p>}
      {catalogue.instructions && <p class="text description">{visible(catalogue.instructions)}</p>}
      <h2>Tools</h2>
      <table>
        <thead><tr><th scope="col">Tool</th><th scope="col">What it does</th><th scope="col">Behaviour</th></tr></thead>
        <tbody>{catalogue.tools.map((tool) => (
          <tr key={tool.name}>
            <th scope="row"><a href={linkTo("tool", tool.name)}>{visible(tool.name)}</a></th>
            <td>{visible(firstSentence(tool.description))}</td>
            <td>
              {tool.annotations?.readOnlyHint === true && <span class="badge">only reads</span>}
              {tool.annotations?.destructiveHint === true && tool.annotations?.readOnlyHint !== true && <span class="badge warn">may destroy</span>}
              {tool.consent && <span class="badge">asks</span>}
              {tool.scopes && <span class="badge">scopes</span>}
              {tool.schemas.chunk_schema && <span class="badge">streams</span>}
              {tool.deprecated && <span class="badge warn">deprecated</span>}
              {tool.changes && <span class="badge warn">changed</span>}
            </td>
          </tr>
        ))}</tbody>
      </table>
      <h2>Sizes</h2>
      <table>
        <thead><tr><th scope="col">Provider</th><th scope="col">Bytes of all definitions</th></tr></thead>
        <tbody>{catalogue.providers.map(({ name, label }) => (
          <tr key={name}><th scope="row">{visible(label)}</th><td class="number">{(catalogue.sizes[name] ?? 0).toLocaleString("en")}</td></tr>
        ))}</tbody>
      </table>
    </article>
  );
}

const firstSentence = (text) => {
  const line = text.trim().split(/\n/)[0];
  const end = line.search(/[.!?](\s|$)/);
  const found = end < 0 ? line : line.slice(0, end + 1);
  return found.length > 200 ? `${found.slice(0, 200)}…` : found;
};

function SharedView({ schema, file }) {
  const root = { $ref: `#/$defs/${schema.key.replaceAll("~", "~0").replaceAll("/", "~1")}`, $defs: file.$defs };
  return (
    <article>
      <h1 tabIndex={-1}>{visible(schema.name)}</h1>
      <p class="note">A schema of <code>{visible(file.file)}</code>, which these tools use: {schema.tools.map((name) => <a key={name} href={linkTo("tool", name)}>{visible(name)} </a>)}</p>
      <SchemaTree schema={file.$defs[schema.key]} root={root} shared={file.shared} />
    </article>
  );
}

/** What `toolgen dev` found at the last change: faults of specs, findings, changes of the contract. */
function News({ news }) {
  if (news.lines.length === 0) return null;
  return (
    <details class="news" open={news.lines.some((line) => line.includes("error["))}>
      <summary>{news.title}</summary>
      <pre tabIndex={0} role="region" aria-label={news.title}>{news.lines.map(visible).join("\n")}</pre>
    </details>
  );
}

/** Move the focus to what a link leads to, so that readers of the screen hear it. */
function useFocus(route) {
  const isFirst = useRef(true);
  useEffect(() => {
    const target = route.section === "" ? document.querySelector("main h1") : document.getElementById(`title-${route.section}`);
    if (isFirst.current && route.section === "") {
      isFirst.current = false;
      return;
    }
    isFirst.current = false;
    if (target === null) return;
    target.focus({ preventScroll: true });
    if (route.section === "") scrollTo(0, 0);
    else target.scrollIntoView();
  }, [route.view, route.name, route.section]);
}

const place = document.getElementById("page");

function Message({ children }) {
  return <main class="message"><h1>Tools</h1>{children}</main>;
}

function TokenForm({ onToken }) {
  const [typed, setTyped] = useState("");
  return (
    <Message>
      <form onSubmit={(event) => { event.preventDefault(); token.set(typed); onToken(); }}>
        <p>The server wants a token. Open the address that the command printed, or enter a token.</p>
        <label for="token">Token</label> <input id="token" type="password" autoComplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />{" "}
        <button type="submit" class="primary">Open</button>
      </form>
    </Message>
  );
}

function show(data) {
  render(<Page {...data} />, place);
  document.documentElement.dataset.ready = String(Number(document.documentElement.dataset.ready ?? 0) + 1);
}

async function load(server) {
  let response;
  try {
    response = await fetch("catalogue.json", { headers: authorization() });
  } catch (error) {
    render(<Message><p role="alert">The server cannot be reached: {error.message}</p></Message>, place);
    return undefined;
  }
  if (response.status === 401 || response.status === 403) {
    render(<TokenForm onToken={() => start()} />, place);
    return undefined;
  }
  if (!response.ok) {
    render(<Message><p role="alert">{visible(await response.text())}</p></Message>, place);
    return undefined;
  }
  const { catalogue, news } = await response.json();
  show({ catalogue, server, news });
  return response.headers.get("etag");
}

/** Load the catalogue again whenever the server says that it changed; try again while it is away. */
async function follow(server) {
  for (;;) {
    try {
      const response = await fetch("events", { headers: authorization() });
      const reader = response.ok ? response.body.pipeThrough(new TextDecoderStream()).getReader() : undefined;
      while (reader !== undefined) {
        const { value, done } = await reader.read();
        if (done) break;
        if (value.includes("data:")) await load(server);
      }
      if (response.status === 401 || response.status === 404) return;
    } catch {
      // it may be restarted
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function start() {
  document.documentElement.dataset.theme = rememberedTheme();
  token.takeFromAddress();
  const given = globalThis.toolgenDocs ?? {};
  if (given.catalogue !== undefined) return show({ catalogue: given.catalogue });
  if (given.server === undefined) {
    render(<Message><p role="alert">There is no data.js beside this page: copy the whole folder.</p></Message>, place);
    return undefined;
  }
  if ((await load(given.server)) !== undefined && given.server.reloads) await follow(given.server);
  return undefined;
}

start();
