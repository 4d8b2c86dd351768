// The page of `toolgen docs`: views, navigation, search, colours.

import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Changes } from "./changes.jsx";
import { authorization, events, token } from "./mcp.js";
import { linkTo, useRoute } from "./route.js";
import { foundParameters, groupsOf, searchTools, wordsOf } from "./search.js";
import { Badges, Table, Tag, ToolView } from "./tool.jsx";
import { SchemaTree } from "./tree.jsx";
import { visible } from "./visible.js";

const THEME_KEY = "toolgen-theme";
const THEMES = { auto: "As the system", light: "Light", dark: "Dark" };

/** Return what the browser remembers for this page; undefined where it forbids files to remember anything. */
function memory() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const rememberedTheme = () => memory()?.getItem(THEME_KEY) ?? "auto";

function useTheme() {
  const [theme, setTheme] = useState(rememberedTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    memory()?.setItem(THEME_KEY, theme);
  }, [theme]);
  return [theme, setTheme];
}

function Page({ catalogue, server, news }) {
  const route = useRoute();
  const [theme, setTheme] = useTheme();
  const [query, setQuery] = useState("");
  const isSearching = query.trim() !== "";
  const found = useMemo(() => searchTools(catalogue.tools, query), [catalogue, query]);
  const isFound = (schema) => wordsOf(query).every((word) => schema.name.toLowerCase().includes(word));
  const schemas = catalogue.shared.flatMap((file) => file.schemas).filter(isFound);
  const groups = useMemo(() => (isSearching ? [["Found", found]] : groupsOf(found)), [isSearching, found]);
  const tool = route.view === "tool" ? catalogue.tools.find((each) => each.name === route.name || (each.aliases ?? []).includes(route.name)) : undefined;
  useFocus(route);
  useEffect(() => {
    if (route.view === "search") setQuery(route.name);
    else if (route.view === "") setQuery(""); // at a tool, what was found stays in the sidebar
  }, [route]);
  useEffect(() => {
    document.title = tool === undefined ? `${visible(catalogue.name)}: tools` : `${visible(tool.title ?? tool.name)} – ${visible(catalogue.name)}`;
  }, [tool, catalogue]);
  useEffect(() => {
    const nav = document.querySelector("nav");
    const current = nav.querySelector("li:has(> [aria-current])");
    if (current !== null) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
  }, [tool]);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key === "/" && !/^(input|textarea|select)$/i.test(event.target.tagName) && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        document.getElementById("search").focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const open = (event) => {
    event.preventDefault();
    if (found.length > 0 && isSearching) location.hash = linkTo("tool", found[0].name);
  };
  const isOverview = route.view === "" || route.view === "search";
  // an address of its own for each search, to which the browser's button returns
  const remember = () => isOverview && history.replaceState(null, "", isSearching ? linkTo("search", query) : "#");
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector("main h1")?.focus(); }}>Skip to the content</a>
      <header>
        <p class="site"><a href="#">{visible(catalogue.name)}</a> {catalogue.version && <span class="badge">{visible(catalogue.version)}</span>}</p>
        <form role="search" onSubmit={open}>
          <label class="hidden" for="search">Search the tools</label>
          <input id="search" type="search" placeholder="Search the tools ( / )" autoComplete="off" value={query} onInput={(event) => setQuery(event.currentTarget.value)} onChange={remember} />
        </form>
        <label class="theme"><span>Colours</span> <select aria-label="Colours" value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
          {Object.entries(THEMES).map(([key, words]) => <option key={key} value={key}>{words}</option>)}
        </select></label>
      </header>
      <div class="columns">
        <nav aria-label="Tools" data-searching={isSearching}>
          <p class="note" role="status">{isSearching && `${found.length.toLocaleString("en")} of `}{catalogue.tools.length.toLocaleString("en")} tools</p>
          {catalogue.against !== null && <ul><li><a href={linkTo("changes")} aria-current={route.view === "changes" ? "page" : undefined}>Changes since {visible(catalogue.against)}</a></li></ul>}
          {groups.map(([name, tools]) => (
            <Group key={name} title={titleOf(name, groups)} isOpen={isSearching || groups.length === 1 || found.length < MOST_OPEN || tools.includes(tool)}>
              {tools.map((each) => (
                <li key={each.name}><a href={linkTo("tool", each.name)} aria-current={each === tool ? "page" : undefined}>{visible(each.name)}{each.deprecated && <span class="hidden"> (deprecated)</span>}</a></li>
              ))}
            </Group>
          ))}
          {schemas.length > 0 && <Group title="Shared schemas" isOpen={schemas.length < MOST_OPEN}>{schemas.map((each) => (
            <li key={each.id}><a href={linkTo("schema", each.id)} aria-current={route.view === "schema" && route.name === each.id ? "page" : undefined}>{visible(each.name)}</a></li>
          ))}</Group>}
        </nav>
        <main id="main">
          {news && <News news={news} />}
          <View route={route} tool={tool} catalogue={catalogue} server={server} groups={groups} query={query} />
        </main>
      </div>
    </>
  );
}

