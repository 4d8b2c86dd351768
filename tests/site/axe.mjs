// Opens pages in Chromium, in both colour schemes, and prints what axe-core finds in them.
//
//     node axe.mjs '{"browser": …, "axe": "path of axe.min.js", "pages": ["file://…"]}'

import { createRequire } from "node:module";

const asked = JSON.parse(process.argv[2]);
const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");

const browser = await chromium.launch({ executablePath: asked.browser, args: ["--no-sandbox"] });
const found = [];
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ colorScheme });
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  for (const url of asked.pages) {
    await page.goto(url);
    await page.addScriptTag({ path: asked.axe });
    const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, impact, help, nodes } of result.violations) {
      for (const node of nodes) {
        // what the theme puts around our tables and code has a class of its own
        const inContent = await page.evaluate((target) => {
          const element = document.querySelector(target);
          return element !== null && element.closest("article") !== null && !/\bmd-/.test(element.className);
        }, [node.target[0]].flat()[0]);
        found.push({ url, colorScheme, id, impact, help, inContent, target: String(node.target), html: node.html });
      }
    }
  }
  found.push(...requests.filter((url) => /^https?:/.test(url)).map((url) => ({ id: "request", url })));
}
await browser.close();
console.log(JSON.stringify(found));
