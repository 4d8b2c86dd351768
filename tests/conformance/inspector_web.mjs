// Calls a tool in the web interface of the MCP Inspector, in a real browser, and prints what it shows: images, or
// with `asks` the question to the user, which is then declined.
//
//     node inspector_web.mjs '{"url": …, "browser": …, "tool": …, "choices": {"field": "option"},
//                              "texts": {"field": "text"}, "asks": true, "screenshot": …}'

import { createRequire } from "node:module";

const asked = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");

const browser = await chromium.launch({ executablePath: asked.browser, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
await page.goto(asked.url);
await page.getByRole("switch").first().click({ force: true }); // connects; its own track covers it
await page.getByText("Tools", { exact: true }).first().click();
await page.getByText(asked.tool, { exact: true }).first().click();
for (const [field, option] of Object.entries(asked.choices ?? {})) {
  await page.getByLabel(field).first().click({ force: true });
  await page.getByRole("option", { name: option }).click();
}
for (const [field, text] of Object.entries(asked.texts ?? {})) {
  await page.getByLabel(field).first().fill(text);
}
await page.getByRole("button", { name: "Execute Tool" }).click();

/** Take the picture when nothing on the page moves any more: a dialog fades in. */
async function picture() {
  if (!asked.screenshot) return;
  const stillMoves = () => document.getAnimations().some((each) => each.playState === "running" && each.effect.getComputedTiming().endTime !== Infinity);
  for (let still = 0; still < 3; still = (await page.evaluate(stillMoves)) ? 0 : still + 1) await page.waitForTimeout(200);
  await page.screenshot({ path: asked.screenshot });
}

let shown;
if (asked.asks) {
  const question = page.getByRole("dialog").filter({ hasText: "Elicitation Request" });
  await question.getByRole("button", { name: "Decline" }).waitFor();
  shown = await question.innerText();
  await picture();
  await question.getByRole("button", { name: "Decline" }).click();
  await page.getByText("declined").first().waitFor();
} else {
  await page.locator("img[src^='data:']").last().waitFor();
  shown = await page.locator("img[src^='data:']").evaluateAll((found) =>
    found.map((each) => ({ source: each.src, width: each.naturalWidth, height: each.naturalHeight })),
  );
  await picture();
}
await browser.close();
console.log(JSON.stringify(shown));
