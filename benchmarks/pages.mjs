// A browser that measures pages: reads a request a line, and answers with seconds.
//
//     node pages.mjs CHROMIUM

import { createInterface } from "node:readline";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");
const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
let following;

const measured = {
  /** Open a page, with nothing cached. */
  async open({ url }) {
    const page = await (await browser.newContext()).newPage();
    const began = performance.now();
    await page.goto(url);
    await page.waitForSelector("[data-ready] nav li:last-child");
    const took = performance.now() - began;
    await page.context().close();
    return took;
  },

  /** Show a tool of a served page, so that `save` can be measured. */
  async follow({ url, tool }) {
    following = await (await browser.newContext()).newPage();
    await following.goto(url);
    await following.waitForSelector("[data-ready]");
    await following.evaluate((tool) => {
      location.hash = `#tool/${tool}`;
    }, tool);
    await following.waitForSelector("#section-description");
    return 0;
  },

  /** Save another description of the tool, and wait until the page shows it. */
  async save({ file, replaced, mark, pause }) {
    const text = readFileSync(file, "utf8");
    const began = performance.now();
    writeFileSync(file, text.replace(replaced, mark));
    await following.waitForFunction((mark) => document.querySelector("#section-description").textContent.includes(mark), mark, { polling: 5 });
    const took = performance.now() - began;
    await following.waitForTimeout(pause); // what follows a change is done before the next one
    return took;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { what, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ seconds: (await measured[what](given)) / 1000 }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
}
await browser.close();
