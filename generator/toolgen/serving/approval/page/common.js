// What both pages use.
const find = (id) => document.getElementById(id);
const say = (text) => { find("status").textContent = text; };
// characters that nobody sees, or that change the order of others, as JSON escapes them
const visible = (text) => text.replace(/[\p{C}\u2028\u2029]/gu, (found) =>
  found.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
const NO_KEYS = "This browser has no passkeys here: update it, or open the page over https, or at http://localhost.";
document.querySelector(".site").textContent = location.host;
