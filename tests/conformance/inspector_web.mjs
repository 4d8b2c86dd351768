// Calls a tool in the web interface of the MCP Inspector, in a real browser, and prints the images that it shows.
//
//     node inspector_web.mjs '{"url": …, "browser": …, "tool": …, "choices": {"field": "option"}, "screenshot": …}'

import { createRequire } from "node:module";

const asked = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");

const browser = await chromium.launch({ executablePath: asked.browser, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
await page.goto(asked.url);
await page.getByRole("switch").first().click({ force: true }); // connects; its own track covers it
await page.getByText("Tools", { exact: true }).first().click();
await page.getByText(asked.tool, { exact: true }).first().click();
for (const [field, option] of Object.entries(asked.choices)) {
  await page.getByLabel(field).first().click({ force: true });
  await page.getByRole("option", { name: option }).click();
}
await page.getByRole("button", { name: "Execute Tool" }).click();
await page.locator("img[src^='data:']").last().waitFor();
const images = await page.locator("img[src^='data:']").evaluateAll((found) =>
  found.map((each) => ({ source: each.src, width: each.naturalWidth, height: each.naturalHeight })),
);
if (asked.screenshot) await page.screenshot({ path: asked.screenshot });
await browser.close();
console.log(JSON.stringify(images));
