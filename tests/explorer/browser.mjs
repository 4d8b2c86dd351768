// Scenarios in Chromium. Each gets what the test asks for, and prints what it found as JSON.
//
//     node browser.mjs SCENARIO '{"browser": …, …}'

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");
const asked = JSON.parse(readFileSync(process.argv[3], "utf8"));
const axe = readFileSync(`${process.cwd()}/node_modules/axe-core/axe.min.js`, "utf8");
const SIZE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

const browser = await chromium.launch({ executablePath: asked.browser, args: ["--no-sandbox"] });
const faults = []; // requests to other servers, errors of scripts, violations of the policy

async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: SIZE, ...options });
  const page = await context.newPage();
  const origin = new URL(url).origin;
  page.on("request", (request) => {
    const target = new URL(request.url());
    const isOwn = ["data:", "blob:"].includes(target.protocol) || target.origin === origin;
    if (!isOwn) faults.push(`request: ${request.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !(asked.expected ?? []).some((text) => message.text().includes(text))) faults.push(`console: ${message.text()}`);
  });
  const started = Date.now();
  await page.goto(url);
  await page.waitForSelector("[data-ready]");
  page.openedIn = Date.now() - started;
  return page;
}

async function show(page, hash) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, hash);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
}

async function violations(page, view) {
  await page.evaluate(axe);
  // style sheets are the page's own; fetching them again is refused on file://
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${view}: ${id}: ${node.html.slice(0, 200)}`));
}

/** Return what is wider than the window, and the badges that are broken across lines. */
const misfits = (page, view) => page.evaluate((view) => {
  const wide = document.documentElement.scrollWidth > innerWidth ? [`${view}: scrolls sideways`] : [];
  const broken = [...document.querySelectorAll(".badge, .tag")].filter((each) => each.offsetHeight > 1.5 * parseFloat(getComputedStyle(each).lineHeight));
  return [...wide, ...broken.map((each) => `${view}: ${each.textContent} is broken`)];
}, view);

/** Take a picture when nothing on the page moves any more. */
async function picture(page, name, options = {}) {
  if (!asked.pictures) return;
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((each) => each.finished)));
  await page.screenshot({ path: `${asked.pictures}/${name}.png`, ...options });
}

const answered = (page) => page.waitForFunction(() => document.querySelector(".answer[aria-busy='false'] > .good, .answer[aria-busy='false'] > .fault") !== null);
const toolLink = (name) => `#tool/${encodeURIComponent(name)}`;

