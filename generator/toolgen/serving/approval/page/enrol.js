// Makes a key for approvals, and shows its entry for the file of approvers. The server learns nothing of it, except
// that of `toolgen approvers add`, which prints the entry in the terminal, too.
const ES256 = -7; // https://www.iana.org/assignments/cose
const query = new URLSearchParams(location.search);
const name = query.get("name") ?? "";

async function make() {
  if (!window.PublicKeyCredential) return say(NO_KEYS);
  try {
    const random = () => crypto.getRandomValues(new Uint8Array(32));
    const made = await navigator.credentials.create({ publicKey: {
      rp: { id: location.hostname, name: "Approvals" },
      user: { id: random(), name, displayName: name },
      challenge: random(),
      pubKeyCredParams: [{ type: "public-key", alg: ES256 }],
      authenticatorSelection: { userVerification: "required", residentKey: "discouraged" },
      attestation: "none",
    } });
    const { id, response: { publicKey } } = made.toJSON();
    const entry = { name, groups: query.getAll("group"), id, public_key: publicKey, rp_id: location.hostname };
    const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    find("entry").textContent = ["[[approver]]", ...lines].join("\n");
    find("made").hidden = false;
    say("The key is made.");
    if (query.has("terminal")) {
      await fetch(location.href, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(entry),
      });
    }
  } catch (error) {
    say(`No key was made: ${error.message}`);
  }
}

find("name").textContent = name;
find("make").addEventListener("click", make);
find("copy").addEventListener("click", () =>
  navigator.clipboard.writeText(find("entry").textContent).then(() => say("The entry is copied.")));
if (name.trim() === "") {
  find("make").disabled = true;
  say("The address names nobody: it ends in ?name=NAME.");
}
