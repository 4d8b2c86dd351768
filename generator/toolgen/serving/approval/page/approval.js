// Shows an approval as text, and signs it with a key of the person. `act` is never written anew: what is shown as
// signed is the text that its digest is of, whose numbers JavaScript cannot hold.
const ENDED = {
  approved: "Approved. You can close this page.",
  declined: "Declined: nothing is done.",
  expired: "The time to approve this call is over: nothing is done.",
  changed: "What would be done has changed since: there is a new approval.",
  done: "This was approved and has been done.",
};
const REFRESH_SECONDS = 5;
const base64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
let options;

function showLines(place, text) {
  place.replaceChildren(...text.split("\n").map((line) => {
    const shown = document.createElement("div");
    shown.textContent = line;
    return shown;
  }));
}

function end(state) {
  find("approve").disabled = find("decline").disabled = true;
  say(ENDED[state] ?? `It is ${state}.`);
}

async function load() {
  if (!window.isSecureContext) return say(NO_KEYS);
  const answer = await fetch(`${location.pathname}/request`);
  const found = await answer.json();
  if (!answer.ok) return found.state ? end(found.state) : say(found.error);
  const digest = base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(found.act)));
  if (digest !== found.options.challenge) return say("What is shown is not what would be signed. Do not approve it.");
  const act = JSON.parse(found.act);
  options = found.options;
  showLines(find("question"), act.question);
  find("preview").hidden = act.preview === null;
  showLines(find("preview").querySelector(".shown"), act.preview ?? "");
  find("tool").textContent = visible(found.title === act.tool ? act.tool : `${found.title} (${act.tool})`);
  find("caller").textContent = visible(act.principal ?? "whoever uses this server");
  find("approvers").textContent = visible(act.approvers.join(", ")) + (act.quorum > 1 ? ` (${act.quorum} of them)` : "");
  find("signed").textContent = visible(found.approvers.join(", ")) || "nobody yet";
  find("expires").textContent = new Date(act.expires * 1000).toLocaleString();
  find("before").hidden = found.done_before === null;
  find("before").textContent = `The same was done before, at ${new Date(found.done_before * 1000).toLocaleString()}.`;
  find("act").textContent = visible(found.act);
  find("call").hidden = false;
  if (found.state !== "pending") return end(found.state);
  if (!find("status").dataset.kept) say(options.allowCredentials.length ? "" : "Nobody has a key that may approve this.");
  setTimeout(() => find("approve").disabled || load(), REFRESH_SECONDS * 1000);
}

async function send(body) {
  find("status").dataset.kept = "yes";
  const answer = await fetch(location.pathname, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const found = await answer.json();
  if (found.state === "pending") {
    find("signed").textContent = found.approvers.join(", ");
    say("You have approved it. More people have to.");
  } else if (found.state) end(found.state);
  else say(found.error);
}

async function approve() {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return say(NO_KEYS);
  say("Your device asks for your key …");
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    await send({ credential: await navigator.credentials.get({ publicKey }) }); // its toJSON writes base64url
  } catch (error) {
    say(`Nothing was signed: ${error.message}`);
  }
}

find("approve").addEventListener("click", approve);
find("decline").addEventListener("click", () =>
  send({ declined: true }).catch((error) => say(`The server was not told: ${error.message}`)));
load().catch((error) => say(`The page could not be loaded: ${error.message}`));