const MOST_OPEN = 60; // names that the sidebar shows without a click: about two screens

const titleOf = (name, groups) => visible(name || (groups.length > 1 ? "Others" : "Tools"));

function Group({ title, isOpen, children }) {
  return <details open={isOpen}><summary>{title} <span class="note">{children.length.toLocaleString("en")}</span></summary><ul>{children}</ul></details>;
}

function View({ route, tool, catalogue, server, groups, query }) {
  if (tool !== undefined) return <ToolView tool={tool} catalogue={catalogue} server={server} />;
  const file = catalogue.shared.find(({ schemas }) => schemas.some((each) => each.id === route.name));
  if (route.view === "schema" && file !== undefined) return <SharedView schema={file.schemas.find((each) => each.id === route.name)} file={file} />;
  if (route.view === "changes" && catalogue.against !== null) {
    return (
      <article>
        <h1 tabIndex={-1}>Changes since {visible(catalogue.against)}</h1>
        {catalogue.changes.length === 0 ? <p>Nothing changed.</p> : <Changes changes={catalogue.changes} withTools />}
      </article>
    );
  }
  const missing = ["", "main", "search"].includes(route.view) ? "" : route.name || route.view;
  return <Overview catalogue={catalogue} groups={groups} query={query} missing={missing} />;
}

function Overview({ catalogue, groups, query, missing }) {
  const tags = [...new Set(catalogue.tools.flatMap((tool) => tool.tags ?? []))].sort();
  return (
    <article class="overview">
      <h1 tabIndex={-1}>{visible(catalogue.name)}</h1>
      {missing && <p class="fault" role="alert">There is nothing called “{visible(missing)}” here; it may have been renamed.</p>}
      {catalogue.instructions && <p class="text description">{visible(catalogue.instructions)}</p>}
      {tags.length > 0 && <p class="tags">Tags: {tags.map((tag) => <Tag key={tag} tag={tag} query={query} />)}</p>}
      {groups.map(([name, tools]) => (
        <section key={name}>
          <h2>{titleOf(name, groups)}</h2>
          {tools.length === 0 && <p>No tool has all of these words. <a href="#">Show all tools</a></p>}
          <ul class="tools">{tools.map((tool) => (
            <li key={tool.name}>
              <a href={linkTo("tool", tool.name)}>{visible(tool.name)}</a>
              <span>{visible(firstSentence(tool.description))}<code class="note parameters">{visible(foundParameters(tool, query))}</code></span>
              <span><Badges tool={tool} /></span>
            </li>
          ))}</ul>
        </section>
      ))}
      <h2>Sizes</h2>
      <Table heads={["Provider", "Bytes of all definitions"]} rows={catalogue.providers.map(({ name, label }) => [visible(label), catalogue.sizes[name] ?? 0])} />
    </article>
  );
}

const firstSentence = (text) => {
  const [found] = /^[^]*?(?=(?<=[.!?])\s|\n\s*\n|$)/.exec(text.trim());
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
    const isStart = isFirst.current && route.section === "";
    isFirst.current = false;
    if (isStart || target === null) return;
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

const refuse = (text) => render(<Message><p role="alert">{visible(text)}</p></Message>, place);

/** Load and show the catalogue; return whether that was possible. */
async function load(server) {
  const response = await fetch("catalogue.json", { headers: authorization() }).catch((error) => refuse(`The server cannot be reached: ${error.message}`));
  if (response?.ok) show({ ...(await response.json()), server });
  else if ([401, 403].includes(response?.status)) render(<TokenForm onToken={start} />, place);
  else if (response !== undefined) refuse(await response.text());
  return response?.ok;
}

/** Load the catalogue again whenever the server says that it changed; try again while it is away. */
async function follow(server) {
  for (;;) {
    try {
      const response = await fetch("events", { headers: authorization() });
      if ([401, 404].includes(response.status)) return;
      for await (const _ of events(response)) await load(server);
    } catch {
      // it may be restarted
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function start() {
  document.documentElement.dataset.theme = rememberedTheme();
  token.takeFromAddress();
  const { catalogue, server } = globalThis.toolgenDocs ?? {};
  if (catalogue !== undefined) show({ catalogue });
  else if (server === undefined) refuse("There is no data.js beside this page: copy the whole folder.");
  else if ((await load(server)) && server.reloads) await follow(server);
}

start();