const scenarios = {
  /** Every view in both colour schemes, and on a phone: what axe-core finds, what is too wide, what breaks. */
  async views() {
    const found = [];
    for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { viewport: PHONE }]) {
      const page = await open(asked.url, options);
      for (const view of asked.views) {
        await show(page, view);
        if (view.startsWith("#tool/")) await page.waitForSelector(".try");
        if ((await page.innerText("body")).includes("[object ")) found.push(`${view}: an object is shown as text`);
        found.push(...(await violations(page, `${JSON.stringify(options)} ${view}`)), ...(await misfits(page, view)));
      }
      await show(page, asked.views[0]);
      for (const select of ["dark", "light"]) {
        await page.selectOption(".theme select", select);
        found.push(...(await violations(page, `switched to ${select}`)));
      }
      await page.context().close();
    }
    return { found };
  },

  /** Tools found by name, by parameter and by tag, in the sidebar and beside it; no fault before something was typed. */
  async finds() {
    const page = await open(asked.url);
    const texts = (selector) => page.$$eval(selector, (found) => found.map((each) => each.textContent));
    const result = { groups: await texts("nav summary"), found: {} };
    for (const query of asked.queries) {
      await page.fill("#search", query);
      await page.waitForFunction(() => document.querySelector("nav summary").textContent.startsWith("Found"));
      result.found[query] = { sidebar: await texts("nav details:first-of-type a"), content: await texts(".tools a"), parameters: await texts(".parameters") };
    }
    await page.click("a.tag:has-text('purchasing')");
    await page.waitForFunction(() => document.querySelector("#search").value === "tag:purchasing");
    result.tagged = await texts(".tools a");
    await page.click(`.tools a:has-text("${asked.tool}")`);
    await page.waitForSelector(".try");
    result.stays = await texts("nav details:first-of-type a");
    result.before = await texts(".try .faults, .try .fault");
    await page.fill(".field input[data-kind='number']", "0");
    await page.waitForSelector(".try .faults");
    result.after = await texts(".try .fault");
    await page.goBack();
    await page.waitForSelector(".overview");
    result.back = await texts(".tools a");
    return result;
  },

  /** Texts of strangers in every field: shown as text, and nothing else. */
  async hostile() {
    const page = await open(asked.url);
    const wrong = [];
    for (const { name, text, raw, times } of asked.tools) {
      await show(page, toolLink(name));
      await page.waitForFunction((name) => document.querySelector("main [data-tool]")?.dataset.tool === name, name);
      const seen = await page.evaluate(({ text, raw }) => {
        for (const each of document.querySelectorAll("main details")) each.open = true;
        const content = document.querySelector("main").textContent;
        return {
          times: content.split(text).length - 1,
          hidden: text !== raw && content.includes(raw),
          elements: [...document.querySelectorAll("script, iframe, object, embed, img, base, style, svg, math, template")].length,
          handlers: [...document.querySelectorAll("*")].filter((each) => [...each.attributes].some((attribute) => /^on/i.test(attribute.name))).length,
          links: [...document.querySelectorAll("a")].filter((each) => !each.getAttribute("href").startsWith("#")).length,
          marks: Object.keys(globalThis).filter((key) => key.startsWith("toolgen_")).length,
          polluted: "toolgen_polluted" in {},
        };
      }, { text, raw });
      const { times: found, ...rest } = seen;
      const isClean = JSON.stringify(rest) === JSON.stringify({ hidden: false, elements: 2, handlers: 0, links: 0, marks: 0, polluted: false });
      if (!isClean || found < times) wrong.push({ name, text, seen, times });
    }
    return { wrong, tried: asked.tools.length };
  },

  /** A person's path by keyboard alone: find a tool, write a request, call it, consent, read the answer. */
  async keyboard() {
    const page = await open(asked.url);
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.id || document.activeElement?.tagName);
    const tabTo = async (isThere) => {
      for (let presses = 0; presses < 200; presses += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(isThere)) return presses + 1;
      }
      throw new Error(`Tab does not lead there: ${isThere}; it is at ${await focused()}`);
    };
    const path = [];
    await page.keyboard.press("/");
    await page.keyboard.type("purchase order supplier");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".try");
    path.push(await focused());
    await tabTo(() => document.activeElement.closest("label")?.textContent.startsWith("Start from"));
    await page.keyboard.type("one line");
    await page.waitForFunction(() => document.querySelector(".try").dataset.sent.includes("PO-2026-0005"));
    await tabTo(() => document.activeElement.tagName === "TEXTAREA" && document.activeElement.closest(".field")?.textContent.startsWith("note"));
    await page.keyboard.type("By keyboard alone.");
    await tabTo(() => /^Call /.test(document.activeElement.textContent));
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    path.push(await page.innerText("dialog h3"));
    const inDialog = await violations(page, "dialog");
    await picture(page, "page-consent");
    path.push(await focused()); // the safe answer has the focus
    const places = new Set();
    for (const key of [...Array(8).fill("Tab"), ...Array(8).fill("Shift+Tab")]) {
      await page.keyboard.press(key);
      places.add(await page.evaluate(() => (document.activeElement.closest("dialog") || document.activeElement === document.body ? "the dialog" : document.activeElement.outerHTML)));
    }
    await tabTo(() => document.activeElement.textContent === "Yes, do it");
    await page.keyboard.press("Enter");
    await answered(page);
    path.push(await page.innerText(".answer > p"));
    const after = [await focused()];
    for (const key of ["Enter", "Escape"]) { // the safe answer, and none
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog[open]");
      await page.keyboard.press(key);
      await answered(page);
      after.push(await focused());
    }
    return { path, places: [...places], after, sent: JSON.parse(await page.getAttribute(".try", "data-sent")), found: [...inDialog, ...(await violations(page, "answer"))] };
  },

  /** Calls of the gallery: a stream, pictures, an error, a refusal, a preview; then the server goes away. */
  async calls() {
    const page = await open(asked.url);
    const result = {};
    const call = async (name, example, button = "Call") => {
      await show(page, toolLink(name));
      await page.waitForFunction((name) => document.querySelector("main [data-tool]")?.dataset.tool === name, name);
      await page.selectOption("label:has-text('Start from') select", { label: example });
      await page.click(`.runner button:has-text("${button}")`);
    };
    await call("stream_lines", "two lines");
    await answered(page);
    result.stream = await page.$$eval(".steps li", (items) => items.map((item) => item.textContent));
    await call("stock_chart", "brakes");
    await answered(page);
    await page.waitForFunction(() => [...document.images].length === 2 && [...document.images].every((each) => each.complete));
    result.pictures = await page.$$eval(".answer img", (images) => images.map((image) => image.naturalWidth > 0));
    await call("create_purchase_order", "unknown supplier");
    await page.click("dialog button:has-text('Yes')");
    await answered(page);
    result.error = await page.innerText(".answer");
    await call("create_purchase_order", "one line at the list price");
    await page.click("dialog button:has-text('No')");
    await answered(page);
    result.declined = await page.innerText(".answer > p");
    await call("create_purchase_order", "one line at the list price");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await answered(page);
    result.closed = await page.innerText(".answer > p");
    await call("create_purchase_order", "one line at the list price", "Preview");
    await answered(page);
    result.preview = await page.innerText(".answer > p");
    result.snippets = {};
    for (const kind of ["toolgen call", "curl", "Python", "MCP JSON", "OpenAI"]) {
      await page.click(`.snippets button:has-text("${kind}")`);
      result.snippets[kind] = await page.innerText(".snippets pre");
    }
    result.found = await violations(page, "answers");
    await call("create_purchase_order", "one line at the list price");
    await page.waitForSelector("dialog[open]");
    process.kill(asked.process, "SIGKILL");
    await page.click("dialog button:has-text('Yes')");
    await answered(page);
    result.gone = await page.innerText(".answer > p");
    return result;
  },

  /** A tool asks for values in the middle of its call: a form, whose answer must fit. */
  async asks() {
    const page = await open(asked.url);
    await show(page, toolLink(asked.tool));
    await page.waitForSelector(".runner");
    await page.fill(".field textarea", "bolts");
    const call = async () => {
      await page.click(".runner button:has-text('Call')");
      await page.waitForSelector("dialog[open]");
    };
    await call();
    const title = await page.innerText("dialog h3");
    const quantity = "dialog input[data-kind='number']";
    await page.fill(quantity, "0");
    const refused = await page.isDisabled("dialog button.primary");
    await picture(page, "page-asks");
    await page.fill(quantity, "3");
    const found = await violations(page, "dialog");
    await page.click("dialog button:has-text('Send')");
    await answered(page);
    const answer = await page.innerText(".answer");
    await call();
    await page.click("dialog button:has-text('No')");
    await answered(page);
    return { title, refused, answer, declined: await page.innerText(".answer"), found };
  },

  /** Answers that a server should not give: huge ones, cut ones, links that would run code. */
  async answers() {
    const page = await open(asked.url);
    const result = {};
    await page.route("**/mcp", (route) => {
      const { id } = JSON.parse(route.request().postData());
      const [status, contentType, body] = asked.answers[result.next];
      return route.fulfill({ status, contentType, body: body.replaceAll('"ID"', String(id)).replaceAll('"HUGE"', JSON.stringify("x".repeat(10_000_000))) });
    });
    await show(page, toolLink(asked.tool));
    await page.waitForSelector(".try");
    for (const name of Object.keys(asked.answers)) {
      result.next = name;
      const started = Date.now();
      await page.click(".runner button:has-text('Call')");
      await answered(page);
      result[name] = { text: (await page.innerText(".answer")).slice(0, 3000), milliseconds: Date.now() - started };
      result[name].notes = await page.$$eval(".answer .note", (notes) => notes.map((note) => note.textContent));
      result[name].media = await page.$$eval(".answer img, .answer audio", (media) => media.map((each) => `${each.tagName} ${each.src.slice(0, 5)}`));
      result[name].buttons = await page.$$eval(".answer button", (buttons) => buttons.map((each) => each.textContent));
      result[name].links = await page.$$eval(".answer a", (links) => links.map((link) => link.href));
    }
    return result;
  },

  /** Requests typed through the fields of the form. */
  async typed() {
    const result = { tools: 0, requests: 0, typed: 0, json: 0, missed: [] };
    const driver = readFileSync(asked.driver, "utf8");
    for (const { url, requests } of asked.pages) {
      const page = await open(url);
      await page.evaluate(driver);
      for (const [name, values] of Object.entries(requests)) {
        result.tools += 1;
        await show(page, toolLink(name));
        await page.waitForFunction((name) => document.querySelector("main [data-tool]")?.dataset.tool === name, name);
        for (const value of values) {
          await show(page, "#");
          await show(page, toolLink(name));
          await page.waitForSelector(".try");
          result.requests += 1;
          const done = await page.evaluate((value) => typeRequest(value), value);
          if (done.isSent) {
            result.typed += 1;
            result.json += Number(done.view === "json");
          } else result.missed.push({ name, value, ...done });
        }
      }
      await page.context().close();
    }
    return result;
  },

  /** What a page says, section by section, of the views that are asked for; where a deep link leads; what a screen reader hears. */
  async reads() {
    const page = await open(`${asked.url}${asked.deep}`);
    const result = { focused: await page.evaluate(() => document.activeElement.textContent), texts: {}, roles: {} };
    for (const view of asked.views) {
      await show(page, view);
      await page.waitForFunction((view) => view.startsWith("#tool/") === (document.querySelector(".try") !== null), view);
      for (let depth = 0; depth < asked.depth; depth += 1) {
        await page.$$eval("main details:not([open])", (branches) => branches.forEach((each) => (each.open = true)));
        await page.waitForTimeout(50);
      }
      const sections = await page.$$eval("main section[id]", (found) => found.map((each) => [each.id.replace("section-", ""), each.innerText]));
      result.texts[view] = { ...Object.fromEntries(sections), all: await page.innerText("main") };
      result.texts[view].links = await page.$$eval("main a", (links) => links.map((each) => each.getAttribute("href")));
    }
    for (const [role, name] of asked.roles) result.roles[`${role} ${name}`] = await page.getByRole(role, { name, exact: true }).count();
    return result;
  },

  /** A server with tokens of its own: the page asks for one, and its calls carry it. */
  async token() {
    const context = await browser.newContext({ viewport: SIZE });
    const page = await context.newPage();
    const sent = {};
    page.on("request", (request) => {
      sent[new URL(request.url()).pathname] = request.headers().authorization ?? "";
    });
    const enter = async (token) => {
      await page.fill("#token", token);
      await page.keyboard.press("Enter");
    };
    await page.goto(asked.url);
    await page.waitForSelector("#token");
    const refused = page.waitForResponse((response) => response.url().endsWith("catalogue.json") && response.status() === 401);
    await enter("wrong");
    await refused;
    await page.waitForSelector("#token");
    await enter(asked.token);
    await page.waitForSelector("[data-ready]");
    await show(page, toolLink(asked.tool));
    await page.waitForSelector(".try");
    await page.click(".runner button:has-text('Call')");
    await answered(page);
    const { origin } = new URL(asked.url);
    return { answer: await page.innerText(".answer > p"), sent, address: page.url().replace(origin, ""), snippet: (await page.click(".snippets button:has-text('curl')"), await page.innerText(".snippets pre")) };
  },

  /** From a saved spec to the page that shows it; the file is written here, so that the clock is one. */
  async reloads() {
    const { writeFileSync } = await import("node:fs");
    const page = await open(asked.url);
    await show(page, toolLink(asked.tool));
    await page.waitForSelector("#section-description");
    const text = readFileSync(asked.file, "utf8");
    const times = [];
    for (let round = 1; round <= asked.rounds; round += 1) {
      const mark = `Round ${round}`;
      const started = performance.now();
      writeFileSync(asked.file, text.replace(asked.replaced, mark));
      await page.waitForFunction((mark) => document.querySelector("#section-description").textContent.includes(mark), mark, { polling: 5 });
      times.push(performance.now() - started);
      await page.waitForTimeout(asked.pause);
    }
    writeFileSync(asked.file, "name: [");
    await page.waitForFunction(() => document.querySelector(".news[open]")?.textContent.includes("error["));
    const refused = await page.innerText(".news");
    const found = await violations(page, "findings");
    const kept = await page.innerText("#section-description");
    writeFileSync(asked.file, text);
    await page.waitForFunction(() => !document.querySelector(".news")?.textContent.includes("error["));
    return { times, refused, kept, found };
  },

  /** The pictures of the documentation. */
  async pictures() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(asked.url, { colorScheme });
      await show(page, toolLink("create_purchase_order"));
      await page.waitForSelector(".try");
      await picture(page, `page-tool-${colorScheme}`);
      await page.context().close();
    }
    const page = await open(asked.url);
    await show(page, "#");
    await picture(page, "page-overview");
    return {};
  },
};

try {
  const result = await scenarios[process.argv[2]]();
  console.log(JSON.stringify({ ...result, faults }));
} catch (error) {
  console.error(error.stack, faults);
  process.exitCode = 1;
} finally {
  await browser.close();
}
