// What both pages use.
const find = (id) => document.getElementById(id);
const say = (text) => { find("status").textContent = text; };
const base64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const NO_KEYS = "This browser has no passkeys here: open the page over https, or at http://localhost.";
document.querySelector(".site").textContent = location.host;
