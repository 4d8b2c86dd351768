// People in Chromium: one makes a key and approves calls, another one too; with a keyboard alone.
//
//     node browser.mjs '{"browser": …, "server": "http://localhost:8000", "approvers": "approvers.toml", "pid": 1}'
//
// Prints what it found as JSON. The keys are those of Chromium's virtual authenticator.

import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const asked = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");
const axe = readFileSync(`${process.cwd()}/node_modules/axe-core/axe.min.js`, "utf8");
const found = { faults: [], states: {}, entries: 0 };
const browser = await chromium.launch({ executablePath: asked.browser, args: ["--no-sandbox"] });
const MODERN = "2026-07-28";

/** Call a tool; return the result. */
async function call(name, args) {
  const _meta = { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
  const headers = {
    "content-type": "application/json", accept: "application/json, text/event-stream",
    "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name,
  };
  const text = await (await fetch(`${asked.server}/mcp`, { method: "POST", headers, body: JSON.stringify(body) })).text();
  return JSON.parse(text.includes("data: ") ? text.split("data: ").at(-1) : text).result;
}

const addressOf = async (name, args) => (await call(name, args))._meta["toolgen/approval"].url;

/** A person with a device of their own. */
async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 800, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => found.faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("410")) found.faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => request.url().startsWith(asked.server) || found.faults.push(`request: ${request.url()}`));
  const device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
  } });
  const verify = (isUserVerified) => device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  return { page, verify };
}

async function check(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  found.faults.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html}`));
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (isWide) found.faults.push(`${name}: it is wider than the window`);
  if (asked.pictures) await page.screenshot({ path: `${asked.pictures}/${name}.png` });
}

/** Move to a button by Tab, and press it. */
async function press(page, id) {
  for (let tabs = 0; tabs < 20; tabs += 1) {
    if (await page.evaluate(() => document.activeElement?.id) === id) return page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
  }
  throw new Error(`${id} cannot be reached by Tab`);
}

const status = (page, text) => page.waitForFunction((text) => document.getElementById("status").textContent.includes(text), text);

async function enrol({ page }, name) {
  await page.goto(`${asked.server}/approvals/enrol?name=${name}&group=finance`);
  await press(page, "make");
  await status(page, "The key is made");
  await press(page, "copy");
  await status(page, "copied");
  const entry = await page.evaluate(() => navigator.clipboard.readText());
  found.entries += entry === await page.textContent("#entry");
  appendFileSync(asked.approvers, `${entry}\n`);
}

async function open({ page }, address) {
  await page.goto(address);
  await page.waitForSelector("#call:not([hidden])");
}

try {
  const [ann, bob] = [await person(), await person({ viewport: { width: 360, height: 740 }, colorScheme: "dark" })];
  await enrol(ann, "Ann");
  await check(ann.page, "enrol");
  await enrol(bob, "Bob");
  process.kill(asked.pid, "SIGHUP");
  await new Promise((resolve) => setTimeout(resolve, 1000));

  const refund = { order: 9007199254740993n.toString(), amount: 120.5 };
  const address = await addressOf("refund", refund);
  await open(ann, address);
  await check(ann.page, "approval");
  found.shown = await ann.page.innerText("#call");
  await ann.verify(false); // the device does not know who is there
  await press(ann.page, "approve");
  await status(ann.page, "Nothing was signed");
  await ann.verify(true);
  const twin = await ann.page.context().newPage();
  await twin.goto(address);
  await press(ann.page, "approve");
  await status(ann.page, "Approved");
  found.states.approved = (await call("refund", refund)).isError ?? false;
  await twin.reload();
  await status(twin, "has been done");

  const declined = await addressOf("refund", { ...refund, amount: 1 });
  await open(bob, declined);
  await check(bob.page, "approval-phone");
  await press(bob.page, "decline");
  await status(bob.page, "Declined");
  found.states.declined = (await call("refund", { ...refund, amount: 1 }))._meta["toolgen/error"].code;

  const both = await addressOf("pay", refund);
  await open(ann, both);
  await press(ann.page, "approve");
  await status(ann.page, "More people");
  await open(bob, both);
  await press(bob.page, "approve");
  await status(bob.page, "Approved");
  found.states.both = (await call("pay", refund)).isError ?? false;

  const again = await addressOf("refund", refund);
  await open(ann, again);
  found.before = await ann.page.innerText("#before");
  if (asked.expiry) {
    await ann.page.waitForFunction(() => document.getElementById("approve").disabled, null, { timeout: asked.expiry * 1000 });
    await status(ann.page, "is over");
  }
} catch (error) {
  found.faults.push(String(error));
}
await browser.close();
console.log(JSON.stringify(found));
